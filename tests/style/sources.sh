# shellcheck shell=sh
# Sourced by the style tests: the C files of the tree, one a line, relative to the current directory. Golden texts are not sources.
c_files() {
    find . \( -name '.?*' -o -name 'build*' -o -path ./tests/golden \) -prune -o -type f \( -name '*.c' -o -name '*.h' \) -print |
        sed 's|^\./||' | sort
}
