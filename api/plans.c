#include "tcplan/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/knowledge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "base/strbuf.h"
#include "tcplan/stored_plans.h"

enum { MOST_IMPORTED_BYTES = 64 << 20 };

/** Opens a file of plans with the fingerprint of this machine. */
static enum tcplan_status open_plans(struct tcplan_stored_plans **out, const char *file,
                                     struct tcplan_error *error) {
    const struct tcplan_fingerprint *fingerprint = NULL;
    if (!file || !*file)
        return error_set(error, TCPLAN_INVALID,
                         "expected the name of a file of plans, found an empty name");
    const enum tcplan_status status = knowledge_fingerprint(&fingerprint, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_store store = {.fingerprint = *fingerprint};
    return tcplan_stored_plans_open(out, &store, file, error);
}

static void add_line(struct strbuf *out, const struct tcplan_plan_item *item) {
    const struct tcplan_stored_plan *plan = &item->plan;
    if (*item->name) {
        strbuf_add(out, "%s  %s  %s  %c, %d thread%s  %s  %.4g s", item->name, plan->product,
                   plan->sizes, tcplan_dtype_letter(plan->dtype), plan->setup.threads,
                   plan->setup.threads == 1 ? "" : "s", plan->algorithm, plan->seconds);
    }
    strbuf_add(out, "%s%s\n", *item->name ? "  " : "",
               item->status == TCPLAN_OK ? "used here" : item->reason);
}

enum tcplan_status tcplan_plans_describe(char **out, size_t *count, const char *file,
                                         struct tcplan_error *error) {
    struct tcplan_stored_plans *plans = NULL;
    struct tcplan_plan_list list = {0};
    struct strbuf text = {0};
    size_t used = 0;
    if (!out)
        return error_set(error, TCPLAN_INVALID, "expected a pointer for the text, found NULL");
    enum tcplan_status status = open_plans(&plans, file, error);
    if (status == TCPLAN_OK) status = tcplan_stored_plans_list(&list, plans, error);
    strbuf_add(&text, "%s", "");
    for (size_t i = 0; i < list.count && status == TCPLAN_OK; i++) {
        add_line(&text, &list.item[i]);
        used += list.item[i].status == TCPLAN_OK;
    }
    tcplan_plan_list_free(&list);
    tcplan_stored_plans_close(plans);
    status = strbuf_give(&text, out, status, error);
    if (status == TCPLAN_OK && count) *count = used;
    return status;
}

enum tcplan_status tcplan_plans_forget(size_t *count, const char *file,
                                       const struct tcplan_plans_choice *choice,
                                       struct tcplan_error *error) {
    struct tcplan_plans_choice own = {.size = sizeof own};
    struct tcplan_stored_plans *plans = NULL;
    size_t forgotten = 0;
    if (choice && choice->size < sizeof own)
        return error_set(
            error, TCPLAN_INVALID,
            "expected sizeof(struct tcplan_plans_choice) as the member size of the choice");
    if (choice) own = *choice;
    if (own.name && strlen(own.name) < 4)
        return error_set(error, TCPLAN_INVALID,
                         "expected at least four digits of a name, found '%.20s'", own.name);
    const struct tcplan_plan_choice chosen = {.name = own.name,
                                              .least_days = own.least_days,
                                              .unusable = own.unusable != 0,
                                              .most = own.most};
    enum tcplan_status status = open_plans(&plans, file, error);
    if (status == TCPLAN_OK) status = tcplan_stored_plans_forget(&forgotten, plans, &chosen, error);
    tcplan_stored_plans_close(plans);
    if (status == TCPLAN_OK && count) *count = forgotten;
    return status;
}

static enum tcplan_status write_file(const char *path, const char *text,
                                     struct tcplan_error *error) {
    struct output_file out = {0};
    enum tcplan_status status = output_file_open(&out, path, NULL, error);
    if (status == TCPLAN_OK) {
        fputs(text, out.file);
        status = output_file_commit(&out, error);
    }
    output_file_discard(&out);
    return status;
}

enum tcplan_status tcplan_plans_export(size_t *count, const char *from, const char *to,
                                       struct tcplan_error *error) {
    struct tcplan_stored_plans *plans = NULL;
    char *text = NULL;
    size_t exported = 0;
    if (!to || !*to)
        return error_set(error, TCPLAN_INVALID,
                         "expected the name of the file to write, found an empty name");
    enum tcplan_status status = open_plans(&plans, from, error);
    if (status == TCPLAN_OK) status = tcplan_stored_plans_export(&text, &exported, plans, error);
    if (status == TCPLAN_OK) status = write_file(to, text, error);
    tcplan_stored_plans_close(plans);
    free(text);
    if (status == TCPLAN_OK && count) *count = exported;
    return status;
}

enum tcplan_status tcplan_plans_import(size_t *count, const char *into, const char *from,
                                       struct tcplan_error *error) {
    struct tcplan_stored_plans *plans = NULL;
    struct tcplan_plan_import import = {0};
    char *text = NULL;
    size_t length = 0;
    if (!from || !*from)
        return error_set(error, TCPLAN_INVALID,
                         "expected the name of the file to read, found an empty name");
    enum tcplan_status status = open_plans(&plans, into, error);
    if (status == TCPLAN_OK)
        status = input_file_read(&text, &length, "", from, MOST_IMPORTED_BYTES, error);
    if (status == TCPLAN_OK)
        status = tcplan_stored_plans_import(&import, plans, text, length, error);
    tcplan_stored_plans_close(plans);
    base_free(text);
    if (count) *count = import.added;
    return status;
}
