# shellcheck shell=sh
# Sourced by the tests that need a module of Python.

# find_python MODULE...: sets `python` to a python3 that has the modules: the first one in PATH, or
# the system's own. Skips the test if neither has them.
find_python() {
    modules=$(printf ', %s' "$@")
    modules=${modules#, }
    for candidate in python3 /usr/bin/python3; do
        "$candidate" -c "import $modules" 2>/dev/null || continue
        python=$(command -v "$candidate")
        return
    done
    echo "SKIPPED: neither python3 nor /usr/bin/python3 has $modules (Debian: python3-$1)"
    exit 77
}

# python_in FOLDER: makes the python3 that find_python found the one that every program started from
# here on finds in PATH, by a stand-in in FOLDER.
python_in() {
    mkdir "$1"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$1/python3"
    chmod +x "$1/python3"
    PATH=$1:$PATH
}
