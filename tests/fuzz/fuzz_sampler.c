/**
 * Reads any bytes as a script of the Sampler without running its calls. Errors must have a message
 * and a position in their line; without errors the whole queue must be accepted.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/sampler.h"

/** Executes one line of a Sampler script. Returns whether it was accepted. */
static bool take(struct tcplan_sampler *sampler, const char *line, size_t number) {
    struct tcplan_error error = {0};
    const enum tcplan_status status = tcplan_sampler_line(sampler, line, &error);
    if (status == TCPLAN_OK) return true;
    require(status == TCPLAN_INVALID && error.message[0] != '\0' && error.line == number);
    require(error.column == 0 || error.column - 1 + error.length <= strlen(line));
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tcplan_sampler_options options = tcplan_sampler_defaults();
    struct tcplan_sampler *sampler;
    struct tcplan_error error;
    bool is_good = true;
    char *const text = malloc(size + 1);
    require(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    options.check_only = true;
    options.max_memory_bytes = 1 << 20;
    require(tcplan_sampler_open(&sampler, &options, NULL) == TCPLAN_OK);
    size_t number = 0;
    for (char *line = text; line;) {
        char *const end = strchr(line, '\n');
        if (end) *end = '\0';
        is_good = take(sampler, line, ++number) && is_good;
        line = end ? end + 1 : NULL;
    }
    const enum tcplan_status status =
        tcplan_sampler_go(sampler, &error); /* `go` must also be refused while a region is open */
    require(is_good || status == TCPLAN_INVALID);
    require(status == TCPLAN_OK || (status == TCPLAN_INVALID && error.message[0] != '\0'));
    tcplan_sampler_close(sampler);
    free(text);
    return 0;
}
