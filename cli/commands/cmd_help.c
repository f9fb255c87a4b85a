#include <string.h>

#include "cli/commands/commands.h"
#include "cli/options/help.h"
#include "cli/output/printed.h"

static enum exit_status write_manual(struct task *task, const struct command *command) {
    enum exit_status status = output_begin(&task->out, task->options->output);
    if (status == EXIT_DONE && !manual_print(task->out.file, command))
        status = diagnose_no_memory();
    return status == EXIT_DONE ? printed_complete(&task->out) : status;
}

/** Prints the JSON schema with this name; if `name` is NULL, lists all names. */
static enum exit_status write_schema(const char *path, const char *name) {
    struct strbuf text = {0};
    const struct named_view *view = views;
    while (name && view->name && strcmp(view->name, name) != 0) view++;
    if (!view->name)
        return diagnose_as(
            EXIT_USAGE, "there is no schema of '%.80s'; `tcplan help --schema` lists them", name);
    if (name) view_add_schema(&text, view);
    for (; !name && view->name; view++) strbuf_add(&text, "%s\n", view->name);
    return printed_text(path, strbuf_finish(&text));
}

static enum exit_status run(struct task *task) {
    const struct options *options = task->options;
    const char *name = options->argument;
    if (options->schema) return write_schema(options->output, name);
    const struct command *command = name ? help_find(name) : NULL;
    const struct topic topic = name ? topic_find(name) : (struct topic){0};
    if (name && !command && (options->man || !topic.name)) return help_unknown(name, !options->man);
    if (options->man) return write_manual(task, command);
    return help_print_about(command, topic.name ? &topic : NULL);
}

const struct command command_help = {"help",
                                     COMMAND(HELP),
                                     "[COMMAND | TOPIC] [--man | --schema]",
                                     "explain a command or a topic",
                                     "  tcplan help measure\n"
                                     "  tcplan help notation\n"
                                     "  tcplan help rank --man | man -l -\n",
                                     .offer = help_offer,
                                     .run = run};
