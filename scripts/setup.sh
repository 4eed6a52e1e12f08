#!/usr/bin/env bash
# Installs the Debian packages that building and testing need; skips what is there.
# usage: scripts/setup.sh [build|lint|fuzz|bench]...   (default: build)
set -euo pipefail

build=(g++ cmake ninja-build pkg-config git ca-certificates
  zlib1g-dev libzip-dev libfmt-dev libsimdjson-dev nlohmann-json3-dev libtomlplusplus-dev
  libeigen3-dev librandom123-dev libdnnl-dev ocl-icd-opencl-dev libgtest-dev libgmock-dev librapidcheck-dev zip unzip)
# Reads and draws molecules, and some to show; where it cannot be installed, everything else still works.
molecules=(librdkit-dev rdkit-data libboost-dev libjemalloc-dev)
# Downloads datasets; the same.
fetch=(libcurl4-openssl-dev libssl-dev)
lint=(clang-format-14 clang-tidy-14 shellcheck python3)
fuzz=(clang-14 libclang-rt-14-dev)
bench=(python3-numpy python3-scipy python3-torch python3-sklearn python3-matplotlib
  python3-rdkit python3-xgboost libopenblas0-openmp unzip)

[ $# -gt 0 ] || set -- build
wanted=()
wished=()
for group in "$@"; do
  case "$group" in
    build) wanted+=("${build[@]}") wished+=("${molecules[@]}" "${fetch[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    *) echo "setup.sh: unknown group '$group', expected build, lint, fuzz or bench" >&2; exit 2 ;;
  esac
done

missing_of() {
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || echo "$package"
  done
}
mapfile -t missing < <(missing_of "${wanted[@]}")
mapfile -t missing_wished < <(missing_of "${wished[@]}")
[ $((${#missing[@]} + ${#missing_wished[@]})) -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || as_root=(false)
  [ ${#as_root[@]} -gt 0 ] || as_root=(sudo)
fi
install_packages() {
  echo "installing: $*" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
if [ ${#missing[@]} -gt 0 ]; then
  [ "${as_root[*]}" != false ] || { echo "setup.sh: needs root or sudo to install packages" >&2; exit 1; }
  "${as_root[@]}" apt-get update -qq
  install_packages "${missing[@]}"
else
  "${as_root[@]}" apt-get update -qq || true
fi
# What needs RDKit and what needs libcurl do not need each other.
install_wished() {
  local loss=$1 packages
  shift
  mapfile -t packages < <(missing_of "$@")
  if [ ${#packages[@]} -gt 0 ] && ! install_packages "${packages[@]}"; then
    echo "setup.sh: without ${packages[*]} $loss" >&2
  fi
}
if [ ${#missing_wished[@]} -gt 0 ]; then
  install_wished "molecules (.smi, .csv, .sdf) cannot be read" "${molecules[@]}"
  install_wished "'rayleigh fetch' cannot download" "${fetch[@]}"
fi
