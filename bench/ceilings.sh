#!/usr/bin/env bash
# Compares the ceilings of `tcplan roofline` with the results of likwid-bench and STREAM, measured in turn in one session: prints a table of ratios.
#
# usage: bench/ceilings.sh TCPLAN [--stream stream.c] [--rounds N] [--threads "1 2"]
#
# likwid-bench is Debian's package `likwid`. STREAM is McCalpin's stream.c (https://www.cs.virginia.edu/stream/FTP/Code/stream.c), which is
# fetched unless --stream names it, and compiled here; nothing of it is part of tcplan.
#
# All three count the bytes that the program requests: none counts the load of a cache line that is to be overwritten. Other differences
# are avoided: all use pages of the usual size, as neither peer requests huge ones, the same working sets, and one thread on
# the last core. The clock rate matters, too: tcplan counts time windows in which the cores were fast, so the figure of likwid-bench in a round is the best of three short
# runs, as that of STREAM is the best of its ten. A core may be slow for a whole round, so the best round counts for all three. The peers load from memory in one
# stream; the ceiling may be of four. So the table also contains the rate of one stream from the sweep over working sets.
# Exit status 1: a ratio differs from 1 by more than 10 %.
set -euo pipefail

die() { printf 'ceilings.sh: %s\n' "$*" >&2; exit 3; }
[[ $# -ge 1 && $1 != --* ]] || die "usage: bench/ceilings.sh TCPLAN [--stream stream.c] [--rounds N] [--threads \"1 2\"]"
tcplan=$(readlink -f "$1")
shift
stream_source=
rounds=3
threads_list="1 $(nproc)"
while (($#)); do
    case $1 in
        --stream) [[ -r ${2-} ]] || die "--stream: cannot read '${2-}'"; stream_source=$(readlink -f "$2"); shift ;;
        --rounds) rounds=$2; shift ;;
        --threads) threads_list=$2; shift ;;
        *) die "unknown option $1" ;;
    esac
    shift
done
has_likwid=yes
command -v likwid-bench >/dev/null || has_likwid=
[[ -n $has_likwid ]] || echo "ceilings.sh: no likwid-bench, whose ratios are left out: apt-get install likwid" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
core=$(($(nproc --all) - 1))

# on_cores THREADS command...: runs the command on so many cores.
on_cores() {
    local threads=$1
    shift
    if ((threads == 1)); then taskset -c "$core" "$@"; else "$@"; fi
}

# The width of the vectors, which is part of the names of likwid's kernels.
if grep -q -w avx512f /proc/cpuinfo; then width=512 suffix=_avx512; elif grep -q -w avx2 /proc/cpuinfo; then width=256 suffix=_avx; else width=128 suffix=_sse; fi
fma=$([[ $suffix == _sse ]] || echo _fma)

build_stream() {
    if [[ -z $stream_source ]]; then
        stream_source=$work/stream.c
        curl -fsSL --max-time 60 -o "$stream_source" https://www.cs.virginia.edu/stream/FTP/Code/stream.c || { stream_source=; return 0; }
    fi
    local elems=$1
    # Loops must not become calls of memcpy, which stores large arrays past the caches.
    cc -O3 -march=native -mprefer-vector-width=$width -fno-tree-loop-distribute-patterns -fopenmp -mcmodel=medium \
        -DSTREAM_ARRAY_SIZE="$elems" -DNTIMES=6 "$stream_source" -o "$work/stream" || echo "ceilings.sh: STREAM was not compiled" >&2
}

# record PEER THREADS LEVEL KERNEL VALUE
record() { printf '%s %s %s %s %s\n' "$1" "$2" "$3" "$4" "$5" >>"$work/figures"; }

run_tcplan() {
    local threads=$1
    on_cores "$threads" "$tcplan" roofline --quick --small-pages --threads "$threads" --quiet --format csv >"$work/ours.csv"
    awk -F, -v threads="$threads" -v width=$width '
        $1 == "bandwidth" && $6 == threads && !($2 == "load" && $3 == "DRAM") { print "tcplan", threads, $3, $2, $8 }
        $1 == "sweep" && $2 == "load" && $6 == threads && $14 + 0 >= set { set = $14 + 0; rate = $8 }
        END { if (set) print "tcplan", threads, "DRAM", "load", rate }
        $1 == "compute" && $2 == "fma" && $6 == threads && $5 >= 256 { print "tcplan", threads, "registers", "fma-" $4 "-" $5, $8 }
    ' "$work/ours.csv" >>"$work/figures"
    # The total working sets of all threads, by level.
    awk -F, -v threads="$threads" '$1 == "bandwidth" && $6 == threads { print $3, $14 * threads }' "$work/ours.csv" | sort -u >"$work/sets"
}

# likwid THREADS KERNEL BYTES ITERATIONS LINE: the best of three figures of likwid-bench, in millions.
likwid() {
    for _ in 1 2 3; do
        on_cores "$1" likwid-bench -t "$2" -W "N:$(($3 / 1000))kB:$1" -i "$4" 2>/dev/null
    done | awk -v line="$5" '$1 == line && $2 > best { best = $2 } END { if (best > 0) print best / 1000 }'
}

run_likwid() {
    [[ -n $has_likwid ]] || return 0
    local threads=$1 level bytes iterations name kernel value
    while read -r level bytes; do
        iterations=$(awk -v bytes="$bytes" -v threads="$threads" 'BEGIN { n = 1e9 * threads / bytes; print (n < 3 ? 3 : n > 500000 ? 500000 : int(n)) }')
        for name in load store copy triad update axpy triad_nt; do
            case $name in
                triad) kernel=stream$suffix$fma ;;
                triad_nt) kernel=stream_mem$suffix ;;
                axpy) kernel=daxpy$suffix$fma ;;
                *) kernel=$name$suffix ;;
            esac
            # Stores past the caches are measured in memory only. likwid's update does not multiply, which matters in the first cache only.
            [[ $name == triad_nt && $level != DRAM ]] && continue
            [[ $name == update && $level == L1 ]] && continue
            value=$(likwid "$threads" "$kernel" "$bytes" "$iterations" MByte/s:)
            [[ -z $value ]] || record likwid "$threads" "$level" "$name" "$value"
        done
    done <"$work/sets"
    local first
    first=$(awk '$1 == "L1" { print $2 }' "$work/sets")
    for kernel in d-256:peakflops_avx_fma s-256:peakflops_sp_avx_fma d-512:peakflops_avx512_fma s-512:peakflops_sp_avx512_fma; do
        [[ $kernel == ?-512* && $width != 512 || $width == 128 ]] && continue
        value=$(likwid "$threads" "${kernel#*:}" "$first" 20000 MFlops/s:)
        [[ -z $value ]] || record likwid "$threads" registers "fma-${kernel%%:*}" "$value"
    done
}

run_stream() {
    [[ -x $work/stream ]] || return 0
    OMP_NUM_THREADS=$1 OMP_PROC_BIND=true on_cores "$1" "$work/stream" | awk -v threads="$1" '
        $1 == "Copy:" { print "STREAM", threads, "DRAM copy", $2 / 1000 }
        $1 == "Triad:" { print "STREAM", threads, "DRAM triad", $2 / 1000 }' >>"$work/figures"
}

for threads in $threads_list; do
    for ((round = 0; round < rounds; round++)); do
        printf 'ceilings.sh: %s thread%s, round %d of %d\n' "$threads" "$([[ $threads == 1 ]] || echo s)" $((round + 1)) "$rounds" >&2
        run_tcplan "$threads"
        [[ -e $work/built ]] || { build_stream $(($(awk '$1 == "DRAM" { print $2 }' "$work/sets") / 24)); touch "$work/built"; }
        run_likwid "$threads"
        run_stream "$threads"
    done
done
[[ -x $work/stream ]] || echo "ceilings.sh: STREAM was not run: its source cannot be fetched, or is not compiled; --stream FILE names it" >&2
[[ -n $has_likwid || -x $work/stream ]] || die "there is no peer: neither likwid-bench nor STREAM"

sort -k1,4 -k5,5g "$work/figures" | awk '
    { key = $2 " " $3 " " $4; name = $1 " " key; value[name, ++count[name]] = $5; keys[key] = 1 }
    END {
        for (key in keys) {
            ours = "tcplan " key
            for (p = 1; p <= 2; p++) {
                peer = (p == 1 ? "likwid" : "STREAM")
                if (!((peer " " key) in count) || !(ours in count)) continue
                split(key, part, " ")
                its = value[peer " " key, count[peer " " key]] # the best: figures are sorted
                ratio = value[ours, count[ours]] / its
                printf "%s\t%s\t%s\t%.4g\t%s\t%.4g\t%.3f\t%s\n", part[1], part[2], part[3], value[ours, count[ours]], peer == "likwid" ? "likwid-bench" : peer,
                    its, ratio, (ratio < 0.9 || ratio > 1.1 ? "beyond 10 %" : "")
            }
        }
    }' | sort -t "$(printf '\t')" -k1,1n -k2,2 -k3,3 >"$work/table"
awk -F '\t' '
    BEGIN { printf "%7s  %-9s  %-9s  %9s  %-12s  %9s  %s\n", "threads", "level", "kernel", "tcplan", "peer", "its", "tcplan/its" }
    { printf "%7s  %-9s  %-9s  %9s  %-12s  %9s  %s%s\n", $1, $2, $3, $4, $5, $6, $7, $8 == "" ? "" : "  " $8; total++; beyond += $8 != "" }
    END {
        printf "\nGB/s; fma: GFLOP/s. %d of %d ratios within 10 %%.\n", total - beyond, total
        printf "verdict: %s\n", (total == 0 ? "nothing was compared" : beyond > 0 ? "not met" : "met")
        exit (total == 0 || beyond > 0)
    }' "$work/table"
