#!/bin/sh
# The script of the page of results is JavaScript.
# usage: page.sh ROOT
set -eu
cd "$1"
if ! command -v node >/dev/null; then
    echo "SKIPPED: node is not installed"
    exit 77
fi
node --check cli/page/page.js
