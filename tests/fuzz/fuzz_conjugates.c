/**
 * Reads any bytes as names of tensors to be conjugated. Errors must mark existing text and change
 * nothing; an accepted contraction must have a text that reads back to the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/contraction.h"

static char *printed(const struct tcplan_contraction *contraction) {
    char *text = tcplan_contraction_text(contraction);
    require(text != NULL);
    return text;
}

static void check_read(const struct tcplan_contraction *contraction) {
    struct tcplan_contraction *again = NULL;
    char *text = printed(contraction);
    require(tcplan_contraction_parse(&again, text, TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK);
    char *reprinted = printed(again);
    require(strcmp(text, reprinted) == 0);
    free(text);
    free(reprinted);
    tcplan_contraction_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    require(tcplan_contraction_parse(&contraction, "D_ab=(1,2)*A_ai*conj(B)_ib+(3,-4)*C_ba",
                                     TCPLAN_COLUMN_MAJOR, NULL) == TCPLAN_OK);
    char *before = printed(contraction);
    if (tcplan_conjugates_parse(contraction, text, &error) == TCPLAN_OK) {
        check_read(contraction);
    } else {
        char *after = printed(contraction);
        require(strcmp(before, after) == 0);
        require(error.status == TCPLAN_INVALID && error.message[0] != '\0');
        require(error.column >= 1 && error.column - 1 + error.length <= strlen(text));
        free(after);
    }
    free(before);
    tcplan_contraction_free(contraction);
    free(text);
    return 0;
}
