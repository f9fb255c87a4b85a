/**
 * Reads any bytes as a document of results. Errors must have a message and an existing line. A
 * record must print to a text that reads back to a record with the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fuzz.h"
#include "tcplan/results.h"

/** Returns a document with one record, whose text is `record`. */
static char *document_of(const struct tcplan_result *result, const char *record) {
    struct strbuf out = {0};
    char *provenance = tcplan_provenance_text(result->provenance);
    strbuf_add(&out, "<results format=\"1\">\n%s%s</results>\n", provenance, record);
    free(provenance);
    return strbuf_finish(&out);
}

static void check_record(const struct tcplan_result *result) {
    char *record = tcplan_result_text(result);
    char *document = document_of(result, record);
    struct input input = {.data = document, .size = strlen(document)};
    struct tcplan_results *results = NULL;
    const struct tcplan_result *again = NULL;
    require(tcplan_results_from(&results, read_input, &input, "again", NULL) == TCPLAN_OK);
    require(tcplan_results_next(results, &again, NULL) == TCPLAN_OK && again);
    char *reprinted = tcplan_result_text(again);
    require(strcmp(record, reprinted) == 0);
    free(reprinted);
    tcplan_results_close(results);
    free(document);
    free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {.data = (const char *)data, .size = size};
    struct tcplan_results *results = NULL;
    const struct tcplan_result *result = NULL;
    struct tcplan_error error = {0};
    enum tcplan_status status = tcplan_results_from(&results, read_input, &input, "fuzz", &error);
    while (status == TCPLAN_OK) {
        status = tcplan_results_next(results, &result, &error);
        if (status != TCPLAN_OK || !result) break;
        check_record(result);
    }
    if (status != TCPLAN_OK) require(error.message[0] != '\0' && error.line >= 1);
    tcplan_results_close(results);
    return 0;
}
