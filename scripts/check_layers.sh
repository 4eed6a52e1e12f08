#!/usr/bin/env bash
# A folder of src/ includes only folders to its left: core graph io spectral nn models learn report cli.
set -euo pipefail
cd "$(dirname "$0")/.."
layers=(core graph io spectral nn models learn report cli)
bad=0
for ((i = 0; i < ${#layers[@]}; i++)); do
  [ -d "src/${layers[i]}" ] || continue
  for ((j = i + 1; j < ${#layers[@]}; j++)); do
    if grep -rn "#include \"${layers[j]}/" "src/${layers[i]}"; then
      echo "src/${layers[i]} must not include src/${layers[j]}" >&2
      bad=1
    fi
  done
done
exit $bad
