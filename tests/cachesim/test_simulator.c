#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "cachesim/reuse.h"
#include "cachesim/simulator.h"
#include "support/rng.h"

/* A simple model of a cache hierarchy: each set is a list of lines, most recently used first,
 * which is searched linearly. */

enum { MAX_WAYS = 64, MAX_SETS = 64, LINE_BYTES = 64 };

struct plain_set {
    int count;
    uint64_t line[MAX_WAYS];
    bool dirty[MAX_WAYS];
};

struct plain_level {
    int sets;
    int ways;
    struct plain_set set[MAX_SETS];
    struct simulator_counts counts;
};

struct plain {
    bool inclusive;
    int levels;
    struct plain_level level[3];
};

static bool plain_take(struct plain_level *level, uint64_t line, bool *dirty) {
    struct plain_set *set = &level->set[line % (uint64_t)level->sets];
    for (int w = 0; w < set->count; w++) {
        if (set->line[w] != line) continue;
        *dirty = set->dirty[w];
        for (set->count--; w < set->count; w++) {
            set->line[w] = set->line[w + 1];
            set->dirty[w] = set->dirty[w + 1];
        }
        return true;
    }
    return false;
}

static void plain_put(struct plain_level *level, uint64_t line, bool dirty) {
    struct plain_set *set = &level->set[line % (uint64_t)level->sets];
    for (int w = set->count++; w > 0; w--) {
        set->line[w] = set->line[w - 1];
        set->dirty[w] = set->dirty[w - 1];
    }
    set->line[0] = line;
    set->dirty[0] = dirty;
}

static void plain_write(struct plain *plain, int k, uint64_t line);

/** Evicts a line from level k if the set of `line` is full. */
static void plain_evict(struct plain *plain, int k, uint64_t line) {
    struct plain_level *level = &plain->level[k];
    struct plain_set *set = &level->set[line % (uint64_t)level->sets];
    if (set->count < level->ways) return;
    const uint64_t victim = set->line[set->count - 1];
    bool dirty = set->dirty[--set->count], inner_dirty = false;
    for (int inner = 0; plain->inclusive && inner < k; inner++) {
        bool found = false;
        if (!plain_take(&plain->level[inner], victim, &found)) continue;
        inner_dirty = inner_dirty || found;
        plain->level[inner].counts.invalidations++;
        plain->level[inner].counts.write_backs += inner_dirty;
    }
    if (!dirty && !inner_dirty) return;
    level->counts.write_backs++;
    if (k + 1 < plain->levels) plain_write(plain, k + 1, victim);
}

static void plain_write(struct plain *plain, int k, uint64_t line) {
    bool dirty;
    if (!plain_take(&plain->level[k], line, &dirty)) plain_evict(plain, k, line);
    plain_put(&plain->level[k], line, true);
}

static void plain_access(struct plain *plain, uint64_t line, bool write) {
    for (int k = 0; k < plain->levels; k++) {
        bool dirty = false;
        const bool hit = plain_take(&plain->level[k], line, &dirty);
        plain->level[k].counts.accesses++;
        if (!hit) {
            plain->level[k].counts.misses++;
            plain_evict(plain, k, line);
        }
        plain_put(&plain->level[k], line, dirty || (write && k == 0));
        if (hit) return;
    }
}

static void assert_same_counts(struct simulator_counts a, struct simulator_counts b) {
    assert_true(a.accesses == b.accesses && a.misses == b.misses);
    assert_true(a.write_backs == b.write_backs && a.invalidations == b.invalidations);
}

/** Draws a random hierarchy for the simulator and the simple model: outer levels are larger; one in
 * three is fully associative. */
static struct simulator_options random_hierarchy(struct plain *plain, uint64_t *rng) {
    struct simulator_options options = {.line_bytes = LINE_BYTES,
                                        .level_count = 1 + rng_below(rng, 3)};
    options.inclusive = plain->inclusive = rng_once_in(rng, 2);
    plain->levels = options.level_count;
    for (int k = 0; k < options.level_count; k++) {
        struct plain_level *level = &plain->level[k];
        const bool whole = rng_once_in(rng, 3);
        level->ways = whole ? 4 + 16 * k + rng_below(rng, 8) : 1 + rng_below(rng, 4) + 2 * k;
        level->sets = whole ? 1 : 1 + rng_below(rng, 4) + 4 * k;
        options.level[k].ways = whole ? 0 : level->ways;
        options.level[k].size_bytes = (int64_t)level->ways * level->sets * LINE_BYTES;
    }
    return options;
}

static void check_hierarchy(uint64_t seed) {
    static struct plain plain;
    uint64_t rng = seed;
    plain = (struct plain){0};
    const struct simulator_options options = random_hierarchy(&plain, &rng);
    struct simulator *simulator = simulator_new(&options);
    const int lines = 8 + rng_below(&rng, 120);
    assert_non_null(simulator);
    uint64_t line = 0;
    for (int i = 0; i < 2000; i++) {
        /* mostly accesses the next line and sometimes a random one, so that every level has hits */
        line =
            rng_once_in(&rng, 3) ? (uint64_t)rng_below(&rng, lines) : (line + 1) % (uint64_t)lines;
        const bool write = rng_once_in(&rng, 3);
        simulator_access(simulator, line * LINE_BYTES + (uint64_t)rng_below(&rng, LINE_BYTES),
                         write);
        plain_access(&plain, line, write);
    }
    for (int k = 0; k < options.level_count; k++)
        assert_same_counts(simulator_counts(simulator, k), plain.level[k].counts);
    simulator_free(simulator);
}

static void any_hierarchy_counts_as_a_plain_model_does(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) check_hierarchy(seed);
}

/* Stack distances. */

static void stack_distances_equal_a_count(void **state) {
    (void)state;
    enum { ACCESSES = 6000, LINES = 900 };
    static uint64_t trace[ACCESSES];
    uint64_t rng = 7;
    struct reuse reuse;
    assert_true(reuse_init(&reuse));
    for (int i = 0; i < ACCESSES; i++) {
        static bool seen[LINES];
        int64_t distance = 0;
        /* Accesses within 30 lines or anywhere: the simulator's times overflow and are renumbered,
         * and its tree grows. */
        trace[i] = (uint64_t)rng_below(&rng, rng_once_in(&rng, 2) ? 30 : LINES);
        for (int l = 0; l < LINES; l++) seen[l] = false;
        int back = i - 1;
        for (; back >= 0 && trace[back] != trace[i]; back--) {
            distance += !seen[trace[back]];
            seen[trace[back]] = true;
        }
        assert_true(reuse_access(&reuse, trace[i] << 33) == (back < 0 ? REUSE_NEVER : distance));
    }
    reuse_free(&reuse);
}

static void a_fully_associative_cache_hits_below_its_size(void **state) {
    (void)state;
    const struct simulator_options options = {
        .line_bytes = LINE_BYTES, .level_count = 1, .level = {{.size_bytes = 100 * LINE_BYTES}}};
    struct simulator *simulator = simulator_new(&options);
    struct reuse reuse;
    uint64_t rng = 11;
    int64_t misses = 0;
    assert_non_null(simulator);
    assert_true(reuse_init(&reuse));
    for (int i = 0; i < 20000; i++) {
        const uint64_t line = (uint64_t)rng_below(&rng, rng_once_in(&rng, 2) ? 60 : 400);
        misses += reuse_access(&reuse, line) >= 100;
        simulator_access(simulator, line * LINE_BYTES, false);
        assert_true(simulator_counts(simulator, 0).misses == misses);
    }
    reuse_free(&reuse);
    simulator_free(simulator);
}

/* Traffic. */

/** Makes a simulator of two levels: 4 lines in one set, and 64 lines in sets of 8. */
static struct simulator *small_hierarchy(bool inclusive) {
    const struct simulator_options options = {
        .line_bytes = LINE_BYTES,
        .inclusive = inclusive,
        .level_count = 2,
        .level = {{.size_bytes = 4 * LINE_BYTES, .ways = 4},
                  {.size_bytes = 64 * LINE_BYTES, .ways = 8}}};
    struct simulator *simulator = simulator_new(&options);
    assert_non_null(simulator);
    return simulator;
}

static void a_stream_is_fetched_once_and_written_back_once(void **state) {
    (void)state;
    struct simulator *simulator = small_hierarchy(false);
    simulator_access_run(simulator, 0, 8, 1000 * 8, true);
    assert_true(simulator_counts(simulator, 0).accesses == 8000 &&
                simulator_counts(simulator, 0).misses == 1000);
    assert_true(simulator_counts(simulator, 1).accesses == 1000 &&
                simulator_counts(simulator, 1).misses == 1000);
    assert_true(simulator_traffic_bytes(simulator, 0) == (1000 + 996) * LINE_BYTES);
    simulator_flush(simulator);
    assert_true(simulator_traffic_bytes(simulator, 0) == 2000 * LINE_BYTES);
    assert_true(simulator_traffic_bytes(simulator, 1) == 2000 * LINE_BYTES);
    simulator_free(simulator);
}

static void a_flush_empties_the_caches(void **state) {
    (void)state;
    struct simulator *simulator = small_hierarchy(false);
    simulator_access(simulator, 0, false);
    simulator_flush(simulator);
    simulator_reset_counts(simulator);
    simulator_access(simulator, 0, false);
    simulator_access(simulator, 63, false);
    assert_true(simulator_counts(simulator, 0).misses == 1 &&
                simulator_counts(simulator, 1).misses == 1);
    assert_true(simulator_counts(simulator, 1).write_backs == 0);
    simulator_free(simulator);
}

static void data_of_the_second_level_moves_between_the_first_two_only(void **state) {
    (void)state;
    struct simulator *simulator = small_hierarchy(false);
    for (int round = 0; round < 10; round++)
        simulator_access_run(simulator, 0, LINE_BYTES, 32, false);
    assert_true(simulator_traffic_bytes(simulator, 0) == 320 * LINE_BYTES);
    assert_true(simulator_traffic_bytes(simulator, 1) == 32 * LINE_BYTES);
    simulator_free(simulator);
}

static void an_outer_level_takes_its_lines_along_where_it_includes(void **state) {
    (void)state;
    /* Line 0 is used continually, with hits in the first level that the second level does not see.
     * An inclusive second level evicts it nevertheless. */
    for (int inclusive = 0; inclusive < 2; inclusive++) {
        struct simulator *simulator = small_hierarchy(inclusive);
        for (int i = 0; i < 64; i++) {
            simulator_access(simulator, 0, true);
            simulator_access(simulator, (uint64_t)(8 * i + 8) * LINE_BYTES, false);
        }
        assert_true((simulator_counts(simulator, 0).invalidations > 0) == inclusive);
        assert_true((simulator_counts(simulator, 0).misses > 65) == inclusive);
        assert_true((simulator_counts(simulator, 1).write_backs > 0) == inclusive);
        simulator_free(simulator);
    }
}

static void a_run_is_its_elements(void **state) {
    (void)state;
    struct simulator *runs = small_hierarchy(true), *elements = small_hierarchy(true);
    uint64_t rng = 3;
    for (int i = 0; i < 500; i++) {
        const uint64_t address = (uint64_t)rng_below(&rng, 8000) * 8;
        const int64_t stride = 8 * rng_below(&rng, 20), count = 1 + rng_below(&rng, 40);
        const bool write = rng_once_in(&rng, 2);
        simulator_access_run(runs, address, stride, count, write);
        for (int64_t e = 0; e < count; e++)
            simulator_access(elements, address + (uint64_t)(e * stride), write);
    }
    for (int k = 0; k < 2; k++)
        assert_same_counts(simulator_counts(runs, k), simulator_counts(elements, k));
    simulator_free(runs);
    simulator_free(elements);
}

/* Creation of simulators. */

static void a_machine_gives_its_caches(void **state) {
    (void)state;
    struct tcplan_machine machine = {.line_bytes = 64, .page_bytes = 4096, .cache_count = 3};
    machine.cache[0] = (struct tcplan_cache_level){.size_bytes = 32768, .ways = 8};
    machine.cache[1] = (struct tcplan_cache_level){.size_bytes = 1 << 20, .ways = 0};
    machine.cache[2] = (struct tcplan_cache_level){.size_bytes = 1 << 24, .ways = -1};
    const struct simulator_options options = simulator_options_of(&machine, true);
    assert_true(options.level_count == 3 && options.inclusive && options.line_bytes == 64);
    assert_true(options.level[0].ways == 8 && options.level[1].ways == 0 &&
                options.level[2].ways == 0);
    assert_true(options.level[2].size_bytes == 1 << 24);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    const struct simulator_options options = {.line_bytes = 64,
                                              .level_count = 3,
                                              .level = {{.size_bytes = 512, .ways = 2},
                                                        {.size_bytes = 4096},
                                                        {.size_bytes = 8192, .ways = 4}}};
    struct reuse reuse;
    for (int successes = 0; successes < 5; successes++) {
        base_alloc_fail_after(successes);
        struct simulator *simulator = simulator_new(&options);
        base_alloc_fail_after(-1);
        assert_null(simulator);
    }
    for (int successes = 0; successes < 3; successes++) {
        base_alloc_fail_after(successes);
        const bool made = reuse_init(&reuse);
        base_alloc_fail_after(-1);
        assert_false(made);
    }
    simulator_free(NULL);
    assert_true(reuse_init(&reuse));
    base_alloc_fail_after(0);
    for (uint64_t line = 0; line < 5000; line++) reuse_access(&reuse, line);
    base_alloc_fail_after(-1);
    assert_true(reuse.out_of_memory);
    reuse_free(&reuse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_hierarchy_counts_as_a_plain_model_does),
        cmocka_unit_test(stack_distances_equal_a_count),
        cmocka_unit_test(a_fully_associative_cache_hits_below_its_size),
        cmocka_unit_test(a_stream_is_fetched_once_and_written_back_once),
        cmocka_unit_test(a_flush_empties_the_caches),
        cmocka_unit_test(data_of_the_second_level_moves_between_the_first_two_only),
        cmocka_unit_test(an_outer_level_takes_its_lines_along_where_it_includes),
        cmocka_unit_test(a_run_is_its_elements),
        cmocka_unit_test(a_machine_gives_its_caches),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
