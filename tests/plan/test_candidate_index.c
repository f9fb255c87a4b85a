/*
 * Tests the table of candidates: it finds what a search of all entries finds, after entries were
 * added and, if the table is made again, after they were sorted and removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "plan/candidate_index.h"
#include "plan/candidates.h"

enum { ENTRIES = 3000 };

/** Returns an algorithm with a number; some of these have equal hashes. */
static struct tcplan_algorithm algorithm_of(int number) {
    struct tcplan_algorithm algorithm = tcplan_algorithm_empty();
    algorithm.group[0] = (uint64_t)number / 4 + 1;
    algorithm.copy[0].depth = 0;
    algorithm.copy[0].padding = (uint8_t)(8 * (number % 4));
    return algorithm;
}

static void check(struct candidate_index *index, const struct tcplan_ranking *ranking) {
    for (int number = 0; number <= ENTRIES; number++) {
        for (int threads = 1; threads <= 2; threads++) {
            const struct tcplan_algorithm algorithm = algorithm_of(number);
            assert_ptr_equal(candidate_index_find(index, ranking, &algorithm, threads),
                             candidate_find(ranking, &algorithm, threads));
        }
    }
}

static void the_table_finds_what_a_search_finds(void **state) {
    (void)state;
    static struct tcplan_entry entry[ENTRIES];
    struct tcplan_ranking ranking = {.entry = entry};
    struct candidate_index index = {0};
    check(&index, &ranking);
    for (size_t count = 10; count <= ENTRIES; count += ENTRIES - 10) {
        for (; ranking.entry_count < count; ranking.entry_count++) {
            const struct tcplan_algorithm algorithm = algorithm_of((int)ranking.entry_count);
            entry[ranking.entry_count] = candidate_of(&algorithm, 1, 0);
        }
        check(&index, &ranking);
    }
    for (size_t e = 0; e < ENTRIES / 2; e++) { /* another order */
        const struct tcplan_entry first = entry[e];
        entry[e] = entry[ENTRIES - 1 - e];
        entry[ENTRIES - 1 - e] = first;
    }
    candidate_index_free(&index);
    check(&index, &ranking);
    candidate_index_free(&index);
    ranking.entry_count = 20;
    check(&index, &ranking);
    candidate_index_free(&index);
    candidate_index_free(&index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_finds_what_a_search_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
