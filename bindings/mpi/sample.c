/*
 * tcplan-mpi-sample: measures MPI's calls under mpirun and stores their times, so that
 * `tcplan rank --processes` predicts with them and needs no MPI.
 *
 * All groups of a size communicate at the same time, as the groups of an algorithm do. A sample is
 * the time of the slowest rank. All configurations run in every round, in random order, so that
 * other load does not affect some of them alone. Samples of sizes between powers of two are not
 * used for predictions, but only to compute their errors.
 *
 * With ScaLAPACK, the communication of pdgemm is measured as the time of a product of STEPS panels
 * on a grid that is nearly square, less the time of the product of a rank's blocks, divided by
 * STEPS. That of pdgemr2d is the time of a product of one panel of which A is moved before.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tcplan/communication.h"
#include "tcplan/machine.h"
#ifdef TCPLAN_SCALAPACK
#include "tcplan/mpi.h"
#endif
#include "tcplan/plan.h"
#include "tcplan/planner.h"
#include "tcplan/product.h"
#include "tcplan/store.h"

enum {
    MOST_GROUPS = 32,
    MOST_CONFIGURATIONS = 2048,
    LEAST_ROUNDS = 3,
    MOST_ROUNDS = 25,
    MOST_REPEATS = 32,
    LEAST_BYTES = 64,
    SIZES = 19, /* number of sizes, up to 16 MiB */
    DGEMM_EXTENT = 256,
    ROOT = 0,
    PANEL = 32, /* contracted elements that pdgemm multiplies at once */
    STEPS = 8,
    LEAST_EXTENT = 128, /* smallest extent of a product by pdgemm */
    MOST_EXTENT = 1024
};

/* Minimum time of a panel. Other load can make the difference of two times smaller than this, or
 * negative. */
#define LEAST_SECONDS 1e-7

/** Ranks that communicate with each other. */
struct group {
    bool between;
    int ranks;
    MPI_Comm comm; /* communicator of the group; MPI_COMM_NULL: this rank is idle */
};

/** A configuration to measure: a call, its group and its size. */
struct configuration {
    int group;
    enum tcplan_collective call;
    int64_t bytes;
    bool checks;
    int rounds;
    double seconds[MOST_ROUNDS];
    struct tcplan_mpi_plan *pdgemm; /* the product to execute; NULL: another call, or an idle rank
                                     */
    struct tcplan_plan *local;      /* the product of this rank's blocks; NULL: it takes no time */
};

/** A run of the program. */
struct run {
    int rank, processes, node_rank, node_ranks, nodes;
    MPI_Comm node;
    int group_count, configuration_count;
    struct group group[MOST_GROUPS];
    struct configuration *configuration;
    char *from, *to;
    int *counts, *displacements;
    struct tcplan_plan *dgemm;
    double limit_seconds;
    bool once;
};

/* Groups. */

static void add_group(struct run *run, bool between, int ranks, MPI_Comm of) {
    struct group *group = &run->group[run->group_count];
    int rank = 0, size = 1, color = MPI_UNDEFINED;
    if (run->group_count == MOST_GROUPS) return;
    MPI_Comm_rank(of, &rank);
    MPI_Comm_size(of, &size);
    if (rank / ranks < size / ranks) color = rank / ranks;
    *group = (struct group){.between = between, .ranks = ranks};
    MPI_Comm_split(of, color, rank, &group->comm);
    run->group_count++;
}

/** Adds groups of 2, 4, ... and all ranks of a communicator; `most` is the same on all ranks. */
static void add_groups(struct run *run, bool between, int most, MPI_Comm of) {
    for (int ranks = 2; ranks < most; ranks *= 2) add_group(run, between, ranks, of);
    if (most > 1) add_group(run, between, most, of);
}

static void find_groups(struct run *run) {
    MPI_Comm across;
    int least, is_first;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, run->rank, MPI_INFO_NULL, &run->node);
    MPI_Comm_rank(run->node, &run->node_rank);
    MPI_Comm_size(run->node, &run->node_ranks);
    is_first = run->node_rank == 0;
    MPI_Allreduce(&is_first, &run->nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&run->node_ranks, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    add_groups(run, false, least, run->node);
    if (run->nodes == 1) return;
    MPI_Comm_split(MPI_COMM_WORLD, run->node_rank < least ? run->node_rank : MPI_UNDEFINED,
                   run->rank, &across);
    if (across == MPI_COMM_NULL)
        across =
            MPI_COMM_SELF; /* other nodes have fewer ranks, so this rank has no counterpart there */
    add_groups(run, true, run->nodes, across);
    if (least > 1) add_group(run, true, run->processes, MPI_COMM_WORLD);
    if (across != MPI_COMM_SELF) MPI_Comm_free(&across);
}

/* Calls. */

/** Returns the number of doubles in each rank's part if all parts together have `bytes` bytes. */
static int part_of(const struct run *run, int64_t bytes, int ranks) {
    const int part = (int)(bytes / (int64_t)sizeof(double) / ranks);
    for (int r = 0; r < ranks; r++) {
        run->counts[r] = part;
        run->displacements[r] = r * part;
    }
    return part;
}

static void send(const struct run *run, MPI_Comm comm, int count) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) MPI_Send(run->from, count, MPI_DOUBLE, 1, 0, comm);
    if (rank == 1) MPI_Recv(run->to, count, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
}

static void multiply(const struct run *run, const struct configuration *configuration) {
#ifdef TCPLAN_SCALAPACK
    tcplan_mpi_plan_execute(configuration->pdgemm, run->from, run->from, run->to, NULL);
#else
    (void)run;
    (void)configuration;
#endif
}

static void call_once(struct run *run, const struct configuration *configuration) {
    const struct group *group = &run->group[configuration->group];
    const int64_t bytes = configuration->bytes;
    const int count = (int)(bytes / (int64_t)sizeof(double)), ranks = group->ranks;
    MPI_Comm comm = group->comm;
    int me = 0;
    switch (configuration->call) {
    case TCPLAN_ALLGATHERV:
        part_of(run, bytes, ranks);
        MPI_Comm_rank(comm, &me);
        MPI_Allgatherv(run->from, run->counts[me], MPI_DOUBLE, run->to, run->counts,
                       run->displacements, MPI_DOUBLE, comm);
        break;
    case TCPLAN_ALLTOALLV:
        part_of(run, bytes, ranks);
        MPI_Alltoallv(run->from, run->counts, run->displacements, MPI_DOUBLE, run->to, run->counts,
                      run->displacements, MPI_DOUBLE, comm);
        break;
    case TCPLAN_REDUCE_SCATTER:
        part_of(run, bytes, ranks);
        MPI_Reduce_scatter(run->from, run->to, run->counts, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case TCPLAN_ALLREDUCE:
        MPI_Allreduce(MPI_IN_PLACE, run->to, count, MPI_DOUBLE, MPI_MAX, comm);
        break;
    case TCPLAN_BCAST: MPI_Bcast(run->to, count, MPI_DOUBLE, ROOT, comm); break;
    case TCPLAN_SEND: send(run, comm, count); break;
    case TCPLAN_COPY: memcpy(run->to, run->from, (size_t)bytes); break;
    case TCPLAN_DGEMM: tcplan_plan_execute(run->dgemm, run->from, run->from, run->to, NULL); break;
    case TCPLAN_PDGEMR2D:
    case TCPLAN_PDGEMM: multiply(run, configuration); break;
    case TCPLAN_COMMUNICATION_CALLS: break;
    }
}

/** Returns whether this rank takes part in a configuration. In copies and products, the first ranks
 * of a node take part. */
static bool takes_part(const struct run *run, const struct configuration *configuration) {
    const struct group *group = &run->group[configuration->group];
    if (configuration->call == TCPLAN_COPY || configuration->call == TCPLAN_DGEMM)
        return run->node_rank < group->ranks;
    return group->comm != MPI_COMM_NULL;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/** Returns the median time of consecutive executions of a call, or of the product of this rank's
 * blocks, for each of which the time of the slowest rank counts. */
static double median_of(struct run *run, struct configuration *configuration, bool is_local) {
    double mine[MOST_REPEATS] = {0}, slowest[MOST_REPEATS];
    const bool is_long = configuration->bytes >= 1 << 20;
    const int repeats = run->once                         ? 1
                        : is_long                         ? 3
                        : configuration->bytes >= 1 << 16 ? 9
                                                          : MOST_REPEATS;
    const bool active = takes_part(run, configuration);
    for (int c = -1; c < repeats; c++) { /* the first call warms up */
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (active && !is_local) call_once(run, configuration);
        if (active && is_local)
            tcplan_plan_execute(configuration->local, run->from, run->from, run->to, NULL);
        if (active && c >= 0) mine[c] = MPI_Wtime() - begin;
    }
    MPI_Allreduce(mine, slowest, repeats, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    qsort(slowest, (size_t)repeats, sizeof *slowest, compare);
    return slowest[repeats / 2];
}

/** Adds a sample. */
static void measure(struct run *run, struct configuration *configuration) {
    double seconds = median_of(run, configuration, false);
    if (configuration->call == TCPLAN_PDGEMM) {
        seconds -= median_of(run, configuration, true);
        seconds = (seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS) / STEPS;
    }
    if (seconds > 0) configuration->seconds[configuration->rounds++] = seconds;
}

/* Configurations. */

static void add(struct run *run, int group, enum tcplan_collective call, int64_t bytes,
                bool checks) {
    const struct configuration added = {
        .group = group, .call = call, .bytes = bytes, .checks = checks};
    if (run->configuration_count < MOST_CONFIGURATIONS)
        run->configuration[run->configuration_count++] = added;
}

/** Adds all calls of a group for a size, if the ranks' parts are not empty; for a group of one
 * rank, only copies. */
static void add_calls(struct run *run, int group, int64_t bytes, bool checks) {
    const struct group *of = &run->group[group];
    if (bytes < of->ranks * (int64_t)sizeof(double)) return;
    for (int call = 0; call < TCPLAN_COLLECTIVES && of->ranks > 1; call++)
        add(run, group, (enum tcplan_collective)call, bytes, checks);
    if (of->ranks == 2) add(run, group, TCPLAN_SEND, bytes, checks);
    if (!of->between) add(run, group, TCPLAN_COPY, bytes, checks);
}

#ifdef TCPLAN_SCALAPACK
/** Adds the last configuration of the list if all ranks of the group have planned its product;
 * frees it otherwise. */
static void add_product(struct run *run, int group, enum tcplan_collective call, int64_t bytes,
                        bool checks, const char *sizes, const char *local_sizes,
                        const struct tcplan_mpi_options *options) {
    struct configuration *added = &run->configuration[run->configuration_count];
    struct tcplan_product *product = NULL;
    struct tcplan_planner *planner = NULL;
    int ready = 1;
    add(run, group, call, bytes, checks);
    if (run->group[group].comm != MPI_COMM_NULL) {
        ready =
            tcplan_mpi_plan_new(&added->pdgemm, run->group[group].comm, "C_ab=A_ai*B_ib", sizes,
                                TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, options, NULL) == TCPLAN_OK &&
            tcplan_planner_new(&planner, NULL) == TCPLAN_OK &&
            tcplan_product_parse(&product, "C_ab=A_ai*B_ib", local_sizes, NULL, TCPLAN_DOUBLE,
                                 TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK &&
            tcplan_plan_named(&added->local, planner, product, "dgemm", NULL) == TCPLAN_OK;
        tcplan_product_free(product);
        tcplan_planner_free(planner);
    }
    MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (ready) return;
    tcplan_mpi_plan_free(added->pdgemm);
    tcplan_plan_free(added->local);
    run->configuration_count--;
}

/** Adds products by ScaLAPACK of one extent on the ranks of a group. */
static void add_products(struct run *run, int group, int extent, bool checks) {
    const int ranks = run->group[group].ranks;
    int rows = 1;
    for (int r = 1; r * r <= ranks; r++) rows = ranks % r == 0 ? r : rows;
    const int columns = ranks / rows, height = extent / rows, width = extent / columns;
    char sizes[64], local[64], line[16], name[40], layout[40];
    struct tcplan_mpi_options options = {.size = sizeof options, .algorithm = name};
    if (run->configuration_count + 2 > MOST_CONFIGURATIONS || height < 1 || width < 1) return;
    snprintf(name, sizeof name, "pdgemm:%dx%d/%d", rows, columns, PANEL);
    snprintf(sizes, sizeof sizes, "a=b=%d,i=%d", extent, PANEL * STEPS);
    snprintf(local, sizeof local, "a=%d,b=%d,i=%d", height, width, PANEL * STEPS);
    const int received = height - height / columns + width - width / rows;
    add_product(run, group, TCPLAN_PDGEMM, (int64_t)PANEL * received * (int64_t)sizeof(double),
                checks, sizes, local, &options);
    snprintf(line, sizeof line, "%d", ranks);
    options.grid = line;
    const int64_t part = (int64_t)extent * extent / 8;
    snprintf(sizes, sizeof sizes, "a=%lld,b=1,i=%d", (long long)part * ranks / PANEL, PANEL);
    snprintf(layout, sizeof layout, "A=a:0/%lld", (long long)part / PANEL);
    options.distribute = layout;
    add_product(run, group, TCPLAN_PDGEMR2D, part * (int64_t)sizeof(double), checks, sizes,
                "a=b=i=1", &options);
}

/** Adds products by ScaLAPACK on all groups. */
static void list_products(struct run *run) {
    for (int g = 0; g < run->group_count; g++) {
        for (int extent = LEAST_EXTENT; extent <= MOST_EXTENT; extent *= 2) {
            add_products(run, g, extent, false);
            if (extent < MOST_EXTENT) add_products(run, g, extent + extent / 2, true);
        }
    }
}
#endif

static void list_configurations(struct run *run) {
    const int64_t dgemm_bytes = (int64_t)DGEMM_EXTENT * DGEMM_EXTENT * (int64_t)sizeof(double);
    const int alone = run->group_count; /* number of a group of one rank, for copies and products */
    run->group[alone] = (struct group){.ranks = 1, .comm = MPI_COMM_NULL};
    for (int g = 0; g <= alone; g++) {
        const bool between = run->group[g].between;
        if (!between) add(run, g, TCPLAN_DGEMM, dgemm_bytes, false);
        for (int s = 0; s < SIZES; s++) {
            const int64_t bytes = (int64_t)LEAST_BYTES << s;
            add_calls(run, g, bytes, false);
            if (s % 2 == 1 && s + 1 < SIZES) add_calls(run, g, bytes + bytes / 2, true);
        }
    }
}

static void shuffle(struct run *run, int order[], uint64_t *state) {
    for (int c = 0; c < run->configuration_count; c++) order[c] = c;
    for (int c = run->configuration_count - 1; c > 0; c--) {
        *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
        const int other = (int)(*state >> 33) % (c + 1), swapped = order[c];
        order[c] = order[other];
        order[other] = swapped;
    }
}

static void measure_all(struct run *run) {
    int *order = malloc((size_t)run->configuration_count * sizeof *order);
    uint64_t state = 1;
    int goes_on = order != NULL;
    const double begin = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &goes_on, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (int round = 0; round < MOST_ROUNDS && goes_on; round++) {
        shuffle(run, order, &state);
        for (int c = 0; c < run->configuration_count; c++)
            measure(run, &run->configuration[order[c]]);
        const double spent = MPI_Wtime() - begin;
        goes_on = !run->once &&
                  (round + 1 < LEAST_ROUNDS || spent + spent / (round + 1) < run->limit_seconds);
        MPI_Bcast(&goes_on, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
    }
    free(order);
}

/* Results. */

static void print_model(const struct run *run, FILE *file) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    fprintf(file, "# %s, %d rank%s on %d node%s\n", version, run->processes,
            run->processes == 1 ? "" : "s", run->nodes, run->nodes == 1 ? "" : "s");
    for (int c = 0; c < run->configuration_count; c++) {
        const struct configuration *of = &run->configuration[c];
        if (of->rounds == 0) continue;
        fprintf(file, "%s%s %s %d %lld", of->checks ? "check " : "",
                run->group[of->group].between ? "between" : "within",
                tcplan_collective_name(of->call), run->group[of->group].ranks,
                (long long)of->bytes);
        for (int r = 0; r < of->rounds; r++) fprintf(file, " %.4g", of->seconds[r]);
        fprintf(file, "\n");
    }
}

/** Prints how well the model predicts the sizes that it did not use. */
static void print_errors(const struct tcplan_communication *model) {
    fprintf(stderr, "%-20s %6s %13s %13s\n", "call", "sizes", "median error", "largest error");
    for (int call = 0; call <= TCPLAN_COMMUNICATION_CALLS; call++) {
        const struct tcplan_communication_error error =
            tcplan_communication_check(model, (enum tcplan_collective)call);
        if (error.count == 0) continue;
        fprintf(stderr, "%-20s %6d %11.1f %% %11.1f %%\n",
                call < TCPLAN_COMMUNICATION_CALLS
                    ? tcplan_collective_name((enum tcplan_collective)call)
                    : "all",
                error.count, 100 * error.median, 100 * error.largest);
    }
    const double eager = tcplan_communication_eager_bytes(model, false);
    if (eager > 0)
        fprintf(stderr,
                "MPI_Send sends messages of up to %.0f bytes at once; for larger ones it "
                "first asks the receiver\n",
                eager);
}

static enum tcplan_status store_model(struct tcplan_communication *model,
                                      struct tcplan_error *error) {
    struct tcplan_machine machine;
    char *folder = tcplan_store_folder(getenv);
    enum tcplan_status status = tcplan_machine_load(&machine, "live", error);
    if (status == TCPLAN_OK && folder && *folder) {
        const struct tcplan_store store = {.folder = folder,
                                           .fingerprint = tcplan_fingerprint_make(&machine)};
        status = tcplan_store_keep_communication(&store, model, error);
        if (status == TCPLAN_OK)
            fprintf(stderr, "stored; `tcplan rank --processes N` uses the times, `tcplan store "
                            "show communication` prints them\n");
    }
    free(folder);
    return status;
}

/** Writes the model, compares it with its checks, and stores it; returns the exit status of the
 * program. */
static int finish(const struct run *run, const char *path) {
    struct tcplan_communication *model = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (memory) print_model(run, memory);
    if (!memory || fclose(memory) != 0) {
        fprintf(stderr, "tcplan-mpi-sample: out of memory\n");
        return 1;
    }
    FILE *file = !path ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    bool failed = path && (!file || fputs(text, file) < 0);
    if (file && file != stdout) failed = fclose(file) != 0 || failed;
    if (failed) fprintf(stderr, "tcplan-mpi-sample: cannot write %s\n", path);
    enum tcplan_status status = tcplan_communication_parse(&model, text, &error);
    if (status == TCPLAN_OK) print_errors(model);
    /* A simulated network is not that of this machine, so its times are not stored. */
    if (status == TCPLAN_OK && !run->once) status = store_model(model, &error);
    if (status != TCPLAN_OK) fprintf(stderr, "tcplan-mpi-sample: %s\n", error.message);
    tcplan_communication_free(model);
    free(text);
    return failed || status != TCPLAN_OK;
}

/* The program. */

static enum tcplan_status make_dgemm(struct run *run, struct tcplan_error *error) {
    struct tcplan_planner *planner = NULL;
    struct tcplan_product *product = NULL;
    char sizes[64];
    snprintf(sizes, sizeof sizes, "a=b=i=%d", DGEMM_EXTENT);
    enum tcplan_status status = tcplan_product_parse(&product, "C_ab=A_ai*B_ib", sizes, NULL,
                                                     TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, error);
    if (status == TCPLAN_OK) status = tcplan_planner_new(&planner, error);
    if (status == TCPLAN_OK)
        status = tcplan_plan_named(&run->dgemm, planner, product, "dgemm", error);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    return status;
}

/** Allocates all memory; returns false on all ranks if memory runs out on one of them. */
static bool prepare(struct run *run) {
    const size_t bytes = (size_t)LEAST_BYTES << (SIZES - 1);
    struct tcplan_error error = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->processes);
    run->configuration = calloc(MOST_CONFIGURATIONS, sizeof *run->configuration);
    run->counts = calloc((size_t)run->processes, sizeof *run->counts);
    run->displacements = calloc((size_t)run->processes, sizeof *run->displacements);
    run->from = malloc(bytes);
    run->to = malloc(bytes);
    int ready = run->configuration && run->counts && run->displacements && run->from && run->to &&
                make_dgemm(run, &error) == TCPLAN_OK;
    if (ready) memset(run->from, 0, bytes);
    if (ready) memset(run->to, 0, bytes);
    MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return ready;
}

static void free_groups(struct run *run) {
    for (int c = 0; c < run->configuration_count; c++) {
#ifdef TCPLAN_SCALAPACK
        tcplan_mpi_plan_free(run->configuration[c].pdgemm);
#endif
        tcplan_plan_free(run->configuration[c].local);
    }
    for (int g = 0; g < run->group_count; g++) {
        if (run->group[g].comm != MPI_COMM_NULL) MPI_Comm_free(&run->group[g].comm);
    }
}

static void release(struct run *run) {
    tcplan_plan_free(run->dgemm);
    free(run->configuration);
    free(run->counts);
    free(run->displacements);
    free(run->from);
    free(run->to);
}

static int sample(struct run *run) {
    if (!prepare(run)) {
        if (run->rank == 0) fprintf(stderr, "tcplan-mpi-sample: a rank ran out of memory\n");
        return 1;
    }
    if (run->processes == 1) {
        fprintf(stderr, "tcplan-mpi-sample needs 2 ranks or more: mpirun -n 2 tcplan-mpi-sample\n");
        return 1;
    }
    find_groups(run);
    list_configurations(run);
#ifdef TCPLAN_SCALAPACK
    list_products(run);
#endif
    measure_all(run);
    return 0;
}

static const char usage[] =
    "usage: mpirun -n RANKS tcplan-mpi-sample [--time-limit SECONDS] [--once] [-o "
    "FILE]\n\nMeasures MPI calls with 2, 4, ... ranks within a node and between nodes, and stores "
    "the\ntimes for `tcplan rank --processes`. Start one rank on each core that programs will "
    "use.\n\n  --time-limit SECONDS  begin no new round after this time (default 20)\n  "
    "--once                time each call once, after a warm-up, and store nothing: for "
    "simulators of MPI\n  -o, "
    "--output FILE     also write the times to FILE (- for stdout), for --communication\n";

int main(int argc, char **argv) {
    struct run run = {.limit_seconds = 20};
    const char *path = NULL;
    int status = 0, a = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    for (; a < argc; a++) {
        const char *value = a + 1 < argc ? argv[a + 1] : NULL;
        char *end = NULL;
        if (strcmp(argv[a], "--once") == 0) {
            run.once = true;
        } else if (value && strcmp(argv[a], "--time-limit") == 0) {
            run.limit_seconds = strtod(value, &end);
            if (*end || !(run.limit_seconds > 0)) break;
            a++;
        } else if (value && (strcmp(argv[a], "-o") == 0 || strcmp(argv[a], "--output") == 0)) {
            path = value;
            a++;
        } else {
            break;
        }
    }
    if (a < argc) {
        const bool helps = strcmp(argv[a], "--help") == 0 || strcmp(argv[a], "-h") == 0;
        if (run.rank == 0) fputs(usage, helps ? stdout : stderr);
        status = helps ? 0 : 2;
    } else {
        status = sample(&run);
    }
    const bool has_model = status == 0 && a >= argc && run.rank == 0;
    free_groups(&run);
    MPI_Finalize(); /* called before the model is made, so that no rank waits actively for rank 0 */
    if (has_model) status = finish(&run, path);
    release(&run);
    return status;
}
