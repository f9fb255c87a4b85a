# shellcheck shell=sh
# Sourced by the tests that need a module of Python.

# find_python MODULE: sets `python` to a python3 that has the module: the first one in PATH, or the
# system's own. Skips the test if neither has it.
find_python() {
    for candidate in python3 /usr/bin/python3; do
        "$candidate" -c "import $1" 2>/dev/null || continue
        # shellcheck disable=SC2034 # the caller's
        python=$(command -v "$candidate")
        return
    done
    echo "SKIPPED: neither python3 nor /usr/bin/python3 has $1 (Debian: python3-$1)"
    exit 77
}
