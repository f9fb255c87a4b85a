#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/input_file.h"
#include "cli/collection.h"
#include "cli/render/stored/stored.h"
#include "cli/stored.h"

enum { MOST_IMPORTED_BYTES = 64 << 20, LEAST_NAME = 4 };

struct plans {
    struct tcplan_stored_plans *stored;
    struct tcplan_plan_list list;
};

static void close_plans(void *things) {
    struct plans *plans = things;
    tcplan_plan_list_free(&plans->list);
    tcplan_stored_plans_close(plans->stored);
    base_free(plans);
}

static enum exit_status open_plans(void **things, const struct options *options) {
    struct plans *plans = base_alloc_zero(1, sizeof *plans);
    struct tcplan_machine machine;
    *things = plans;
    if (!plans) return diagnose_no_memory();
    if (tcplan_machine_load(&machine, "live", &failure) != TCPLAN_OK) return diagnose_failure(NULL);
    const enum exit_status status = plans_open_place(&plans->stored, &machine, options);
    if (status != EXIT_DONE || !(options->action->bit & (PLANS_LIST | PLANS_SHOW))) return status;
    return diagnosed(tcplan_stored_plans_list(&plans->list, plans->stored, &failure));
}

/** Returns whether a plan's name begins with the word; without a word, whether the plan is usable
 * on this machine. */
static bool is_meant(const struct tcplan_plan_item *item, const char *word) {
    return word ? *item->name && strncmp(item->name, word, strlen(word)) == 0
                : item->status == TCPLAN_OK;
}

static bool has_plan(const void *things, const struct options *options) {
    const struct plans *plans = things;
    const char *word = collection_word(options);
    for (size_t i = 0; i < plans->list.count; i++) {
        if (is_meant(&plans->list.item[i], word)) return true;
    }
    diagnose("no stored plan has a name that begins with '%.40s'; `tcplan plans list` lists all",
             word);
    return false;
}

static enum exit_status print(const struct options *options, const void *content) {
    const struct plans *plans = content;
    const struct plans_listing listing = {tcplan_stored_plans_path(plans->stored), &plans->list};
    return printed_view(options, &plans_view, &listing);
}

static enum tcplan_status show(struct strbuf *out, const void *things,
                               const struct options *options) {
    const struct plans *plans = things;
    for (size_t i = 0; i < plans->list.count; i++) {
        if (!is_meant(&plans->list.item[i], collection_word(options))) continue;
        strbuf_add(out, "%s", out->length > 0 ? "\n" : "");
        plans_show(out, &plans->list.item[i]);
    }
    return TCPLAN_OK;
}

static enum tcplan_status forget(size_t *count, void *things, const struct options *options) {
    const struct plans *plans = things;
    return tcplan_stored_plans_forget(
        count, plans->stored,
        &(struct tcplan_plan_choice){.name = collection_word(options),
                                     .least_days = (double)options->older_days,
                                     .unusable = options->unusable,
                                     .most = options->most},
        &failure);
}

static enum tcplan_status write_plans(FILE *file, size_t *count, const void *things) {
    const struct plans *plans = things;
    char *text = NULL;
    const enum tcplan_status status =
        tcplan_stored_plans_export(&text, count, plans->stored, &failure);
    if (status == TCPLAN_OK) fputs(text, file);
    free(text);
    return status;
}

static enum exit_status import(void *things, const struct options *options, const char *path) {
    const struct plans *plans = things;
    struct tcplan_plan_import import = {0};
    char *text = NULL;
    size_t length = 0;
    if (!tcplan_stored_plans_path(plans->stored))
        return diagnose_as(
            EXIT_ENVIRONMENT,
            "there is no plan store: $TCPLAN_PLANS or $TCPLAN_STORE is empty, or $HOME is not set; use --plans FILE");
    if (input_file_read(&text, &length, "", path, MOST_IMPORTED_BYTES, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    const enum tcplan_status imported =
        tcplan_stored_plans_import(&import, plans->stored, text, length, &failure);
    base_free(text);
    if (import.added + import.known + import.refused > 0 && !options->quiet) {
        diagnose("%s added, %zu already known, %zu rejected",
                 counted((int64_t)import.added, "plan").text, import.known, import.refused);
    }
    if (imported == TCPLAN_OK) return EXIT_DONE;
    diagnose("'%.120s': %.200s", path, failure.message);
    return imported == TCPLAN_INVALID || imported == TCPLAN_MISMATCH ? EXIT_REFUSED
                                                                     : EXIT_ENVIRONMENT;
}

static const struct collection plans = {
    .command = "plans",
    .one = "plan",
    .many = "plans",
    .open = open_plans,
    .close = close_plans,
    .has_chosen = has_plan,
    .print = print,
    .show = show,
    .forget_needs = "a NAME from `tcplan plans list`, --older, --unusable, --most or --all",
    .least_name = LEAST_NAME,
    .forget = forget,
    .write = write_plans,
    .import = import};

static const struct action actions[] = {
    {"list", PLANS_LIST, NULL, "list the plans (default)", NULL, 0, FILE_NONE, NULL, collection_run,
     &plans},
    {"show", PLANS_SHOW, "[NAME]", "print plans", NULL, 1, FILE_NONE, NULL, collection_run, &plans},
    {"forget", PLANS_FORGET, "[NAME]", "delete plans", NULL, 1, FILE_NONE, NULL, collection_run,
     &plans},
    {"export", PLANS_EXPORT, "[FILE]", "write all plans to a file", NULL, 1, FILE_OUTPUT, NULL,
     collection_run, &plans},
    {"import", PLANS_IMPORT, "FILE", "add the plans of a file",
     "one file, as `tcplan plans export` writes it", 1, FILE_INPUT, NULL, collection_run, &plans},
    {0},
};

const struct command command_plans = {
    "plans",
    COMMAND_PLANS,
    "[list | show [NAME] | forget [NAME] | export [FILE] | import FILE] [OPTIONS]",
    "list, show, delete or exchange stored plans",
    "  tcplan plans\n"
    "  tcplan plans forget --older 90\n"
    "  tcplan plans export plans.tcplan\n"
    "  tcplan plans import plans.tcplan\n",
    .actions = actions,
    .manual =
        "A stored plan is the fastest algorithm that `rank`, `emit` or `measure` found for a product with its extents, layout of strides, type, "
        "threads, machine and libraries. Names of indices do not matter. `emit` uses the plan next time and prints a note; a ranking starts its "
        "search with the plan and with plans of similar extents. A NAME is one that `list` prints, or its first digits. `forget` takes a name, "
        "`--older`, `--unusable`, "
        "`--most` or `--all`. `import` adds plans that are new or come from a higher effort, and rejects damaged ones. "
        "Plans of other machines or libraries only start the search of a ranking; `emit` does not use them."};
