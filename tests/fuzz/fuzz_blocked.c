/**
 * Reads any bytes as a file of blocked algorithms. Errors must have a message; accepted algorithms
 * must have a text, and their calls at small sizes must be within the matrices.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "routines/blocked/algorithms/user_xml.h"
#include "routines/blocked/calls/calls.h"

enum { CALLS_MOST = 20000 };

struct walk {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    int calls;
};

static bool check_call(void *context, const struct blocked_call *call) {
    struct walk *walk = context;
    for (int a = 0; a < call->signature->count; a++) {
        const struct blocked_data *at = &call->data[a];
        if (at->matrix < 0 || at->rows == 0 || at->columns == 0) continue;
        const struct blocked_extent extent =
            blocked_extent_of(walk->blocked, &walk->sizes, at->matrix);
        require(at->offset >= 0 && at->offset + (at->columns - 1) * extent.leading + at->rows <=
                                       blocked_elements(&extent));
    }
    return ++walk->calls < CALLS_MOST;
}

static void check_algorithm(const struct tcplan_blocked *blocked) {
    struct walk walk = {.blocked = blocked,
                        .sizes = {.size = {7, 5, 3, 4, 6, 2, 8, 1}, .block = 2}};
    char *text = tcplan_blocked_text(blocked);
    require(text && *text);
    free(text);
    if (tcplan_blocked_check(blocked, &walk.sizes, NULL) != TCPLAN_OK) return;
    blocked_walk(blocked, &walk.sizes, check_call, &walk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const enum tcplan_dtype dtypes[] = {TCPLAN_DOUBLE, TCPLAN_FLOAT_COMPLEX};
    for (int d = 0; d < 2; d++) {
        struct input input = {.data = (const char *)data, .size = size};
        struct tcplan_error error = {.message = ""};
        struct tcplan_blocked **all = NULL;
        int count = 0;
        if (user_algorithms_from(&all, &count, read_input, &input, dtypes[d], &error) !=
            TCPLAN_OK) {
            require(error.message[0] != '\0' && !all);
            continue;
        }
        for (int a = 0; a < count; a++) {
            check_algorithm(all[a]);
            tcplan_blocked_free(all[a]);
        }
        free(all);
    }
    return 0;
}
