#!/bin/sh
# No file of the build tree or of an installed tree searches the current folder for libraries: its run path has no
# empty and no relative entry. Installed files do not search the build tree or the sources either.
# usage: run_paths.sh READELF CMAKE BUILD_DIR SOURCE_DIR
set -eu
readelf=$1 cmake=$2 build=$3 source=$4
work=$build/run_paths
rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

# Prints "FILE PATH" for each run path of the programs and libraries in a folder. Other tests may remove files meanwhile.
run_paths() {
    find "$1" -name run_paths -prune -o -type f \( -perm -u+x -o -name '*.so*' \) -print >"$work/files" 2>/dev/null || true
    while read -r file; do
        "$readelf" -d "$file" 2>/dev/null | sed -n "s|^.*(R[A-Z]*PATH).*\[\(.*\)\]\$|$file \1|p"
    done <"$work/files"
}

# Prints the entries that do not belong there, of lines "FILE PATH"; FORBIDDEN are folders with a colon behind each.
wrong() {
    awk -v forbidden="$1" '{
        count = split($2, entries, ":")
        if (count == 0) print $1 ": an empty run path"
        folders = split(forbidden, folder, ":")
        for (e = 1; e <= count; e++) {
            if (entries[e] == "") print $1 ": an empty entry in " $2
            else if (entries[e] !~ /^(\/|\$ORIGIN)/) print $1 ": a relative entry in " $2
            for (f = 1; f < folders; f++) if (index(entries[e], folder[f]) == 1) print $1 ": " entries[e]
        }
    }'
}

run_paths "$build" >"$work/built"
run_paths "$work/prefix/." >"$work/installed"
[ -s "$work/built" ] || { echo 'no file with a run path was found'; exit 1; }
{ wrong '' <"$work/built" && wrong "$build:$source:" <"$work/installed"; } >"$work/wrong"
cat "$work/wrong"
[ ! -s "$work/wrong" ]
