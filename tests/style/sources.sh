# shellcheck shell=sh
# Sourced by the style tests.

# The C files of the tree, one a line, relative to the current directory. Golden texts are not sources.
c_files() {
    find . \( -name '.?*' -o -type d -name 'build*' -o -path ./tests/golden \) -prune -o -type f \( -name '*.c' -o -name '*.h' \) -print |
        sed 's|^\./||' | sort
}

# Sets `tool` to clang-format or clang-tidy of the version that the tree is written for: others format otherwise and find other things, so that
# they would fail a test in which nothing is wrong. Without it the test is skipped.
clang_version=14
find_clang_tool() {
    for tool in "$1-$clang_version" "$1"; do
        if command -v "$tool" >/dev/null && "$tool" --version | grep -q "version $clang_version\."; then return; fi
    done
    echo "skipped: no $1 of version $clang_version is installed"
    exit 77
}
