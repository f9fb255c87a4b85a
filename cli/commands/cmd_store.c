#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/collection.h"
#include "cli/render/stored/stored.h"
#include "cli/stored.h"

struct entries {
    struct stored stored;
    struct tcplan_store_list list;
};

static void close_entries(void *things) {
    struct entries *entries = things;
    tcplan_store_list_free(&entries->list);
    stored_close(&entries->stored);
    base_free(entries);
}

static enum exit_status open_entries(void **things, const struct options *options) {
    struct entries *entries = base_alloc_zero(1, sizeof *entries);
    const char *name = collection_word(options);
    if (name && strcmp(name, "looks") == 0)
        note(options, "the kind looks is now called evaluations");
    *things = entries;
    if (!entries) return diagnose_no_memory();
    const enum exit_status status = stored_open_here(&entries->stored);
    if (status != EXIT_DONE) return status;
    return diagnosed(tcplan_store_list(&entries->list, &entries->stored.store, &failure));
}

static bool answers_to(const struct tcplan_store_item *item, const char *name) {
    if (strcmp(name, "looks") == 0) name = "evaluations"; /* deprecated: as in 0.1.0 */
    return strcmp(item->name, name) == 0 || strcmp(item->kind, name) == 0;
}

static bool has_entry(const void *things, const struct options *options) {
    const struct entries *entries = things;
    const char *name = collection_word(options);
    const bool forgets = options->action->bit == STORE_FORGET;
    for (size_t i = 0; i < entries->list.count && !forgets; i++) {
        if (answers_to(&entries->list.item[i], name)) return true;
    }
    diagnose("nothing is stored as '%.120s'%s", name,
             !forgets ? "; `tcplan store list` lists all entries"
             : options->older_days > 0 || options->unusable ? " that matches --older or --unusable"
                                                            : "");
    return false;
}

static enum exit_status print(const struct options *options, const void *content) {
    const struct entries *entries = content;
    const struct store_listing listing = {&entries->stored.store, &entries->list};
    return printed_view(options, &store_view, &listing);
}

/** Shows all entries that the name selects; without a name, all entries that this machine can
 * use. */
static enum tcplan_status show(struct strbuf *out, const void *things,
                               const struct options *options) {
    const struct entries *entries = things;
    const char *name = collection_word(options);
    for (size_t i = 0; i < entries->list.count; i++) {
        const struct tcplan_store_item *item = &entries->list.item[i];
        char *shown = NULL;
        if (name ? !answers_to(item, name) : item->status != TCPLAN_OK) continue;
        const enum tcplan_status status =
            tcplan_store_show(&shown, &entries->stored.store, item->name, &failure);
        if (status != TCPLAN_OK) return status;
        strbuf_add(out, "%s%s", out->length > 0 ? "\n" : "", shown);
        free(shown);
    }
    return TCPLAN_OK;
}

static enum tcplan_status forget(size_t *count, void *things, const struct options *options) {
    const struct entries *entries = things;
    return tcplan_store_forget(
        count, &entries->stored.store,
        &(struct tcplan_store_choice){.name = collection_word(options),
                                      .least_days = (double)options->older_days,
                                      .unusable = options->unusable},
        &failure);
}

static const struct collection store = {
    .command = "store",
    .one = "entry",
    .many = "entries",
    .open = open_entries,
    .close = close_entries,
    .has_chosen = has_entry,
    .print = print,
    .show = show,
    .forget_needs = "a NAME or kind from `tcplan store list`, --older, --unusable or --all",
    .forget = forget};

static void offer_kinds(struct strbuf *out) {
    strbuf_add(out,
               "ceilings costs evaluations kernels winners errors models samples plans code blas "
               "communication orders blocks");
}

static const struct action actions[] = {
    {"list", STORE_LIST, NULL, "list the entries (default)", NULL, 0, FILE_NONE, NULL,
     collection_run, &store},
    {"show", STORE_SHOW, "[NAME]", "print entries", NULL, 1, FILE_NONE, offer_kinds, collection_run,
     &store},
    {"forget", STORE_FORGET, "[NAME]", "delete entries", NULL, 1, FILE_NONE, offer_kinds,
     collection_run, &store},
    {0},
};

const struct command command_store = {
    "store",
    COMMAND_STORE,
    "[list | show [NAME] | forget [NAME]] [OPTIONS]",
    "list, show or delete stored data about this machine",
    "  tcplan store\n"
    "  tcplan store show ceilings\n"
    "  tcplan store forget --older 30\n",
    .actions = actions,
    .manual =
        "Entries apply to the machine and libraries that they were made with; for others, `list` prints the difference. A NAME is that of an entry, "
        "or a kind such as `ceilings`. `forget` takes a name, `--older`, `--unusable` or `--all`."};
