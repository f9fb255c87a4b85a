/**
 * Any bytes as a machine, a synthetic description or a document of hwloc's: a refusal has a message; what is read has caches whose numbers can be.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tcplan/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(enum tcplan_status status, const struct tcplan_error *error) {
    if (status != TCPLAN_OK && !*error->message) abort();
    if (status != TCPLAN_OK && status != TCPLAN_INVALID && status != TCPLAN_ENVIRONMENT && status != TCPLAN_OVERFLOW) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tcplan_machine machine;
    struct tcplan_error error = {0};
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    check(tcplan_machine_parse(&machine, "fuzz", text, &error), &error);
    /* What may be the name of a file is left out, and large numbers, of which hwloc makes as many objects. */
    const bool is_description =
        strncmp(text, "pack", 4) == 0 && !strpbrk(text, "/.") && size < 100 && !strstr(text, "00") && !strstr(text, "99");
    if (is_description) check(tcplan_machine_load(&machine, text, &error), &error);
    free(text);
    return 0;
}
