#!/usr/bin/env bash
# Who may include whom.
#  1. A folder of src/ includes only folders to its left: core graph io spectral nn models learn plot compare report paper cli.
#  2. What stands on the library (plot, compare, report, paper, cli) sees of it include/rayleigh and core only.
#  3. A public header includes public headers only, and those of its own layer or to its left.
set -euo pipefail
cd "$(dirname "$0")/.."
layers=(core graph io spectral nn models learn plot compare report paper cli)
clients=(plot compare report paper cli)
inner='graph|io|spectral|nn|models|learn'
bad=0
refuse() {
  echo "$1" >&2
  bad=1
}
for ((i = 0; i < ${#layers[@]}; i++)); do
  for ((j = i + 1; j < ${#layers[@]}; j++)); do
    if grep -rnE "#include [\"<]${layers[j]}/" "src/${layers[i]}"; then
      refuse "src/${layers[i]} must not include src/${layers[j]}"
    fi
  done
done
for client in "${clients[@]}"; do
  if grep -rnE "#include [\"<]($inner)/" "src/$client"; then
    refuse "src/$client stands on include/rayleigh: it must not include the library's insides"
  fi
done
if grep -rnE '#include "' include | grep -v '#include "rayleigh/'; then
  refuse "a public header must not include the library's insides"
fi
# The lower half of the library knows nothing of the public headers of its upper half.
upper='detector|detector_options|training|metrics|curves|scoring_session|score_stream|reference_set|explanation|split|cross_validation|resampled_mean'
for folder in core graph io spectral nn; do
  if grep -rnE "#include [\"<]rayleigh/($upper)\.h" "src/$folder"; then
    refuse "src/$folder must not include the headers of detectors and training"
  fi
done
if grep -rnE "#include [\"<]rayleigh/(graph_io|molecule_picture|fetch|spectral/[a-z_]+)\.h" src/core src/graph; then
  refuse "src/core and src/graph must not include the headers of io and spectral"
fi
exit $bad
