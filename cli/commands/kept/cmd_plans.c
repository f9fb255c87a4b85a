#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/input_file.h"
#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/plans.h"
#include "cli/render/kept/plans.h"

enum { MOST_IMPORTED_BYTES = 64 << 20 };

static enum exit_status usage(void) {
    fputs("see 'tcplan plans --help'\n", stderr);
    return EXIT_USAGE;
}

static bool has_place(struct tcplan_stored_plans *plans) {
    if (tcplan_stored_plans_path(plans)) return true;
    diagnose(
        "there is no place for plans: $TCPLAN_PLANS or $TCPLAN_STORE is empty, or there is no home; --plans FILE names one");
    return false;
}

/* Listing and showing. */

static enum exit_status list_plans(struct tcplan_stored_plans *plans, const struct options *options,
                                   const char *word) {
    struct output_file out = {0};
    struct tcplan_error error;
    struct tcplan_plan_list list = {0};
    struct printed printed;
    (void)word;
    enum exit_status status = tcplan_stored_plans_list(&list, plans, &error) == TCPLAN_OK
                                  ? EXIT_DONE
                                  : diagnose_error(&error, NULL);
    if (status == EXIT_DONE && output_open(&out, options->output, &error) != TCPLAN_OK)
        status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) {
        printed_begin(&printed, &out, options->format);
        printed.format->plans(
            &printed.writer,
            &(struct plans_listing){.path = tcplan_stored_plans_path(plans), .list = &list});
        status = printed_end(&printed);
    }
    output_file_discard(&out);
    tcplan_plan_list_free(&list);
    return status;
}

static enum exit_status print_text(const struct options *options, const char *text) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    fputs(text, out.file);
    const enum exit_status status = printed_complete(&out);
    output_file_discard(&out);
    return status;
}

static enum exit_status refuse_name(const char *name) {
    diagnose(
        "no plan is stored whose name begins with '%.40s'; `tcplan plans list` says what there is",
        name);
    return EXIT_REFUSED;
}

/** Everything whose name begins so, one below the other; without a name all that is used here. */
static enum exit_status show_plans(struct tcplan_stored_plans *plans, const struct options *options,
                                   const char *word) {
    struct tcplan_error error;
    struct tcplan_plan_list list = {0};
    struct strbuf text = {0};
    enum exit_status status = tcplan_stored_plans_list(&list, plans, &error) == TCPLAN_OK
                                  ? EXIT_DONE
                                  : diagnose_error(&error, NULL);
    for (size_t i = 0; i < list.count && status == EXIT_DONE; i++) {
        const struct tcplan_plan_item *item = &list.item[i];
        const bool is_meant = word ? *item->name && strncmp(item->name, word, strlen(word)) == 0
                                   : item->status == TCPLAN_OK;
        if (!is_meant) continue;
        if (text.length > 0) strbuf_add(&text, "\n");
        plans_show(&text, item);
    }
    tcplan_plan_list_free(&list);
    if (status == EXIT_DONE && text.failed) status = diagnose_no_memory();
    if (status == EXIT_DONE && text.length == 0 && word) status = refuse_name(word);
    if (status == EXIT_DONE) status = print_text(options, text.length > 0 ? text.text : "");
    strbuf_free(&text);
    return status;
}

/* Forgetting. */

static enum exit_status forget_plans(struct tcplan_stored_plans *plans,
                                     const struct options *options, const char *word) {
    const struct tcplan_plan_choice choice = {.name = word,
                                              .least_days = (double)options->older_days,
                                              .unusable = options->unusable,
                                              .most = options->most};
    struct tcplan_error error;
    size_t count = 0;
    if (!word && !options->all && !options->unusable && !(options->older_days > 0) &&
        !(options->most > 0)) {
        diagnose(
            "plans forget needs what is to be forgotten: a NAME as `tcplan plans list` has it, --older, --unusable, --most or --all");
        return usage();
    }
    if (word && strlen(word) < 4) {
        diagnose("plans forget needs four digits at least of a NAME, found '%.40s'", word);
        return usage();
    }
    if (tcplan_stored_plans_forget(&count, plans, &choice, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    if (count == 0 && word) return refuse_name(word);
    if (!options->quiet) diagnose("%zu plan%s forgotten", count, count == 1 ? "" : "s");
    return EXIT_DONE;
}

/* Exchanging. */

static enum exit_status export_plans(struct tcplan_stored_plans *plans,
                                     const struct options *options, const char *word) {
    struct options to = *options;
    struct tcplan_error error;
    char *text = NULL;
    size_t count = 0;
    if (word && options->output) {
        diagnose("plans export writes to one file: '%.120s' or '%.120s'", word, options->output);
        return usage();
    }
    if (word) to.output = word;
    if (tcplan_stored_plans_export(&text, &count, plans, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    const enum exit_status status = print_text(&to, text);
    free(text);
    if (status == EXIT_DONE && !options->quiet)
        diagnose("%zu plan%s exported", count, count == 1 ? "" : "s");
    return status;
}

static enum exit_status import_plans(struct tcplan_stored_plans *plans,
                                     const struct options *options, const char *word) {
    struct tcplan_plan_import import = {0};
    struct tcplan_error error = {0};
    char *text = NULL;
    size_t length = 0;
    if (!has_place(plans)) return EXIT_ENVIRONMENT;
    if (input_file_read(&text, &length, "", word, MOST_IMPORTED_BYTES, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    const enum tcplan_status imported =
        tcplan_stored_plans_import(&import, plans, text, length, &error);
    base_free(text);
    const bool any = import.added + import.known + import.refused > 0;
    if (any && !options->quiet) {
        diagnose("%zu plan%s added, %zu known already, %zu refused", import.added,
                 import.added == 1 ? "" : "s", import.known, import.refused);
    }
    if (imported == TCPLAN_OK) return EXIT_DONE;
    diagnose("'%.120s': %.200s", word, error.message);
    return imported == TCPLAN_INVALID || imported == TCPLAN_MISMATCH ? EXIT_REFUSED
                                                                     : EXIT_ENVIRONMENT;
}

/* The actions. */

typedef enum exit_status act_fn(struct tcplan_stored_plans *plans, const struct options *options,
                                const char *word);

/** Opens the plans, and calls `act` with the word behind the action (NULL: there is none). */
static enum exit_status run(const struct options *options, act_fn *act) {
    struct tcplan_machine machine;
    struct tcplan_error error;
    struct tcplan_stored_plans *plans = NULL;
    if (tcplan_machine_load(&machine, "live", &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    enum exit_status status = plans_open_place(&plans, &machine, options);
    if (status == EXIT_DONE)
        status = act(plans, options, options->argument_count > 1 ? options->arguments[1] : NULL);
    tcplan_stored_plans_close(plans);
    return status;
}

static enum exit_status list(const struct options *options) {
    return run(options, list_plans);
}

static enum exit_status show(const struct options *options) {
    return run(options, show_plans);
}

static enum exit_status forget(const struct options *options) {
    return run(options, forget_plans);
}

static enum exit_status export_all(const struct options *options) {
    return run(options, export_plans);
}

static enum exit_status import_all(const struct options *options) {
    return run(options, import_plans);
}

const struct action plans_actions[] = {
    {"list", PLANS_LIST, NULL, "list the plans (default)", NULL, 0, FILE_NONE, NULL, list},
    {"show", PLANS_SHOW, "[NAME]", "print plans", NULL, 1, FILE_NONE, NULL, show},
    {"forget", PLANS_FORGET, "[NAME]", "delete plans", NULL, 1, FILE_NONE, NULL, forget},
    {"export", PLANS_EXPORT, "[FILE]", "write all plans to a file", NULL, 1, FILE_OUTPUT, NULL,
     export_all},
    {"import", PLANS_IMPORT, "FILE", "add the plans of a file",
     "one file, as `tcplan plans export` writes it", 1, FILE_INPUT, NULL, import_all},
    {0},
};
