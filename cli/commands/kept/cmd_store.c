#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/kept.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/render/kept/store.h"

static enum exit_status usage(void) {
    return diagnose_usage("store");
}

static bool print_list(FILE *file, int output_format, const struct tcplan_store *store,
                       const struct tcplan_store_list *list) {
    const struct format *format = format_of(output_format);
    struct writer writer = {.file = file, .points = 1};
    if (format->begin) format->begin(&writer);
    format->store(&writer, &(struct store_listing){.store = store, .list = list});
    if (format->end) format->end(&writer);
    return !writer.no_memory;
}

/** What stdout, or the file of -o, gets. */
static enum exit_status print(const struct options *options, const struct tcplan_store *store,
                              const struct tcplan_store_list *list, const char *text) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    const bool written =
        text ? fputs(text, out.file) >= 0 : print_list(out.file, options->format, store, list);
    const enum exit_status status = written || text ? printed_complete(&out) : diagnose_no_memory();
    output_file_discard(&out);
    return status;
}

static enum exit_status list_entries(const struct tcplan_store *store,
                                     const struct options *options, const char *name) {
    struct tcplan_store_list list;
    struct tcplan_error error;
    (void)name;
    enum tcplan_status listed = tcplan_store_list(&list, store, &error);
    const enum exit_status status =
        listed == TCPLAN_OK ? print(options, store, &list, NULL) : diagnose_error(&error, NULL);
    tcplan_store_list_free(&list);
    return status;
}

static bool answers_to(const struct tcplan_store_item *item, const char *name) {
    return strcmp(item->name, name) == 0 || strcmp(item->kind, name) == 0;
}

/** Everything that answers to the name, one below the other; NULL: everything that is used here. */
static enum exit_status show_entries(const struct tcplan_store *store,
                                     const struct options *options, const char *name) {
    struct tcplan_store_list list;
    struct tcplan_error error;
    struct strbuf text = {0};
    enum exit_status status = EXIT_DONE;
    bool any = false;
    if (tcplan_store_list(&list, store, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    for (size_t i = 0; i < list.count && status == EXIT_DONE; i++) {
        char *shown = NULL;
        if (name ? !answers_to(&list.item[i], name) : list.item[i].status != TCPLAN_OK) continue;
        if (tcplan_store_show(&shown, store, list.item[i].name, &error) != TCPLAN_OK)
            status = diagnose_error(&error, NULL);
        if (shown) strbuf_add(&text, "%s%s", any ? "\n" : "", shown);
        free(shown);
        any = true;
    }
    tcplan_store_list_free(&list);
    if (status == EXIT_DONE && !any && name) {
        diagnose("nothing is kept by the name '%.120s'; `tcplan store list` says what there is",
                 name);
        status = EXIT_REFUSED;
    }
    if (status == EXIT_DONE && text.failed) status = diagnose_no_memory();
    if (status == EXIT_DONE) status = print(options, store, NULL, any ? text.text : "");
    strbuf_free(&text);
    return status;
}

static enum exit_status forget_entries(const struct tcplan_store *store,
                                       const struct options *options, const char *name) {
    const struct tcplan_store_choice choice = {
        .name = name, .least_days = (double)options->older_days, .unusable = options->unusable};
    struct tcplan_error error;
    size_t count;
    if (!name && !options->all && !options->unusable && !(options->older_days > 0)) {
        diagnose(
            "store forget needs what is to be forgotten: a NAME or kind as `tcplan store list` has it, --older, --unusable or --all");
        return usage();
    }
    if (tcplan_store_forget(&count, store, &choice, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    if (count == 0 && name) {
        diagnose("nothing is kept by the name '%.120s'%s", name,
                 options->older_days > 0 || options->unusable ? " that is to be forgotten" : "");
        return EXIT_REFUSED;
    }
    if (!options->quiet) diagnose("%zu entr%s forgotten", count, count == 1 ? "y" : "ies");
    return EXIT_DONE;
}

/* The actions. */

static void offer_kinds(struct strbuf *out) {
    strbuf_add(out, "ceilings costs looks kernels states residuals models samples plans code blas");
}

typedef enum exit_status act_fn(const struct tcplan_store *store, const struct options *options,
                                const char *name);

/** Opens the store, and calls `act` with the name behind the action (NULL: there is none). */
static enum exit_status run(const struct options *options, act_fn *act) {
    const char *name = options->argument_count > 1 ? options->arguments[1] : NULL;
    struct tcplan_machine machine;
    struct tcplan_error error;
    struct kept kept = {0};
    if (tcplan_machine_load(&machine, "live", &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    enum exit_status status = kept_open(&kept, &machine);
    if (status == EXIT_DONE) status = act(&kept.store, options, name);
    kept_close(&kept);
    return status;
}

static enum exit_status list(const struct options *options) {
    return run(options, list_entries);
}

static enum exit_status show(const struct options *options) {
    return run(options, show_entries);
}

static enum exit_status forget(const struct options *options) {
    return run(options, forget_entries);
}

const struct action store_actions[] = {
    {"list", STORE_LIST, NULL, "list the entries (default)", NULL, 0, FILE_NONE, NULL, list},
    {"show", STORE_SHOW, "[NAME]", "print entries", NULL, 1, FILE_NONE, offer_kinds, show},
    {"forget", STORE_FORGET, "[NAME]", "delete entries", NULL, 1, FILE_NONE, offer_kinds, forget},
    {0},
};
