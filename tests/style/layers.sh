#!/bin/sh
# #include lines follow the arrows
#
#   base <- ast <- { contractions, gen, cachesim, models } <- microbench <- store <- { plan, roofline, routines } <- api <- { network, blocks } <- distributed <- study <- cli
#
# (siblings never include each other), and each third-party library is included by one folder. A public header tcplan/NAME.h belongs to
# the folder that holds NAME.c; public headers include only each other and the C library. bindings/tapp, a library of its own, includes only
# the first tier of the public headers and itself; bindings/mpi both tiers and distributed/runtime. Some folders have layers of their own:
#
#   plan <- plan/advise    routines/sampler <- routines/blocked    cli's data <- cli/render <- cli/page <- commands
# usage: layers.sh ROOT
set -eu
cd "$1"

folders=
for folder in base ast contractions gen cachesim models microbench store plan roofline routines api network blocks distributed study bindings cli; do
    if [ -d "$folder" ]; then folders="$folders $folder"; fi
done
# shellcheck disable=SC2086,SC2016 # a list of folders; a program in awk
find $folders include -name templates -prune -o -name '*.[ch]' -print | sort | xargs awk '
BEGIN {
    rank["base"] = 0; rank["ast"] = 1; rank["contractions"] = rank["gen"] = rank["cachesim"] = rank["models"] = 2
    rank["microbench"] = 3; rank["store"] = 4; rank["plan"] = rank["roofline"] = rank["routines"] = 5; rank["api"] = 6; rank["network"] = rank["blocks"] = 7; rank["distributed"] = 8; rank["study"] = 9; rank["cli"] = 10
    upper["plan/advise"] = upper["routines/blocked"] = 1
    only["^hwloc"] = "cachesim"; only["^(cblas|lapack|openblas)"] = "microbench models"; only["^(libxsmm|blis)"] = "microbench"; only["^libxml/"] = "contractions"; only["^jansson"] = "tests"; only["^mpi.h"] = "distributed bindings"
    n = split("diagnostics models options/options providers request roofs/kernels roofs/points roofs/programs roofs/regions", part, " ")
    for (i = 1; i <= n; i++) data["cli/" part[i] ".h"] = 1
    for (i = 1; i < ARGC; i++) {
        n = split(ARGV[i], part, "/")
        if (part[1] in rank && ARGV[i] ~ /\.c$/) {
            name = part[n]; sub(/\.c$/, ".h", name)
            if (!(name in owner) || rank[part[1]] < rank[top_of(owner[name])]) owner[name] = place_of(ARGV[i])
        }
    }
}
function top_of(path) { sub(/\/.*/, "", path); return path }
function place_of(path,    place) {
    place = match(path, /^[^\/]*\/[^\/]*\//) ? substr(path, 1, RLENGTH - 1) : ""
    return place in upper ? place : top_of(path)
}
function refuse(reason) {
    printf "%s:%d: %s\n    %s\n", FILENAME, FNR, reason, $0
    refused = 1
}
/^[ \t]*#[ \t]*include/ {
    folder = top_of(FILENAME)
    target = $0; sub(/^[^<"]*[<"]/, "", target); sub(/[>"].*/, "", target)
    for (library in only)
        if (target ~ library && index(" " only[library] " ", " " folder " ") == 0) refuse("only these may include " target ": " only[library])
    if ($0 !~ /"/) next
    top = top_of(target); place = place_of(target)
    if (top == target) {
        refuse("write the path from the repository root: \"" folder "/" target "\"")
    } else if (folder == "include") {
        if (top != "tcplan") refuse("a public header may include only tcplan/ headers and the C library")
    } else {
        if (top == "tcplan") {
            header = target; sub(/^.*\//, "", header)
            place = header in owner ? owner[header] : folder
            top = top_of(place)
        }
        if (place in upper && top == folder && place_of(FILENAME) != place) refuse("the rest of " folder "/ must not know " place "/")
        if (FILENAME ~ /^cli\/(render|page)\// && target ~ /^cli\// && target !~ /^cli\/(render|page)\// && !(target in data)) refuse("what draws must not know " target)
        if (FILENAME ~ /^cli\/render\// && target ~ /^cli\/page\//) refuse("cli/render/ must not know cli/page/")
        if (FILENAME ~ /^bindings\/mpi\//) {
            if (target !~ /^(bindings\/mpi|distributed\/runtime)\// && top_of(target) != "tcplan" && target !~ /^tcplan\//) refuse("bindings/mpi/ may include only itself, distributed/runtime/ and public headers")
            next
        }
        if (folder == "bindings") {
            first = target ~ /^tcplan\// && (getline line < ("include/" target)) > 0
            close("include/" target)
            if (target !~ /^(bindings\/)?tapp\// && !first) refuse("bindings/tapp/ may include only itself and the first tier, include/tcplan/")
            next
        }
        if (!(top in rank)) refuse("no such folder: " top "/")
        else if (top != folder && rank[top] >= rank[folder]) refuse(folder "/ must not know " top "/")
    }
}
END { exit refused }
'
