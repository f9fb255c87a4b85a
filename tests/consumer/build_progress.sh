#!/usr/bin/env bash
# The helper for builds reports progress, keeps the output, and fails if the command fails.
#
# usage: build_progress.sh ROOT
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
root=$1
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export TCPLAN_PROGRESS_SECONDS=0

printf '%s\n' '[1/4] Building a' '[2/4] Building b' 'a warning' '[4/4] Linking' >"$folder/ninja"
printf '%s\n' 'Scanning' '[  7%] Building a' '[100%] Built target a' >"$folder/make"
for tool in ninja make; do
    build_showing "$folder/log" cat "$folder/$tool" 2>>"$folder/said"
    cmp "$folder/$tool" "$folder/log"
done
printf 'tcplan: building: %s %%\n' 25 50 100 7 100 | cmp - "$folder/said"
TCPLAN_PROGRESS_SECONDS=1000 build_showing "$folder/log" cat "$folder/ninja" 2>&1 | cmp - /dev/null
if build_showing "$folder/log" false 2>/dev/null; then exit 1; fi
