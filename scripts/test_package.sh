#!/usr/bin/env bash
# Installs the package in a Debian 12 that holds nothing else and uses it there: first what it depends on, then what it
# recommends (molecules, downloads), then what it suggests (a program that links the library), and takes it away again.
# usage: scripts/test_package.sh PACKAGE.deb     needs root, debootstrap and the network
# DEBIAN_MIRROR names the mirror, by default the one that apt uses here. ROOT names a folder that is kept for the next run.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
package=${1:?usage: scripts/test_package.sh PACKAGE.deb}
cannot() { echo "test_package.sh: not run, $1" >&2; exit 77; }
[ -e "$package" ] || { echo "test_package.sh: there is no $package; make package makes it" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || cannot "a clean root can be made by root only"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
# shellcheck disable=SC2016
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)}
[ -n "$mirror" ] || cannot "no mirror is known; set DEBIAN_MIRROR"

work=$(mktemp -d)
base=${ROOT:-$work/base}
root=$work/root
finish() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
if [ ! -e "$base/etc/debian_version" ]; then
  echo "making a clean root"
  debootstrap --variant=minbase bookworm "$base" "$mirror" >"$work/debootstrap.log" ||
    { tail -n 5 "$work/debootstrap.log" >&2; cannot "debootstrap failed"; }
fi
cp -a "$base" "$root"
mount -t proc proc "$root/proc" || cannot "/proc cannot be mounted"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$package" "$root/rayleigh.deb"
cp -r "$here/tests/package" "$root/consumer"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
install() { inside apt-get install -y --no-install-recommends "$@" >"$work/apt.log" 2>&1 || { tail -n 20 "$work/apt.log" >&2; exit 1; }; }
# The packages in a field of the control file, without versions.
field() { inside dpkg-deb --field /rayleigh.deb "$1" | tr ',' '\n' | sed 's/[|(].*//; s/ //g'; }
# What a command that must fail says.
complaint() { if inside "$@" >/dev/null 2>"$work/complaint"; then echo "$* did not fail" >&2; exit 1; fi; cat "$work/complaint"; }
# Asks for a piece of text and shows all when it is not there.
says() { local text; text=$(cat); grep -qF -- "$1" <<<"$text" || { printf 'expected "%s" in:\n%s\n' "$1" "$text" >&2; exit 1; }; }

inside apt-get update >"$work/apt.log" 2>&1
install /rayleigh.deb
inside rayleigh --version
inside rayleigh generate molecules -o /known.jsonl --graphs 600 --quiet
inside rayleigh generate molecules -o /new.jsonl --graphs 50 --seed 2 --quiet
inside rayleigh train /known.jsonl -o /a.model --epochs 3 --quiet >/dev/null
inside rayleigh score /a.model /new.jsonl --quiet -o /scores.csv
[ "$(wc -l <"$root/scores.csv")" -eq 51 ]
inside test -s /usr/share/man/man1/rayleigh.1.gz
complaint sh -c 'echo CCO | rayleigh inspect - --input smi' | says 'it needs RDKit (Debian: librdkit1)'
complaint rayleigh fetch MUTAG --data-dir /data | says 'it needs libcurl and OpenSSL (Debian: libcurl4 and libssl3)'
echo "what it depends on is enough to train and score; molecules and downloads say what is missing"

mapfile -t recommended < <(field Recommends)
install "${recommended[@]}"
inside sh -c 'echo CCO | rayleigh inspect - --input smi --format json --quiet' | says '"total_nodes": 3'
complaint rayleigh fetch MUTAG --data-dir /data --base-url http://127.0.0.1:1 | says 'no connection to 127.0.0.1:1'
echo "what it recommends makes molecules and downloads work"

mapfile -t suggested < <(field Suggests)
install "${suggested[@]}"
inside sh -c 'cmake -S /consumer -B /consumer/build >/dev/null && cmake --build /consumer/build >/dev/null && /consumer/build/consumer /tmp'
echo "what it suggests links a program"

inside dpkg --purge rayleigh >/dev/null
if left=$(inside find /usr -name '*rayleigh*' | grep .); then
  printf 'left behind:\n%s\n' "$left" >&2
  exit 1
fi
echo "the package goes without a trace"
