#!/bin/sh
# bench/screenshot: draws the output of a command with its colours, without overwritten text, and rejects output that it cannot draw.
# usage: screenshot.sh SCREENSHOT
set -eu
screenshot=$1
command -v python3 >/dev/null || { echo 'SKIPPED: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1"
    cat out err
    exit 1
}

cat >show <<'SH'
printf '\033[1mrank\033[0m  \033[1mname\033[0m\n'
printf 'done 10 %%\rdone 20 %%\r\033[K<a&b>\033[1;32m good\033[0m x\n'
stty size <&1
SH
python3 "$screenshot" --columns 47 --typed 'show "it"' -- sh show >out 2>err || fail 'it failed'
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' out || fail 'not well-formed'
grep -q 'class="bold">show "it"<' out || fail 'expected what was typed'
{ grep -q 'class="bold">rank<' out && grep -q 'class="bold">name<' out; } || fail 'expected two headings, each in its place'
{ grep -q '>&lt;a&amp;b&gt;<' out && grep -q 'class="bold green">good<' out; } || fail 'expected what stands there in the end'
grep -q '>50 47<' out || fail 'expected a terminal of 47 columns'
! grep -q 'done' out || fail 'expected nothing that was written over'

printf 'exit 4' >show
! python3 "$screenshot" -- sh show >out 2>err || fail 'expected a failure'
{ grep -q 'ended with status 4' err && [ ! -s out ]; } || fail 'expected its status, and no picture'
printf "printf '\\\\033[7mx'" >show
! python3 "$screenshot" -- sh show >out 2>err || fail 'expected a failure'
grep -q 'style 7' err || fail 'expected what is not known'
