# shellcheck shell=sh
# Sourced by the tests that need numpy: sets `python` to a python3 that has it, the first of the path or the system's own, and where neither has it ends the
# test as skipped.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
        python=$(command -v "$candidate")
        break
    fi
done
[ -n "$python" ] || { echo 'SKIPPED: neither python3 nor /usr/bin/python3 has numpy (Debian: python3-numpy)'; exit 77; }
