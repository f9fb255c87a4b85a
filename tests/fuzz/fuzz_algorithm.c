/**
 * Reads any bytes as a line with a contraction and the name of an algorithm. Errors must mark the
 * name; the name of an accepted algorithm must read back to the same algorithm.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/algorithm.h"

enum { FEW_INDICES = 5 /* keeps the search for the nearest names fast */ };

static void check_round_trip(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction) {
    struct tcplan_algorithm again;
    char *name = tcplan_algorithm_name(algorithm, contraction, TCPLAN_DOUBLE);
    require(name &&
            tcplan_algorithm_parse(&again, contraction, TCPLAN_DOUBLE, name, NULL) == TCPLAN_OK);
    char *same = tcplan_algorithm_name(&again, contraction, TCPLAN_DOUBLE);
    require(same && strcmp(name, same) == 0 && tcplan_algorithm_equal(&again, algorithm));
    free(same);
    free(name);
}

static void check_name(const struct tcplan_contraction *contraction, const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    if (tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, name, &error) == TCPLAN_OK) {
        check_round_trip(&algorithm, contraction);
    } else {
        require(error.status == TCPLAN_INVALID && error.message[0] != '\0' &&
                error.length == strlen(name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    char *newline = strchr(text, '\n');
    struct tcplan_contraction *contraction = NULL;
    if (newline) {
        *newline = '\0';
        if (tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK &&
            contraction->index_count <= FEW_INDICES) {
            check_name(contraction, newline + 1);
        }
    }
    tcplan_contraction_free(contraction);
    free(text);
    return 0;
}
