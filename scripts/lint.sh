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
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard '*.sh' .ci/run)
shellcheck "${scripts[@]}"
scripts/check_layers.sh

# Every file by itself and without precompiled headers, so that it includes what it uses.
cmake --preset release -B build-lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DRAYLEIGH_UNITY=OFF >/dev/null
units=()
base=
checks=()
if [ "${1:-all}" = changed ]; then
  newest=$(git log -1 --format=%ct)
  base=$(git rev-list -1 --before=$((newest - 3 * 3600)) HEAD)
  checks=(--checks=-clang-analyzer-*)
fi
for file in "${sources[@]}"; do
  case "$file" in *.cpp) ;; *) continue ;; esac
  # Not in the compilation database: built on their own.
  case "$file" in fuzz/* | examples/* | tests/package/*) continue ;; esac
  case "$file" in src/io/rdkit/* | src/io/curl/*) grep -q "$file" build-lint/compile_commands.json || continue ;; esac
  if [ -n "$base" ] && git diff --quiet "$base" -- "$file"; then continue; fi
  units+=("$file")
done
[ ${#units[@]} -gt 0 ] || { echo "clang-tidy: nothing changed"; exit 0; }
echo "clang-tidy: ${#units[@]} files"
printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-14 -p build-lint --quiet "${checks[@]}" 2>/dev/null
