/**
 * Reads any bytes as a machine: a synthetic description or an XML document of hwloc. Errors must
 * have a message; accepted machines must have plausible caches. A child process tries each
 * document first, and documents at which hwloc crashes or does not end are left out.
 */
#include <hwloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "study/worker.h"
#include "tcplan/machine.h"

enum { PATIENCE_SECONDS = 10 };

/** Defined by the sanitizers; removes the fuzzer's action for a dying process. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/** Loads the document in a child process; a worker_answer_fn. */
static struct worker_message try(void *context, const struct worker_message *request) {
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    hwloc_topology_t topology;
    (void)context;
    for (size_t f = 0; f < sizeof fatal / sizeof *fatal; f++) signal(fatal[f], SIG_DFL);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(NULL);
    if (hwloc_topology_init(&topology) != 0) abort();
    if (hwloc_topology_set_xmlbuffer(topology, request->data, (int)request->bytes) == 0)
        hwloc_topology_load(topology);
    hwloc_topology_destroy(topology);
    return (struct worker_message){0};
}

static bool hwloc_survives(char *text) {
    static struct worker worker = {.answer = try, .patience_seconds = PATIENCE_SECONDS};
    const struct worker_message request = {.data = text, .bytes = strlen(text) + 1};
    struct worker_message reply = {0};
    struct tcplan_error error;
    const enum worker_end end = worker_ask(&worker, &request, &reply, &error);
    if (end == WORKER_UNAVAILABLE) abort();
    free(reply.data);
    return end == WORKER_ANSWERED;
}

static void check(enum tcplan_status status, const struct tcplan_error *error) {
    if (status != TCPLAN_OK && !*error->message) abort();
    if (status != TCPLAN_OK && status != TCPLAN_INVALID && status != TCPLAN_ENVIRONMENT &&
        status != TCPLAN_OVERFLOW)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tcplan_machine machine;
    struct tcplan_error error = {0};
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    if (hwloc_survives(text)) check(tcplan_machine_parse(&machine, "fuzz", text, &error), &error);
    /* Skips descriptions that may name files, and large numbers, which make hwloc create that many
     * objects. */
    const bool is_description = strncmp(text, "pack", 4) == 0 && !strpbrk(text, "/.") &&
                                size < 100 && !strstr(text, "00") && !strstr(text, "99");
    if (is_description) check(tcplan_machine_load(&machine, text, &error), &error);
    free(text);
    return 0;
}
