/**
 * Reads any lines as the arguments of each command, which must be rejected with exit status 1 or
 * 2, or accepted and freed. No command runs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "fuzz.h"

enum { ARGUMENTS_MAX = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *arguments[ARGUMENTS_MAX + 1] = {NULL};
    int count = 0;
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = strtok(text, "\n"); at && count < ARGUMENTS_MAX; at = strtok(NULL, "\n"))
        arguments[count++] = at;
    for (const struct command *const *command = commands; *command; command++) {
        struct options options = {0};
        const enum exit_status status = options_parse(&options, *command, count, arguments);
        if (status != EXIT_DONE && status != EXIT_REFUSED && status != EXIT_USAGE) abort();
        options_free(&options);
    }
    free(text);
    return 0;
}
