/* Stores the communication model of MPI's calls on this machine: one entry, whose content is the
 * model's text. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "store/kinds.h"
#include "store/store.h"
#include "tcplan/communication.h"
#include "tcplan/store.h"

enum { DAYS = 365 };

/** Value of an entry: a model of MPI's calls. */
struct stored {
    struct tcplan_communication *model;
};

static void write_model(struct strbuf *out, const void *value) {
    strbuf_add(out, "%s", tcplan_communication_text(((const struct stored *)value)->model));
}

static enum tcplan_status read_model(void *value, const char *content, size_t length,
                                     struct tcplan_error *error) {
    struct stored *stored = value;
    char *text = base_alloc(length + 1);
    if (!text) return error_no_memory(error);
    memcpy(text, content, length);
    text[length] = '\0';
    const enum tcplan_status status = tcplan_communication_parse(&stored->model, text, error);
    base_free(text);
    return status;
}

static void print_model(struct strbuf *out, const void *value) {
    const struct tcplan_communication *model = ((const struct stored *)value)->model;
    const struct tcplan_communication_error error =
        tcplan_communication_check(model, TCPLAN_COMMUNICATION_CALLS);
    const double eager = tcplan_communication_eager_bytes(model, false);
    strbuf_add(out, "seconds of MPI's calls by ranks and bytes");
    if (error.count > 0)
        strbuf_add(out, "; median error %.1f %% at %d sizes that were not fitted",
                   100 * error.median, error.count);
    if (eager > 0) strbuf_add(out, "; messages are eager up to %s", quantity_bytes(eager).text);
    strbuf_add(out, "\n\n%s", tcplan_communication_text(model));
}

static void free_model(void *value) {
    tcplan_communication_free(((struct stored *)value)->model);
    base_free(value);
}

const struct store_kind store_kind_communication = {.name = "communication",
                                                    .version = 1,
                                                    .days = DAYS,
                                                    .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                                    .is_expensive = true,
                                                    .size = sizeof(struct stored),
                                                    .write = write_model,
                                                    .read = read_model,
                                                    .print = print_model,
                                                    .free = free_model};

enum tcplan_status tcplan_store_communication(struct tcplan_communication **out,
                                              const struct tcplan_store *store,
                                              struct tcplan_error *error) {
    struct stored stored = {.model = NULL};
    bool found = false;
    const enum tcplan_status status =
        store_find(&found, &stored, store, &store_kind_communication, "mpi", error);
    *out = NULL;
    if (status == TCPLAN_OK && found) {
        *out = stored.model;
    } else {
        tcplan_communication_free(stored.model);
    }
    return status;
}

enum tcplan_status tcplan_store_keep_communication(const struct tcplan_store *store,
                                                   struct tcplan_communication *communication,
                                                   struct tcplan_error *error) {
    const struct stored stored = {.model = communication};
    return store_keep(store, &store_kind_communication, "mpi", &stored, error);
}
