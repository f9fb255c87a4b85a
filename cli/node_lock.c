#include "cli/node_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { USUAL_SECONDS = 3600 };

enum exit_status lock_settings_read(struct lock_settings *out) {
    const char *text = getenv("TCPLAN_LOCK_WAIT");
    *out = (struct lock_settings){.path = getenv("TCPLAN_LOCK"), .longest_seconds = USUAL_SECONDS};
    if (!text || !*text || decimal_read(&out->longest_seconds, text, strlen(text))) return EXIT_DONE;
    diagnose("TCPLAN_LOCK_WAIT expects a number of seconds, found '%.200s'", text);
    return EXIT_REFUSED;
}

void lock_tell_waiting(void *context, const char *path) {
    (void)context;
    diagnose("waiting: another tcplan is timing on this machine (%s)", path);
}

enum exit_status lock_diagnose(const struct tcplan_error *error) {
    const enum exit_status status = diagnose_error(error, NULL);
    if (error->status == TCPLAN_BUSY) fputs("--no-lock does without, TCPLAN_LOCK_WAIT waits longer\n", stderr);
    return status;
}
