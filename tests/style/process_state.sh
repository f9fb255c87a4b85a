#!/bin/sh
# The library calls nothing that changes what belongs to the whole process: its umask, folder, locale, environment.
# Threads of the caller read these at any time.
# usage: process_state.sh LIBRARY NM
set -eu
names=$("$2" -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }')
changing=$(printf '%s\n' "$names" | grep -x -E 'umask|f?chdir|setlocale|setrlimit|putenv|setenv|unsetenv|clearenv' || true)
if [ -n "$changing" ]; then
    printf 'called, but changes the state of the whole process:\n%s\n' "$changing"
    exit 1
fi
