#!/usr/bin/env bash
# Format of code and pages, shell scripts and clang-tidy.
# usage: scripts/lint.sh all | changed | --fix-format
# "changed": clang-tidy only on what the newest three hours of commits touch, without the path-sensitive analyzer, which
# takes half of the time; the rest as for all.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files --cached --others --exclude-standard \
  'src/*.cpp' 'src/*.h' 'include/*.h' 'tests/*.cpp' 'tests/*.h' 'bench/*.cpp' 'bench/*.h' 'fuzz/*.cpp' 'fuzz/*.h' \
  'examples/*.cpp')

# Tables of results are written by the command.
mapfile -t pages < <(git ls-files --cached --others --exclude-standard '*.md' ':!docs/results')

case "${1:-all}" in
  --fix-format) clang-format-14 -i "${sources[@]}"; scripts/wrap_markdown.py "${pages[@]}"; exit 0 ;;
  all | changed) ;;
  *) echo "lint.sh: expected all, changed or --fix-format" >&2; exit 2 ;;
esac

echo "format: ${#sources[@]} files"
clang-format-14 --dry-run --Werror "${sources[@]}"
scripts/wrap_markdown.py --check "${pages[@]}"
python3 bench/forest_peer.py --check
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.sh' .ci/run)
shellcheck "${scripts[@]}"
scripts/check_layers.sh

# Without precompiled headers, so that every file includes what it uses.
lint_database() {
  cmake --preset release -B "$1" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DRAYLEIGH_UNITY="$2" >/dev/null
}
base=
checks=()
if [ "${1:-all}" = changed ]; then
  newest=$(git log -1 --format=%ct)
  base=$(git rev-list -1 --before=$((newest - 3 * 3600)) HEAD)
  checks=("--checks=-clang-analyzer-*,-bugprone-suspicious-include")
  # Eight files of src together take little longer than one.
  lint_database build-lint ON
else
  lint_database build-lint OFF
fi
# The file of the compilation database that has a source: itself, or the pack it is in.
unit_of() {
  local pack
  pack=$(grep -lF "/$1\"" build-lint/src/CMakeFiles/*/Unity/*.cxx 2>/dev/null | head -n 1)
  echo "${pack:-$1}"
}
units=()
files=0
for file in "${sources[@]}"; do
  case "$file" in *.cpp) ;; *) continue ;; esac
  # Not in the compilation database: built on their own.
  case "$file" in fuzz/* | examples/* | tests/package/*) continue ;; esac
  case "$file" in src/io/rdkit/* | src/io/curl/*) grep -q "$file" build-lint/compile_commands.json || continue ;; esac
  if [ -n "$base" ] && git diff --quiet "$base" -- "$file"; then continue; fi
  units+=("$(unit_of "$file")")
  files=$((files + 1))
done
[ "$files" -gt 0 ] || { echo "clang-tidy: nothing changed"; exit 0; }
echo "clang-tidy: $files files"
printf '%s\n' "${units[@]}" | sort -u | xargs -P "$(nproc)" -n 1 clang-tidy-14 -p build-lint --quiet \
  --header-filter='(include/rayleigh|src|tests|bench|fuzz)/.*\.(h|cpp)$' "${checks[@]}" 2>/dev/null
