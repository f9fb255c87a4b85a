#include "cli/node_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { USUAL_SECONDS = 3600 };

enum exit_status lock_settings_read(struct lock_settings *out) {
    const char *text = getenv("TCPLAN_LOCK_WAIT");
    *out = (struct lock_settings){.path = getenv("TCPLAN_LOCK"), .longest_seconds = USUAL_SECONDS};
    if (!text || !*text || decimal_read(&out->longest_seconds, text, strlen(text)))
        return EXIT_DONE;
    return diagnose_as(EXIT_REFUSED, "TCPLAN_LOCK_WAIT expects a number of seconds, found '%.200s'",
                       text);
}

enum exit_status lock_open(struct tcplan_node_lock **out, const struct options *options) {
    struct lock_settings settings;
    *out = NULL;
    const enum exit_status status = lock_settings_read(&settings);
    if (status != EXIT_DONE || options->no_lock) return status;
    return diagnosed(tcplan_node_lock_open(out, settings.path, settings.longest_seconds, &failure));
}

enum exit_status lock_take(struct tcplan_node_lock *lock, const struct options *options) {
    tcplan_waiting_fn *waiting = options->quiet ? NULL : lock_report_waiting;
    return tcplan_node_lock_take(lock, waiting, NULL, &failure) == TCPLAN_OK ? EXIT_DONE
                                                                             : lock_diagnose();
}

enum exit_status lock_hold(struct tcplan_node_lock **out, const struct options *options) {
    const enum exit_status status = lock_open(out, options);
    return status == EXIT_DONE ? lock_take(*out, options) : status;
}

void lock_report_waiting(void *context, const char *path) {
    (void)context;
    diagnose("waiting: another tcplan is timing on this machine (%s)", path);
}

enum exit_status lock_diagnose(void) {
    return diagnose_advised(TCPLAN_BUSY,
                            "--no-lock does not wait; TCPLAN_LOCK_WAIT sets the longest wait in "
                            "seconds");
}
