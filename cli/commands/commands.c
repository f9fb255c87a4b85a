#include "cli/commands/commands.h"

#include "cli/options/completion.h"
#include "cli/options/help.h"
#include "cli/shipped.h"

const struct command commands[] = {
    {"rank", COMMAND_RANK, "CONTRACTION --sizes SIZES [OPTIONS]",
     "rank the algorithms, fastest first, from short stretches of them",
     "  tcplan \"C_abc=A_ai*B_ibc\" --sizes a=400,b=400,c=400,i=8\n"
     "  tcplan rank \"C_abc=A_ai*B_ibc\" --sizes a=b=c=64:512:64,i=8 --format csv \\\n"
     "      -o sweep.csv\n"
     "  tcplan rank \"ai,ibc->abc\" --sizes a=b=c=400,i=8 --emit winner.c --with-main\n",
     FILE_NONE, NULL, cmd_rank, NULL,
     "Meant where the first argument is no command but a contraction. Algorithms that cannot win, because their kernel alone "
     "takes longer than the best prediction, are not predicted unless `--all` is given."},
    {"emit", COMMAND_EMIT, "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]",
     "write C for the fastest or for the named algorithm",
     "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 -o contract.c --with-main\n"
     "  tcplan emit \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm c-dgemm \\\n"
     "      --function multiply\n"
     "  tcplan emit \"E_ad=A_ab*B_bc*C_cd\" --sizes a=c=400,b=d=20 -o chain.c\n",
     FILE_NONE, NULL, cmd_emit, NULL,
     "A self-contained C file. With `--algorithm` nothing is timed. Of an expression of several tensors it is one function for the best order "
     "of its products, or for that of `--path`, with a pointer for each tensor; nothing is timed."},
    {"measure", COMMAND_MEASURE,
     "CONTRACTION --sizes SIZES [--top N | --algorithm NAME | --all] [OPTIONS]",
     "run algorithms for real; predicted beside measured",
     "  tcplan measure \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 --top 5\n"
     "  tcplan measure \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 --algorithm c-dgemm \\\n"
     "      --format json\n",
     FILE_NONE, NULL, cmd_measure, NULL,
     "Ranks, then runs the first algorithms (5 unless `--top`, `--algorithm` or `--all` say otherwise), and prints what was "
     "measured beside what was predicted. Of an expression of several tensors the best order of its products is run, or that of `--path`: "
     "the whole and each step."},
    {"compare", COMMAND_COMPARE, "CONTRACTION --sizes SIZES NAME NAME ... [OPTIONS]",
     "run algorithms in turns, and say which is faster by how much",
     "  tcplan compare \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 c-dgemm cb-dgemv\n"
     "  tcplan compare \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 \\\n"
     "      c-dgemm numpy numpy-best\n",
     FILE_NONE, NULL, cmd_compare, NULL,
     "Two to eight algorithms, as `list` names them, each run once in every round on the same arrays: whole ones, as programs have them. They are "
     "compared by the ratios of their times in the same rounds; `±` is half of a 95 % interval. Within two per cent they tie. There are rounds until "
     "every ratio is known to half a per cent, 64 of them at most, or the time is over. `numpy` is numpy.einsum and `numpy-best` that with "
     "optimize=True, in a python3 of their own, with as many BLAS threads."},
    {"explain", COMMAND_EXPLAIN, "CONTRACTION --sizes SIZES [--algorithm NAME] [OPTIONS]",
     "say why the fastest is faster than another, in words and numbers",
     "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8\n"
     "  tcplan explain \"C_abc=A_ai*B_ibc\" --sizes a=b=c=128,i=8 \\\n"
     "      --algorithm ca-dgemv --format json\n",
     FILE_NONE, NULL, cmd_explain, NULL,
     "The other one is named, or it is the fastest that is not tied with it (the second where all are). Both predicted times "
     "are taken apart: call overhead (the kernel with all extents 1, times the calls), the kernel itself (on the same operands "
     "again and again, less the overhead), copies and scalings, and the rest, which is waiting for operands and loops. For "
     "each operand of the kernel it is shown where it is found (L1 and so on, or memory), and how many cache lines and pages a "
     "call touches. Every number says whether it is predicted, measured, counted or analytic, that is computed from loop nest, "
     "sizes and cache sizes. Sentences name what decides. Only the predictor `window` explains."},
    {"advise", COMMAND_ADVISE, "CONTRACTION --sizes SIZES [--free NAMES] [--with FILE] [OPTIONS]",
     "say in which storage order of its tensors a contraction would be fastest",
     "  tcplan advise \"C_abc=A_ija*B_jbic\" --sizes a=b=c=80,i=20,j=30\n"
     "  tcplan advise \"C_abc=A_ija*B_jbic\" --sizes a=b=c=80,i=20,j=30 \\\n"
     "      --free A,C --conversion once --uses 100\n"
     "  tcplan advise --with program.txt --effort estimate\n",
     FILE_NONE, NULL, cmd_advise, NULL,
     "Storage orders of the tensors are searched by estimates; the best few and today's are then planned as `rank` does, unless the effort is `estimate`. "
     "Beside the predicted time stand what is gained over today's layouts and what copying the changed tensors takes, once each; "
     "`--conversion` says how often that is paid. "
     "With `--with` it is a whole program: the time is that of all its contractions, as often as each runs, and a tensor has one layout in all of them."},
    {"list", COMMAND_LIST, "CONTRACTION [--sizes SIZES] [OPTIONS]",
     "print every algorithm and its loop nest; nothing is timed",
     "  tcplan list \"C_abc=A_ai*B_ibc\"\n"
     "  tcplan list \"C_abc=A_ai*B_ibc\" --algorithm ca-dgemv\n"
     "  tcplan list \"C[row,col]=A[row,k]*B[k,col]\" --format xml \\\n"
     "      --sizes row=9,col=8,k=7\n",
     FILE_NONE, NULL, cmd_list, NULL,
     "Without sizes these are the algorithms of the space `blas`, as they are enumerated, however many there are. With one "
     "size for each index the candidates of the space `full` come first, by a model of caches: how many were generated and how "
     "many a bound removed is said before."},
    {"trace", COMMAND_TRACE, "CONTRACTION --sizes SIZES --algorithm NAME [OPTIONS]",
     "show access distances, prefetches and cache setups; nothing is timed",
     "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv\n"
     "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv \\\n"
     "      --machine \"l2:1(size=6MiB) core:1 pu:1\"\n",
     FILE_NONE, NULL, cmd_trace, NULL,
     "What the dissertation's method knows about one algorithm: for each operand of the kernel its size, the collection of "
     "what was touched since its last access, its access distance and, where the hardware is taken to prefetch it, its "
     "prefetch distance; then the classes of calls with the accesses that recreate the caches before each. Distances and sizes "
     "are in elements unless marked as bytes. In a setup `[n]` is an access to n elements of memory that belongs to no "
     "operand; an apostrophe marks an operand of which only one cache line along its first dimension is accessed. Setups "
     "longer than 5/4 of the last cache (see `--limit` and `--machine`) are cut there; those that only access the kernel's own "
     "operands are redundant, because every repetition does that for the next."},
    {"batch", COMMAND_BATCH, "LIBRARY ... [-o RESULTS] [OPTIONS]",
     "rank every contraction of libraries; interrupted, it goes on where it was",
     "  tcplan batch tccg.xml -o results.xml\n"
     "  tcplan batch ccsd.xml tensor-networks.xml --class small --measure \\\n"
     "      -o results.csv\n"
     "  tcplan batch tccg.xml --shard $SLURM_ARRAY_TASK_ID/8 \\\n"
     "      -o shard-$SLURM_ARRAY_TASK_ID.xml\n"
     "  echo \"ai,ibc->abc 64,8 8,64,64\" | tcplan batch -\n",
     FILE_INPUT, shipped_offer, cmd_batch, NULL,
     "Libraries are XML, plain lists or einsum lines; `-` is standard input. With `-o`, each result is kept in the file at "
     "once, and the same command repeats nothing; results of another version, machine or settings are refused. A contraction "
     "that fails is recorded with its reason, also where it kills the process that evaluates it: that is another one than the "
     "batch's, and is replaced. Libraries that come with tcplan are found by their names: `tccg`, `dissertation`, `ccsd`, "
     "`tensor-networks` and `attention`. While it times, a batch holds a lock that other batches and `measure` on the machine "
     "wait for."},
    {"merge", COMMAND_MERGE, "RESULTS.xml ... -o MERGED.xml [OPTIONS]",
     "join the results of shards", "  tcplan merge shard-*.xml -o results.xml\n", FILE_INPUT, NULL,
     cmd_merge, NULL, "Or those of other batches. What is there twice or missing is refused."},
    {"report", COMMAND_REPORT, "RESULTS.xml ... [-o FILE.html] [OPTIONS]",
     "summarise results of batches; write a page with tables and plots",
     "  tcplan report results.xml\n"
     "  tcplan report results.xml -o report.html\n"
     "  tcplan report skylake.xml zen.xml -o side_by_side.html\n",
     FILE_INPUT, NULL, cmd_report, NULL,
     "One file or up to eight side by side, which are matched contraction by contraction: a table of the first contractions, "
     "the share of gemm speed, how true the predictions and how good the choices were where something was measured, what "
     "planning cost, and what failed. The page needs no other file and no network."},
    {"portability", COMMAND_PORTABILITY, "RESULTS.xml ... [OPTIONS]",
     "compare results of several machines, BLAS libraries or numbers of threads",
     "  tcplan portability skylake.xml zen.xml\n"
     "  tcplan portability skylake.xml zen.xml --all \\\n"
     "      --ceilings skylake.tcplan --ceilings zen.tcplan\n",
     FILE_INPUT, NULL, cmd_portability, NULL,
     "For each contraction the share of the fastest algorithm on every platform, of what each platform chose for itself and of "
     "the one algorithm that is most portable, and the harmonic means over the platforms of these shares (application) and of "
     "the shares of what the platform can do (architectural): 0 where one platform does not support it."},
    {"machine", COMMAND_MACHINE, "[OPTIONS]",
     "say what this machine is: caches, clocks, timers, pages, other load, BLAS",
     "  tcplan machine\n"
     "  tcplan machine --format xml -o machine.xml\n"
     "  tcplan trace \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --algorithm ca-dgemv \\\n"
     "      --machine machine.xml\n",
     FILE_NONE, NULL, cmd_machine, NULL,
     "The core's clock is that of chains of dependent instructions: the time-stamp counter has a rate of its own. With "
     "`--format xml` the topology is stored with it, and the file is a machine for `--machine`."},
    {"roofline", COMMAND_ROOFLINE, "[CONTRACTION --sizes SIZES] [OPTIONS]",
     "measure this machine's ceilings, and place algorithms under them",
     "  tcplan roofline\n"
     "  tcplan roofline \"C_abc=A_ai*B_ibc\" --sizes a=b=c=400,i=8 --all --measure \\\n"
     "      --plot roofline.svg\n"
     "  tcplan roofline --kernel fft=1024,65536 --kernel daxpy=1000000 --plot -\n",
     FILE_NONE, NULL, cmd_roofline, NULL,
     "Floating-point operations per second by kind, precision, vector width and number of threads, the best gemm of the BLAS, "
     "and bytes per second by kind of access for each cache and memory. Figures are medians of timed windows with quartiles; "
     "windows in which a thread lost its core are dropped and counted; a figure above what the cores can do per cycle is left "
     "out and counted, and is an error at more than twice that. Ceilings are those of one thread, of the cores of a NUMA node and of a socket, and "
     "of `--threads` threads, without it of one on each core. They are measured once: kept (see `store`), and read the next time."},
    {"tune", COMMAND_TUNE, "dgemm | triad [OPTIONS]",
     "find with what dgemm or the triad of STREAM is fastest",
     "  tcplan tune dgemm\n"
     "  tcplan tune triad --max-memory 2G\n"
     "  tcplan tune dgemm --stops none --extents paper --interval normal\n",
     FILE_NONE, tune_offer, cmd_tune, NULL,
     "The autotuned roofline: every configuration is measured, no longer than it takes to know that it is not the best. Those of `dgemm` are the "
     "extents; of `triad` length of the vectors (in the last cache and in memory), number of threads, close to each other or spread, memory of their "
     "own NUMA nodes or of all in turn. Each invocation is a process of its own; one that dies or hangs is counted and left out, and a configuration "
     "that loses two of them with it. Rates stand beside the theoretical peak: clock, width and units of a core, and channels of the memory where "
     "the system or `--machine FILE.xml` tells them (`TcplanClockHz`, `TcplanFmaUnits`, `TcplanMemoryTransfers`, `TcplanMemoryChannels`)."},
    {"selftest", COMMAND_SELFTEST, "[OPTIONS]",
     "hold daxpy, dgemv and dgemm, cold and warm, against their bounds",
     "  tcplan selftest\n"
     "  tcplan selftest --counters simulated --format json\n",
     FILE_NONE, NULL, cmd_selftest, NULL,
     "Bounds are measured beside them; what is printed is measured over expected. Where the machine counts operations and bytes, or `--counters` "
     "says who does, these stand beside what is expected, too. Exit status 3 where a ratio does not hold or, beside other work, could not be tested: "
     "it stops where there is no undisturbed window."},
    {"sample", COMMAND_SAMPLE, "[FILE | -] [OPTIONS]",
     "time calls of BLAS and LAPACK routines that a script lists",
     "  echo 'dgemm N N 200 200 200 1 [40000] 200 [40000] 200 0 [40000] 200' \\\n"
     "      | tcplan sample\n"
     "  tcplan sample calls.sample --unit nanosecond\n"
     "  tcplan sample calls.sample --threads 4 --format csv -o samples.csv\n",
     FILE_INPUT, NULL, cmd_sample, NULL,
     "The Sampler of the dissertation (section 2.2.1). Each line of the script queues a call, by its Fortran name and arguments, or is a command; "
     "`go`, or the end, runs what is queued, and prints a line for each call: cycles, then what `set_counters` chose. See SCRIPTS."},
    {"experiment", COMMAND_EXPERIMENT, "run | report | script FILE.xml [OPTIONS]",
     "time calls over a range of sizes; metrics and plots of the samples",
     "  tcplan experiment run dgemm.xml -o dgemm-report.xml\n"
     "  tcplan experiment report dgemm-report.xml --metric gflops --plot dgemm.svg\n"
     "  tcplan experiment script dgemm.xml | tcplan sample -\n"
     "  tcplan experiment merge dgemm-report-*-of-4.xml -o dgemm-report.xml\n",
     FILE_NONE, NULL, NULL, experiment_actions,
     "An experiment says in XML which calls are timed, over which range, how often, in which order and on which memory. `run` adds every sample to a "
     "report as soon as it is there; interrupted, the same command goes on. `report` makes metrics and statistics of it. `script` prints what runs "
     "as input of `sample`. `merge` joins the reports of all shards."},
    {"model", COMMAND_MODEL,
     "[list | show | plot | export | import FILE | check] [WHICH ...] | generate KERNEL ... [OPTIONS]",
     "make, show, check and exchange performance models of routines",
     "  tcplan model\n"
     "  tcplan model show dgemm transA=N --sizes m=500,n=500,k=8\n"
     "  tcplan model plot dtrsm side=L uplo=L -o dtrsm.svg\n"
     "  tcplan model export dgemm -o models.xml\n"
     "  tcplan model generate dtrsm:side=L --time-limit 300\n"
     "  tcplan model check dtrsm --points 50\n",
     FILE_NONE, NULL, NULL, model_actions,
     "A model says how long a call of a routine takes, as polynomials in its sizes that were fitted to measured samples. WHICH is the name of a "
     "routine, arguments as `transA=N`, and `provider=openblas`, `threads=1`, `placement=warm`: models to which all of them apply. `show` prints "
     "pieces, and with `--sizes` what a model says there; `plot` draws one model over its samples, along the size that `--sizes` leaves out. "
     "`export` writes models as XML, `import` keeps those of such a file: of another machine or library with `--foreign` only. `generate` measures: "
     "a KERNEL is a routine, as `dtrsm`, for the cases that planning and blocked algorithms use, `dtrsm:side=L` for those of them with a value, or "
     "all of its flags, scalars (`-1`, `0`, `1`, `any`) and increments (`1`, `large`) for one case; `dpotf2:n=8:256` has a domain of its own. "
     "Samples are kept as they are taken: interrupted, the same command goes on. `check` measures random points that models were not fitted to, in "
     "two sessions, and says by how much the models err and the machine itself differs; it is of models of `--provider`, `--threads` and "
     "`--placement`."},
    {"blocked", COMMAND_BLOCKED,
     "[list [NAME] | trace | models | predict | rank | measure | emit | check | windows | cache NAME] [OPTIONS]",
     "list, predict, rank and time blocked algorithms; write them as C",
     "  tcplan blocked\n"
     "  tcplan blocked list potrf\n"
     "  tcplan blocked trace trtri_LN1 --n 800 --block 300\n"
     "  tcplan blocked models potrf --n 500:4000:500 --block 24:536:8\n"
     "  tcplan blocked predict potrf_L3 --n 4000 --block 128\n"
     "  tcplan blocked rank potrf --n 500:4000:500 --block 24:536:8\n"
     "  tcplan blocked rank potrf_L3 --n 500:4000:500 --block 24:536:8 --emit b.c\n"
     "  tcplan blocked measure potrf --n 1000 --block 128\n"
     "  tcplan blocked emit dpotrf_L3 -o cholesky.c\n"
     "  tcplan blocked check trtri --n 10:200:38 --block 8:64:8\n"
     "  tcplan blocked windows potrf --n 3000 --block 128 --measure\n"
     "  tcplan blocked cache geqrf --n 1568 --block 32 --level 2\n",
     FILE_NONE, NULL, NULL, blocked_actions,
     "A blocked algorithm is a loop over blocks, whose body are calls of BLAS and of unblocked routines. NAME is an operation, as `potrf_L` (`potrf` "
     "is the same), or one of its algorithms, as `potrf_L3`; with a letter of a type in front, as `dpotrf_L3`, of that type. `list` prints "
     "operations, or the steps of an operation's algorithms; `trace` the calls of one algorithm at sizes, with those that have nothing to do; `emit` "
     "writes one as a C function for any sizes; `check` holds results against LAPACK's on random matrices; `windows` ranks algorithms by stretches "
     "of their own calls, timed at random places; `cache` tells what times of calls by themselves are off by inside of an algorithm. `--algorithms` "
     "reads others from a file: docs/blocked.md says how they are written. From performance models of the routines (see `model`), without running "
     "anything, `predict` says what algorithms take, `rank` which is fastest with which block size; `models` which models that needs; `measure` runs "
     "them, and prints what was predicted beside. Models that are missing are made after asking, or with `--generate`."},
    {"store", COMMAND_STORE, "[list | show [NAME] | forget [NAME]] [OPTIONS]",
     "list, show or forget what is kept about this machine",
     "  tcplan store\n"
     "  tcplan store show ceilings\n"
     "  tcplan store forget --older 30\n",
     FILE_NONE, NULL, NULL, store_actions,
     "Entries are used where machine and libraries are those that they were made with; for others `list`, the default, says in what "
     "they differ. A NAME is that of an entry, or a kind, as `ceilings`. `forget` takes a name, `--older`, `--unusable` or `--all`."},
    {"plans", COMMAND_PLANS,
     "[list | show [NAME] | forget [NAME] | export [FILE] | import FILE] [OPTIONS]",
     "list, show, forget or exchange stored plans",
     "  tcplan plans\n"
     "  tcplan plans forget --older 90\n"
     "  tcplan plans export plans.tcplan\n"
     "  tcplan plans import plans.tcplan\n",
     FILE_NONE, NULL, NULL, plans_actions,
     "A stored plan is the algorithm that `rank`, `emit` or `measure` found to be the fastest of a product: for its extents, the shape of its strides, "
     "type, threads, machine and libraries, whatever its indices are called. `emit` takes it the next time, and says so; a ranking begins with it, "
     "and with those of extents that are near. A NAME is what `list` prints, or its first digits. `forget` takes a name, `--older`, `--unusable`, "
     "`--most` or `--all`. `import` adds what is new, or was found with more effort, and refuses what is damaged."},
    {"help", COMMAND_HELP, "[COMMAND | TOPIC] [--man | --schema]", "explain a command or a topic",
     "  tcplan help measure\n"
     "  tcplan help notation\n"
     "  tcplan help rank --man | man -l -\n",
     FILE_NONE, help_offer, cmd_help, NULL, NULL},
    {"completion", COMMAND_COMPLETION, "bash|zsh|fish",
     "print what makes a shell complete commands, options and their values",
     "  source <(tcplan completion bash)\n"
     "  tcplan completion zsh >~/.zfunc/_tcplan\n",
     FILE_NONE, completion_offer, cmd_completion, NULL, NULL},
    {0},
};

bool taker_next(struct taker *taker) {
    const struct command *command = taker->command ? taker->command : commands;
    const struct action *action = taker->action ? taker->action + 1 : command->actions;
    if (taker->command && !(action && action->name)) action = (++command)->actions;
    *taker = (struct taker){.command = command,
                            .action = action,
                            .bit = action ? action->bit : command->bit,
                            .role = action ? action->arguments_role : command->arguments_role,
                            .offer = action ? action->offer : command->offer};
    return command->name;
}

const struct command_group command_groups[] = {
    {"rank", "Planning (a bare contraction means rank)"},
    {"batch", "Libraries of contractions"},
    {"machine", "This machine"},
    {"sample", "Kernels and blocked algorithms"},
    {"store", "Stored data"},
    {"help", "Help"},
    {0},
};
