#!/usr/bin/env bash
# Installs the Debian packages that building and testing need; skips what is there.
# usage: scripts/setup.sh [build|lint|fuzz|bench]...   (default: build)
set -euo pipefail

build=(g++ cmake ninja-build pkg-config git ca-certificates
  zlib1g-dev libzip-dev libfmt-dev libsimdjson-dev nlohmann-json3-dev libtomlplusplus-dev
  libeigen3-dev libdnnl-dev ocl-icd-opencl-dev libgtest-dev libgmock-dev librapidcheck-dev zip unzip)
lint=(clang-format-14 clang-tidy-14 shellcheck)
fuzz=(clang-14 libclang-rt-14-dev)
bench=(python3-numpy python3-scipy python3-torch python3-sklearn python3-matplotlib
  libopenblas0-openmp unzip)

[ $# -gt 0 ] || set -- build
wanted=()
for group in "$@"; do
  case "$group" in
    build) wanted+=("${build[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    *) echo "setup.sh: unknown group '$group', expected build, lint, fuzz or bench" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing: ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup.sh: needs root or sudo to install packages" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
