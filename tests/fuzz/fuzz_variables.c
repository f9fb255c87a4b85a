/**
 * Reads any bytes as each environment variable that is not only a path. Errors must be reported;
 * accepted values must be within their limits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/settings.h"
#include "cli/node_lock.h"
#include "fuzz.h"

static void check_lock(void) {
    struct lock_settings settings;
    const enum exit_status status = lock_settings_read(&settings);
    if (status != EXIT_DONE && status != EXIT_REFUSED) abort();
    if (status == EXIT_DONE && !(settings.longest_seconds >= 0)) abort();
}

static void check_tapp(void) {
    TAPP_error error = 0;
    struct tapp_settings *settings = tapp_settings_new(&error);
    if (!settings && error == 0) abort();
    if (settings && (settings->threads < 1 || settings->threads > TAPP_MAX_THREADS)) abort();
    tapp_settings_release(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const name[] = {"TCPLAN_LOCK_WAIT", "TCPLAN_THREADS", "TCPLAN_EFFORT",
                                       "TCPLAN_STORE", "TCPLAN_PLANS"};
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    for (size_t n = 0; n < sizeof name / sizeof *name; n++) {
        if (setenv(name[n], text, 1) != 0) abort();
        check_lock();
        check_tapp();
        unsetenv(name[n]);
    }
    free(text);
    return 0;
}
