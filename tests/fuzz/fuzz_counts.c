/**
 * Reads any bytes as recorded counts. Errors must have a message and an existing line; accepted
 * counts must increase from reading to reading, and their totals must be numbers for all requested
 * quantities.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "microbench/counters/recorded.h"

static void check_totals(const struct counter_totals *totals) {
    for (int q = 0; q < COUNTER_QUANTITIES; q++) {
        require(isfinite(totals->amount[q]) && totals->amount[q] >= 0);
        require(totals->share[q] >= 0 && totals->share[q] <= 1);
    }
}

static void check_source(struct counter_source *source) {
    struct counter_reading before[COUNTER_MAX_EVENTS], after[COUNTER_MAX_EVENTS];
    require(source->count >= 0 && source->count <= COUNTER_MAX_EVENTS);
    require(counter_start(source, NULL) == TCPLAN_OK &&
            counter_read(source, before, NULL) == TCPLAN_OK);
    for (int r = 0; r < 3; r++) {
        require(counter_read(source, after, NULL) == TCPLAN_OK);
        for (int e = 0; e < source->count; e++)
            require(after[e].value >= before[e].value &&
                    after[e].running_ns <= after[e].enabled_ns);
        const struct counter_totals totals = counter_between(source, before, after);
        check_totals(&totals);
    }
    for (int q = 0; q < COUNTER_QUANTITIES; q++)
        require(!counter_can(source, (enum counter_quantity)q) || source->why_not[q][0] == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const unsigned wanted[] = {COUNTER_ALL, COUNTER_OF_THREADS, COUNTER_OF_MACHINE,
                                      COUNTER_OF_CORES, 0};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        struct counter_source *source = NULL;
        struct tcplan_error error = {0};
        if (recorded_parse(&source, size > 0 ? (const char *)data : "", size,
                           &(struct counter_target){.quantities = wanted[w]},
                           &error) == TCPLAN_OK) {
            check_source(source);
            counter_close(source);
        } else {
            require(error.status == TCPLAN_INVALID && error.message[0] != '\0' && error.line >= 1);
            require(error.column >= 1 && error.column - 1 + error.length <= size);
        }
    }
    return 0;
}
