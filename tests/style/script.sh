#!/bin/sh
# The script of pages is one for its interpreter.
# usage: script.sh ROOT
set -eu
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
node --check "$1/cli/page/page.js"
