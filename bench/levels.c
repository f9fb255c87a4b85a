/**
 * Compares the levels of the memory found by the sweep of loads with the knees of a random pointer
 * chase: an independent measure.
 *
 * A step of the chase needs the address that the one before it loaded, and lines are visited in a
 * random order, which no prefetcher can predict. The time of a step in a working set is a latency,
 * which is constant as long as one level holds the set. The knee is half-way between two
 * latencies, on a logarithmic scale. The chase runs on huge pages and on small ones, whose address
 * translation takes additional time.
 *
 * usage: bench_levels [--seconds N] [--max-memory MIB] [--growth F] [--latencies]
 *
 * Prints the capacities and the knees, and their ratios. The exit status is 1 if a ratio on huge
 * pages exceeds 1.5.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/timing/clock.h"
#include "roofline/ceilings/levels.h"
#include "roofline/ceilings/sweep.h"
#include "roofline/timing/summary.h"

#define WITHIN 1.5

enum {
    LINE = 64,
    SIZES_MOST = 200,
    WINDOWS = 5,
    ROUNDS = 3,
    STEPS = 20000,
    FIRST_BYTES = 4096,
    MIB = 1 << 20
};

struct study {
    double seconds, growth;
    int64_t most_bytes;
    bool verbose; /* whether the latencies are also printed */
};

/** Links all lines to one random cycle (Sattolo's algorithm). */
static void link_lines(char *memory, int64_t lines, uint32_t *order) {
    uint64_t state = 88172645463325252U;
    for (int64_t l = 0; l < lines; l++) order[l] = (uint32_t)l;
    for (int64_t l = lines - 1; l > 0; l--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const int64_t other = (int64_t)(state % (uint64_t)l);
        const uint32_t swapped = order[l];
        order[l] = order[other];
        order[other] = swapped;
    }
    for (int64_t l = 0; l < lines; l++) {
        char *to = memory + (int64_t)order[(l + 1) % lines] * LINE;
        memcpy(memory + (int64_t)order[l] * LINE, &to, sizeof to);
    }
}

/** Returns the seconds of a step: the shortest of several windows, because other load only adds
 * time. The caller takes the shortest over its rounds. */
static double step_seconds(char *memory, int64_t lines) {
    char *volatile end;
    char *at = memory;
    double best = INFINITY;
    for (int64_t l = 0; l < lines && l < 10 * STEPS; l++) memcpy(&at, at, sizeof at);
    for (int w = 0; w < WINDOWS; w++) {
        const uint64_t start_ns = clock_now_ns();
        for (int s = 0; s < STEPS; s++) at = *(char *const *)(const void *)at;
        best = fmin(best, 1e-9 * (double)(clock_now_ns() - start_ns) / STEPS);
        end = at;
    }
    (void)end;
    return best;
}

/** Finds the plateaus of the latencies, converted to rates of steps. */
static int find_knees(struct plateau out[LEVELS_MOST], const struct study *study,
                      struct workspace *workspace) {
    struct size_rate rate[SIZES_MOST] = {{0}};
    int most = 0;
    const uint64_t start_ns = clock_now_ns();
    uint32_t *order = malloc(workspace->bytes / LINE * sizeof *order);
    int count = 0;
    for (int round = 0; round < ROUNDS && order; round++) {
        count = 0;
        for (int64_t bytes = FIRST_BYTES; bytes <= (int64_t)workspace->bytes && count < SIZES_MOST;
             count++) {
            if (round > 0 && 1e-9 * (double)(clock_now_ns() - start_ns) > study->seconds) break;
            link_lines(workspace->region[0], bytes / LINE, order);
            rate[count].bytes = bytes;
            rate[count].rate =
                fmax(rate[count].rate, 1 / step_seconds(workspace->region[0], bytes / LINE));
            bytes = levels_next_size(bytes, study->growth, LINE);
        }
        most = count > most ? count : most;
    }
    for (int c = 0; c < most && study->verbose; c++)
        printf("%lld %.2f\n", (long long)rate[c].bytes, 1e9 / rate[c].rate);
    free(order);
    return levels_find(out, rate, most);
}

/** Returns the knee nearest to a size; 0 if none is within a factor of 4, because the latencies
 * below and above are then equal. */
static double nearest(const struct plateau knee[], int count, double bytes) {
    double found = 0;
    for (int k = 0; k + 1 < count; k++) {
        const double holds = (double)knee[k].holds_bytes;
        if (found == 0 || fabs(log(holds / bytes)) < fabs(log(found / bytes))) found = holds;
    }
    return fabs(log(found / bytes)) < log(4) ? found : 0;
}

static void print_knee(double knee, double sweep) {
    if (knee > 0) {
        printf("  %10.0f %6.2f", knee / 1024, sweep / knee);
    } else {
        printf("  %10s %6s", "-", "-");
    }
}

static int print(const struct tcplan_roofline *roofline, const struct plateau huge[],
                 int huge_count, const struct plateau small[], int small_count) {
    int beyond = 0;
    printf("KiB           reported       sweep  huge pages  ratio  small pages ratio\n");
    for (size_t l = 0; l < roofline->level_count; l++) {
        const struct tcplan_level *level = &roofline->level[l];
        const double sweep = (double)level->holds_bytes;
        if (sweep == 0) continue;
        const double knee = nearest(huge, huge_count, sweep), ratio = sweep / knee;
        const int64_t reported =
            level->cache >= 0 ? roofline->machine.cache[level->cache].size_bytes : 0;
        const bool near = knee > 0 && ratio < WITHIN && ratio > 1 / WITHIN;
        printf("%-8s %13lld %11.0f", *level->name ? level->name : "-", (long long)(reported / 1024),
               sweep / 1024);
        print_knee(knee, sweep);
        print_knee(nearest(small, small_count, sweep), sweep);
        printf("%s\n", near ? "" : "  beyond 1.5");
        beyond += !near;
    }
    return beyond;
}

static void print_plateaus(const char *what, const struct plateau plateau[], int count) {
    printf("%s:", what);
    for (int p = 0; p < count; p++)
        printf(" %.1f ns to %lld KiB%s", 1e9 / plateau[p].rate,
               (long long)(plateau[p].holds_bytes / 1024), p + 1 < count ? "," : "\n");
    if (count == 0) printf(" nothing is level\n");
}

static enum tcplan_status sweep(struct measuring *measuring, struct workspace *workspace,
                                struct tcplan_error *error) {
    double loaded;
    int64_t window;
    struct stream_work work = {.workspace = workspace, .loaded = &loaded, .window = &window};
    return sweep_measure(measuring, &work, 1, error);
}

static enum tcplan_status run(struct measuring *measuring, const struct study *study, int *beyond,
                              struct tcplan_error *error) {
    struct workspace huge_pages = {0}, small_pages = {0};
    struct plateau huge[LEVELS_MOST], small[LEVELS_MOST];
    enum tcplan_status status =
        workspace_new(&huge_pages, measuring->team, 1, (size_t)study->most_bytes + 4096, false,
                      (struct deadline){0}, error);
    if (status != TCPLAN_OK) return status;
    status = sweep(measuring, &huge_pages, error);
    const int huge_count = status == TCPLAN_OK ? find_knees(huge, study, &huge_pages) : 0;
    workspace_free(&huge_pages);
    if (status == TCPLAN_OK)
        status = workspace_new(&small_pages, measuring->team, 1, (size_t)study->most_bytes + 4096,
                               true, (struct deadline){0}, error);
    if (status != TCPLAN_OK) return status;
    const int small_count = find_knees(small, study, &small_pages);
    workspace_free(&small_pages);
    *beyond = print(measuring->roofline, huge, huge_count, small, small_count);
    print_plateaus("steps, huge pages", huge, huge_count);
    print_plateaus("steps, small pages", small, small_count);
    if (measuring->roofline->level_count == 0) *beyond = 1;
    return TCPLAN_OK;
}

static bool read_arguments(struct study *study, int count, char *const argument[]) {
    *study = (struct study){.seconds = 60, .growth = 1.15, .most_bytes = (int64_t)256 * MIB};
    if (count > 1 && strcmp(argument[count - 1], "--latencies") == 0) {
        study->verbose = true;
        count--;
    }
    if (count % 2 == 0) return false;
    for (int a = 1; a < count; a += 2) {
        if (strcmp(argument[a], "--seconds") == 0)
            study->seconds = atof(argument[a + 1]);
        else if (strcmp(argument[a], "--growth") == 0)
            study->growth = atof(argument[a + 1]);
        else if (strcmp(argument[a], "--max-memory") == 0)
            study->most_bytes = (int64_t)(MIB * atof(argument[a + 1]));
        else
            return false;
    }
    return count % 2 == 1 && study->seconds > 0 && study->growth > 1 && study->most_bytes >= MIB &&
           study->most_bytes <= (int64_t)4096 * MIB;
}

int main(int count, char *argument[]) {
    struct study study;
    struct tcplan_error error = {0};
    struct tcplan_roofline roofline = {0};
    struct measuring measuring = {.roofline = &roofline, .options = tcplan_roofline_defaults()};
    int beyond = 0;
    if (!read_arguments(&study, count, argument)) {
        fputs("usage: bench_levels [--seconds N] [--max-memory MIB] [--growth F] [--latencies]\n",
              stderr);
        return 2;
    }
    kernels_choose(measuring.set);
    enum tcplan_status status = tcplan_machine_load(&roofline.machine, "live", &error);
    if (status == TCPLAN_OK) status = team_new(&measuring.team, 1, NULL, &error);
    if (status == TCPLAN_OK) status = run(&measuring, &study, &beyond, &error);
    team_free(measuring.team);
    free(roofline.level);
    free(roofline.sweep);
    if (status != TCPLAN_OK) fprintf(stderr, "bench_levels: %s\n", error.message);
    return status != TCPLAN_OK ? 3 : beyond > 0;
}
