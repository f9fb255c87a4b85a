/*
 * Compares the history (data touched before or after a place in a nest) with a step-by-step walk
 * of the nest. With enough capacity, the history is exact for each element. With less, it is all
 * data touched since some moment: see check_recent().
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "base/indexset.h"
#include "cachesim/history.h"
#include "support/addresses.h"
#include "support/random_contraction.h"
#include "support/rng.h"

enum { LINE = 64, PAGE = 4096 };

/** A loop nest with sizes, and its number of steps: a step is one execution of a copy, a scaling or
 * the kernel. */
struct scene {
    const struct random_contraction *random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest;
    struct refined_problem problem;
    int64_t steps;
    int64_t calls;
};

static bool count_step(void *context, const struct address_step *step) {
    struct scene *scene = context;
    scene->steps++;
    scene->calls += step->leaf->kind == TCPLAN_NODE_KERNEL;
    return true;
}

static void scene_init(struct scene *out, const struct random_contraction *random,
                       const struct tcplan_algorithm *algorithm) {
    *out = (struct scene){.random = random, .algorithm = *algorithm};
    assert_int_equal(tcplan_nest_build(&out->nest, random->contraction, algorithm, NULL),
                     TCPLAN_OK);
    out->problem = problem_refine(&random->problem, out->nest->refinement);
    address_walk(out->nest, &out->problem, count_step, out);
}

static void scene_free(struct scene *scene) {
    tcplan_nest_free(scene->nest);
}

static void fail_scene(const struct scene *scene, const char *why) {
    fail_msg("%s --algorithm \"%s\": %s", random_contraction_describe(scene->random),
             tcplan_algorithm_name(&scene->algorithm, scene->random->contraction,
                                   scene->problem.written.dtype),
             why);
}

/** A place in a nest, before step number `step`. */
struct spot {
    int64_t step;
    const struct tcplan_node *leaf;
    int64_t at[TCPLAN_MAX_INDICES];
    int64_t seen; /* number of steps visited so far in the search for the place */
};

static bool find_spot(void *context, const struct address_step *step) {
    struct spot *spot = context;
    if (spot->seen++ < spot->step) return true;
    spot->leaf = step->leaf;
    memcpy(spot->at, step->at, sizeof spot->at);
    return false;
}

static struct spot spot_at(const struct scene *scene, int64_t step) {
    struct spot spot = {.step = step};
    address_walk(scene->nest, &scene->problem, find_spot, &spot);
    return spot;
}

/** Returns the place of a randomly chosen kernel call; of the first call if no later one exists. */
static struct spot kernel_spot(const struct scene *scene, uint64_t *bits) {
    int64_t step = (int64_t)(rng_next(bits) % (uint64_t)scene->steps);
    struct spot spot = spot_at(scene, step);
    while (spot.leaf->kind != TCPLAN_NODE_KERNEL) {
        step = (step + 1) % scene->steps;
        spot = spot_at(scene, step);
    }
    return spot;
}

static struct history_place place_of(const struct scene *scene, const struct spot *spot) {
    return (struct history_place){.nest = scene->nest,
                                  .problem = &scene->problem,
                                  .leaf = spot->leaf,
                                  .granularity = {.line_bytes = LINE, .page_bytes = PAGE},
                                  .at = spot->at};
}

static void for_random(uint64_t first_seed, int count, int64_t max_extent, uint64_t every,
                       void (*check)(const struct scene *, uint64_t *)) {
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.overlaps = false;
    options.min_rank = 0;
    options.max_extent = max_extent;
    for (int c = 0; c < count; c++) {
        struct random_contraction random;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        uint64_t bits = first_seed + (uint64_t)c;
        random_contraction_init(&random, bits, &options);
        tcplan_enumerator_init(&enumerator, random.contraction);
        for (uint64_t number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
            struct scene scene;
            if (number % every) continue;
            scene_init(&scene, &random, &algorithm);
            check(&scene, &bits);
            scene_free(&scene);
        }
        random_contraction_free(&random);
    }
}

static void mark_list(struct address_map *map, const struct region_list *list) {
    assert_false(list->out_of_memory);
    for (size_t r = 0; r < list->count; r++)
        address_region(&list->region[r], address_map_mark, map);
}

/** Returns whether `whole` contains every element of `part`. */
static bool contains(const struct address_map *whole, const struct address_map *part) {
    for (int space = 0; space < ADDRESS_SPACES; space++) {
        for (int64_t e = 0; e < whole->count[space]; e++) {
            if (part->value[space][e] && !whole->value[space][e]) return false;
        }
    }
    return true;
}

/* Unlimited histories. */

/** Marks the elements that the first steps_left steps touch. */
struct marking {
    struct address_map *map;
    const struct refined_problem *problem;
    int64_t steps_left;
};

static bool mark_step(void *context, const struct address_step *step) {
    struct marking *marking = context;
    if (marking->steps_left-- == 0) return false;
    address_leaf(marking->problem, step->leaf, step->at, address_map_mark, marking->map);
    return true;
}

static void mark_steps(struct address_map *map, const struct scene *scene, int64_t steps) {
    struct marking marking = {.map = map, .problem = &scene->problem, .steps_left = steps};
    address_walk(scene->nest, marking.problem, mark_step, &marking);
}

static void check_whole_history(const struct scene *scene, const struct spot *spot, bool wraps) {
    struct region_list list = {0};
    struct address_map listed, touched;
    const struct history_place place = place_of(scene, spot);
    address_map_init(&listed, scene->nest, &scene->problem);
    address_map_init(&touched, scene->nest, &scene->problem);
    history_before(&list, &place, INFINITY, INFINITY, wraps);
    mark_list(&listed, &list);
    mark_steps(&touched, scene, wraps ? scene->steps : spot->step);
    if (!contains(&listed, &touched)) fail_scene(scene, "something touched is not in the history");
    if (!contains(&touched, &listed)) fail_scene(scene, "something in the history was not touched");
    region_list_free(&list);
    address_map_free(&listed);
    address_map_free(&touched);
}

static void check_whole_histories(const struct scene *scene, uint64_t *bits) {
    for (int repetition = 0; repetition < 3; repetition++) {
        const struct spot spot = spot_at(scene, (int64_t)(rng_next(bits) % (uint64_t)scene->steps));
        check_whole_history(scene, &spot, false);
        check_whole_history(scene, &spot, true);
    }
}

static void an_unlimited_history_is_exactly_the_touched_data(void **state) {
    (void)state;
    for_random(1, 250, 4, 2, check_whole_histories);
}

static void check_first_place(const struct scene *scene, uint64_t *bits) {
    struct region_list list = {0};
    const struct spot spot = spot_at(scene, 0);
    const struct history_place place = place_of(scene, &spot);
    (void)bits;
    history_before(&list, &place, INFINITY, INFINITY, false);
    assert_int_equal(list.count, 0);
    region_list_free(&list);
}

static void nothing_comes_before_the_first_step_of_a_contraction_run_once(void **state) {
    (void)state;
    for_random(1001, 100, 3, 3, check_first_place);
}

/* The following calls. */

/** Marks the elements touched from a kernel call on, up to the end of `calls` further calls. After
 * the end of the nest, it starts again. */
struct looking_ahead {
    struct address_map *map;
    const struct refined_problem *problem;
    const struct history_place *place;
    int64_t steps_to_skip;
    int64_t calls_left;
};

static bool is_skipped(const struct history_place *place, const struct tcplan_node *leaf) {
    for (int s = 0; s < place->skipped_count; s++) {
        if (place->skipped[s] == leaf) return true;
    }
    return false;
}

static bool look_ahead(void *context, const struct address_step *step) {
    struct looking_ahead *looking = context;
    if (looking->steps_to_skip > 0) {
        looking->steps_to_skip--;
        return true;
    }
    if (step->leaf->kind == TCPLAN_NODE_KERNEL && looking->calls_left-- == 0) return false;
    if (!is_skipped(looking->place, step->leaf)) {
        address_leaf(looking->problem, step->leaf, step->at, address_map_mark, looking->map);
    }
    return true;
}

static void mark_ahead(struct address_map *map, const struct scene *scene,
                       const struct history_place *place, int64_t step, int64_t calls) {
    struct looking_ahead looking = {.map = map,
                                    .problem = &scene->problem,
                                    .place = place,
                                    .steps_to_skip = step,
                                    .calls_left = calls};
    while (address_walk(scene->nest, looking.problem, look_ahead, &looking) &&
           looking.calls_left > 0)
        continue;
}

/** Lists the copies and scalings of a nest; returns their number. */
static int leaves_of(const struct tcplan_node *body, const struct tcplan_node *leaf[], int count) {
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_LOOP) count = leaves_of(body->loop.body, leaf, count);
        if (body->kind == TCPLAN_NODE_COPY || body->kind == TCPLAN_NODE_SCALE) leaf[count++] = body;
    }
    return count;
}

static void check_ahead(const struct scene *scene, const struct spot *spot, int64_t calls,
                        bool skips) {
    const struct tcplan_node *skipped[8];
    struct region_list list = {0};
    struct address_map listed, touched;
    struct history_place place = place_of(scene, spot);
    place.skipped = skipped;
    place.skipped_count = skips ? leaves_of(scene->nest->body, skipped, 0) : 0;
    if (place.skipped_count > 1) place.skipped_count--;
    address_map_init(&listed, scene->nest, &scene->problem);
    address_map_init(&touched, scene->nest, &scene->problem);
    history_ahead(&list, &place, calls);
    mark_list(&listed, &list);
    mark_ahead(&touched, scene, &place, spot->step, calls);
    if (!contains(&listed, &touched)) fail_scene(scene, "something ahead is not listed");
    region_list_free(&list);
    address_map_free(&listed);
    address_map_free(&touched);
}

static void check_aheads(const struct scene *scene, uint64_t *bits) {
    const int64_t lengths[] = {1, 2, (int64_t)(rng_next(bits) % (uint64_t)scene->calls) + 1,
                               scene->calls, 2 * scene->calls + 1};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const struct spot spot = kernel_spot(scene, bits);
        check_ahead(scene, &spot, lengths[l], false);
        check_ahead(scene, &spot, lengths[l], true);
    }
}

static void check_nothing_ahead(const struct scene *scene, uint64_t *bits) {
    const struct spot spot = kernel_spot(scene, bits);
    const struct history_place place = place_of(scene, &spot);
    struct region_list list = {0};
    history_ahead(&list, &place, 0);
    if (list.count > 0) fail_scene(scene, "no calls have something ahead");
    region_list_free(&list);
}

static void without_calls_no_data_is_touched_ahead(void **state) {
    (void)state;
    for_random(4001, 20, 3, 2, check_nothing_ahead);
}

static void all_that_the_next_calls_touch_is_ahead(void **state) {
    (void)state;
    for_random(2001, 120, 3, 2, check_aheads);
}

/** Checks that filling the temporaries at a place inside the nest reads the elements that the
 * nest's copies read. */
static void check_fills(const struct scene *scene, uint64_t *bits) {
    const struct spot spot = kernel_spot(scene, bits);
    const struct history_place place = place_of(scene, &spot);
    const struct tcplan_node *leaf[8];
    const int count = leaves_of(scene->nest->body, leaf, 0);
    struct region_list list = {0};
    struct address_map listed, touched;
    address_map_init(&listed, scene->nest, &scene->problem);
    address_map_init(&touched, scene->nest, &scene->problem);
    history_ahead(&list, &place, 1);
    mark_list(&listed, &list);
    for (int l = 0; l < count; l++) {
        if (leaf[l]->kind != TCPLAN_NODE_COPY || !leaf[l]->copy.to.temporary) continue;
        address_leaf(&scene->problem, leaf[l], spot.at, address_map_mark, &touched);
    }
    if (!contains(&listed, &touched)) fail_scene(scene, "what fills the temporaries is not listed");
    region_list_free(&list);
    address_map_free(&listed);
    address_map_free(&touched);
}

static void fills_of_temporaries_are_listed_ahead(void **state) {
    (void)state;
    for_random(3001, 150, 3, 2, check_fills);
}

/** A copy is in a loop around the kernel. A history of few calls has the copied data of these calls
 * only, not of all iterations of the loop. */
static void few_calls_read_no_more_than_their_copies_do(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct scene scene;
    struct region_list list = {0};
    random_contraction_given(&given, "C_abc=A_aic*B_ib", "a=5000,b=4,c=2,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "a'-dgemm", NULL),
        TCPLAN_OK);
    scene_init(&scene, &given, &algorithm);
    uint64_t bits = 1;
    const struct spot spot = kernel_spot(&scene, &bits);
    const struct history_place place = place_of(&scene, &spot);
    history_ahead(&list, &place, 1);
    assert_true(list.footprint_bytes < 100 * LINE);
    region_list_free(&list);
    scene_free(&scene);
    random_contraction_free(&given);
}

/** Time of the last access to every cache line; 0: none. Each space starts at a line boundary,
 * because buffers are aligned. */
struct recency {
    const struct scene *scene;
    struct address_map *last;
    int64_t steps_left; /* number of steps to execute; negative: all */
    int64_t now;
};

static void touch_line(void *context, int space, int64_t element) {
    struct recency *recency = context;
    recency->last
        ->value[space][element * (int64_t)recency->scene->problem.written.element_bytes / LINE] =
        recency->now;
}

static bool recent_step(void *context, const struct address_step *step) {
    struct recency *recency = context;
    if (recency->steps_left-- == 0) return false;
    recency->now++;
    address_leaf(&recency->scene->problem, step->leaf, step->at, touch_line, recency);
    return true;
}

/** Executes the nest once, and then again up to a step; records access times. */
static void touch_until(struct address_map *last, const struct scene *scene, int64_t step) {
    struct recency recency = {.scene = scene, .last = last, .steps_left = -1};
    address_walk(scene->nest, &scene->problem, recent_step, &recency);
    recency.steps_left = step;
    address_walk(scene->nest, &scene->problem, recent_step, &recency);
}

/** Returns the latest access time among the lines that the history lacks: every line touched later
 * is in the history. */
static int64_t most_recent_unlisted(const struct address_map *last,
                                    const struct address_map *listed) {
    int64_t latest = 0;
    for (int space = 0; space < ADDRESS_SPACES; space++) {
        for (int64_t line = 0; line < last->count[space]; line++) {
            if (!listed->value[space][line] && last->value[space][line] > latest)
                latest = last->value[space][line];
        }
    }
    return latest;
}

/** Returns the total size in bytes of the cache lines touched after a time. */
static double bytes_after(const struct address_map *last, int64_t time) {
    double bytes = 0;
    for (int space = 0; space < ADDRESS_SPACES; space++) {
        for (int64_t line = 0; line < last->count[space]; line++)
            bytes += last->value[space][line] > time ? LINE : 0;
    }
    return bytes;
}

/** Counts cache lines; the context of an address_fn. */
struct line_marking {
    struct address_map *map;
    int64_t element_bytes;
};

static void mark_line(void *context, int space, int64_t element) {
    const struct line_marking *marking = context;
    marking->map->value[space][element * marking->element_bytes / LINE] = 1;
}

static double listed_bytes(const struct address_map *listed) {
    double bytes = 0;
    for (int space = 0; space < ADDRESS_SPACES; space++) {
        for (int64_t line = 0; line < listed->count[space]; line++)
            bytes += listed->value[space][line] ? LINE : 0;
    }
    return bytes;
}

struct lines {
    int64_t element_bytes;
    uint64_t count;
    int64_t last_line;
    int last_space;
};

static void count_line(void *context, int space, int64_t element) {
    struct lines *lines = context;
    const int64_t line = element * lines->element_bytes / LINE;
    lines->count += space != lines->last_space || line != lines->last_line;
    lines->last_space = space;
    lines->last_line = line;
}

static bool largest_leaf(void *context, const struct address_step *step) {
    struct recency *recency = context;
    struct lines lines = {.element_bytes = (int64_t)recency->scene->problem.written.element_bytes,
                          .last_space = -1};
    address_leaf(&recency->scene->problem, step->leaf, step->at, count_line, &lines);
    if ((int64_t)lines.count > recency->now) recency->now = (int64_t)lines.count;
    return step->calls < 1; /* continues up to the second call: by then, all copies and scalings
                               were visited, or are no larger than the visited ones */
}

/** Returns an upper bound on the bytes of the cache lines that one leaf of the nest touches. */
static double largest_leaf_bytes(const struct scene *scene) {
    struct recency recency = {.scene = scene};
    address_walk(scene->nest, &scene->problem, largest_leaf, &recency);
    return (double)recency.now * LINE;
}

/** The shares of the capacity that histories list, over all tested places. */
struct shares {
    int count;
    double sum;
    double least;
};

/**
 * Checks that a history has all data touched since some moment, unless a single leaf touches more
 * than the capacity. The history grows until its regions exceed the capacity, by blocks of up to
 * an eighth of the distance. Data that the walk visits again counts again, such as a cache line
 * whose eight elements belong to eight iterations. So the distinct data may be less than the
 * capacity.
 */
static void check_recent(const struct scene *scene, const struct spot *spot, double capacity_bytes,
                         struct shares *shares) {
    enum { FINEST_BLOCK_BYTES = 16384 };
    struct region_list list = {0};
    struct address_map last, listed;
    const struct history_place place = place_of(scene, spot);
    address_map_init(&last, scene->nest, &scene->problem);
    address_map_init(&listed, scene->nest, &scene->problem);
    struct line_marking marking = {.map = &listed,
                                   .element_bytes = (int64_t)scene->problem.written.element_bytes};
    history_before(&list, &place, capacity_bytes, INFINITY, true);
    for (size_t r = 0; r < list.count; r++) address_region(&list.region[r], mark_line, &marking);
    touch_until(&last, scene, spot->step);
    const double leaf = largest_leaf_bytes(scene), all = bytes_after(&last, 0),
                 distinct = listed_bytes(&listed);
    const double recent = bytes_after(&last, most_recent_unlisted(&last, &listed));
    const double share = distinct / fmin(capacity_bytes, all);
    if (leaf <= capacity_bytes && recent != distinct)
        fail_scene(scene, "something is left out that was touched later than what is listed");
    if (list.footprint_bytes < fmin(capacity_bytes, distinct))
        fail_scene(scene, "the history ends before the capacity");
    if (list.footprint_bytes >
        capacity_bytes + fmax(FINEST_BLOCK_BYTES, capacity_bytes / 8) + 2 * leaf) {
        fail_scene(scene, "the history extends far beyond the capacity");
    }
    shares->count++;
    shares->sum += share;
    shares->least = fmin(shares->least, share);
    region_list_free(&list);
    address_map_free(&last);
    address_map_free(&listed);
}

static void check_capacities(const char *contraction, const char *sizes, uint64_t every,
                             struct shares *shares) {
    struct random_contraction given;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    uint64_t bits = 7;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    tcplan_enumerator_init(&enumerator, given.contraction);
    for (uint64_t number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
        struct scene scene;
        if (number % every) continue;
        scene_init(&scene, &given, &algorithm);
        for (double capacity = 16384; capacity <= 1048576; capacity *= 4) {
            const struct spot spot = kernel_spot(&scene, &bits);
            check_recent(&scene, &spot, capacity, shares);
        }
        scene_free(&scene);
    }
    random_contraction_free(&given);
}

static void a_short_history_is_everything_touched_after_some_moment(void **state) {
    (void)state;
    struct shares shares = {.least = INFINITY};
    check_capacities("C_abc=A_ai*B_ibc", "a=64,b=48,c=40,i=8", 3, &shares);
    check_capacities("C_abc=A_ija*B_jbic", "a=40,b=24,c=20,i=12,j=6", 17, &shares);
    check_capacities("C_xab+=A_iai*B_ibx", "a=60,b=40,i=24,x=12", 3, &shares);
    print_message("distinct data of the capacity: %.0f %% on average, %.0f %% at least\n",
                  100 * shares.sum / shares.count, 100 * shares.least);
    assert_true(shares.least >= 0.125); /* at least an eighth: a line has eight doubles */
    assert_true(shares.sum / shares.count >= 0.75);
}

/* Pages, and memory. */

static void strided_data_fill_the_pages_first(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct scene scene;
    struct region_list few = {0}, many = {0};
    /* Each element of B[i,:] is on another page: rows are 4096 bytes apart. */
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=8,b=400,i=512", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "ai-daxpy", NULL),
        TCPLAN_OK);
    scene_init(&scene, &given, &algorithm);
    const struct spot spot = spot_at(&scene, scene.steps - 1);
    const struct history_place place = place_of(&scene, &spot);
    history_before(&few, &place, 1e9, 64 * PAGE, true);
    history_before(&many, &place, 1e9, 1e9, true);
    assert_true(few.page_bytes >= 64 * PAGE);
    assert_true(few.page_bytes < 64 * PAGE * 4);
    assert_true(few.footprint_bytes < many.footprint_bytes / 8);
    region_list_free(&few);
    region_list_free(&many);
    scene_free(&scene);
    random_contraction_free(&given);
}

static void out_of_memory_is_recorded_in_the_list(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct scene scene;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=64,b=48,c=40,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "bci-daxpy", NULL),
        TCPLAN_OK);
    scene_init(&scene, &given, &algorithm);
    const struct spot spot = spot_at(&scene, scene.steps / 2);
    const struct history_place place = place_of(&scene, &spot);
    for (long successes = 0; successes < 2; successes++) {
        struct region_list before = {0}, ahead = {0};
        base_alloc_fail_after(successes);
        history_before(&before, &place, 1e9, INFINITY, true);
        base_alloc_fail_after(0);
        history_ahead(&ahead, &place, 5);
        base_alloc_fail_after(-1);
        assert_true(before.out_of_memory && ahead.out_of_memory);
        region_list_free(&before);
        region_list_free(&ahead);
    }
    scene_free(&scene);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unlimited_history_is_exactly_the_touched_data),
        cmocka_unit_test(nothing_comes_before_the_first_step_of_a_contraction_run_once),
        cmocka_unit_test(without_calls_no_data_is_touched_ahead),
        cmocka_unit_test(all_that_the_next_calls_touch_is_ahead),
        cmocka_unit_test(fills_of_temporaries_are_listed_ahead),
        cmocka_unit_test(few_calls_read_no_more_than_their_copies_do),
        cmocka_unit_test(a_short_history_is_everything_touched_after_some_moment),
        cmocka_unit_test(strided_data_fill_the_pages_first),
        cmocka_unit_test(out_of_memory_is_recorded_in_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
