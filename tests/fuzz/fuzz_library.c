/**
 * Reads any bytes as a library in every format. Errors must have a message and an existing line;
 * an entry must be a valid problem or have a fault with a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/library.h"

enum { ENTRIES_MAX = 200 }; /* a sweep over sizes may have a million entries */

static size_t count_lines(const struct input *input) {
    size_t lines = 2;
    for (size_t i = 0; i < input->size; i++)
        lines += input->data[i] == '\n' || input->data[i] == '\r';
    return lines;
}

static void check_entry(const struct tcplan_library_entry *entry) {
    struct tcplan_problem problem;
    require(strlen(entry->id) == 16 && entry->group && entry->name && entry->formula &&
            entry->sizes && entry->source && entry->sections && entry->charge && entry->blocks);
    if (entry->fault) {
        require(entry->fault->message[0] != '\0' && !entry->contraction);
        require(entry->fault->column == 0 ||
                entry->fault->column - 1 + entry->fault->length <= strlen(entry->fault_text));
    } else {
        require(entry->weight > 0);
        require(*entry->sections ? !*entry->strides : !*entry->charge && !*entry->blocks);
        /* The dense tensors of block-sparse entries may be too large for a problem. */
        require(*entry->sections || tcplan_problem_init(&problem, entry->contraction, entry->extent,
                                                        entry->dtype, NULL) == TCPLAN_OK);
    }
}

static void read_library(struct input input, enum tcplan_library_format format) {
    const struct tcplan_library_options options = {
        .format = format, .dtype = TCPLAN_DOUBLE, .threads = 1};
    struct tcplan_library *library = NULL;
    const struct tcplan_library_entry *entry = NULL;
    struct tcplan_error error = {0};
    enum tcplan_status status =
        tcplan_library_from(&library, read_input, &input, "fuzz", &options, &error);
    for (int e = 0; e < ENTRIES_MAX && status == TCPLAN_OK; e++) {
        status = tcplan_library_next(library, &entry, &error);
        if (status != TCPLAN_OK || !entry) break;
        check_entry(entry);
    }
    if (status != TCPLAN_OK)
        require(error.message[0] != '\0' && error.line >= 1 && error.line <= count_lines(&input));
    tcplan_library_close(library);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct input input = {.data = (const char *)data, .size = size};
    for (int format = TCPLAN_LIBRARY_ANY; format <= TCPLAN_LIBRARY_TCCG; format++) {
        read_library(input, (enum tcplan_library_format)format);
    }
    return 0;
}
