#include "cli/collection.h"

#include <string.h>

#include "cli/output/printed.h"

const char *collection_word(const struct options *options) {
    return options->argument_count > 1 ? options->arguments[1] : NULL;
}

/** Executes an action of `store`, `plans` or `model` on an open collection. */
typedef enum exit_status act_fn(const struct collection *of, void *things,
                                const struct options *options);

/** Returns whether the word after the action selects something. Without such a word, returns
 * true. */
static bool is_chosen(const struct collection *of, const void *things,
                      const struct options *options) {
    return !collection_word(options) || of->has_chosen(things, options);
}

static const char *named(const struct collection *of, size_t count) {
    return count == 1 ? of->one : of->many;
}

static enum exit_status print(const struct collection *of, void *things,
                              const struct options *options) {
    if (!is_chosen(of, things, options)) return EXIT_REFUSED;
    return of->print(options, things);
}

static enum exit_status show(const struct collection *of, void *things,
                             const struct options *options) {
    struct strbuf text = {0};
    if (!of->show) return print(of, things, options);
    if (!is_chosen(of, things, options)) return EXIT_REFUSED;
    if (of->show(&text, things, options) == TCPLAN_OK)
        return printed_text(options->output, strbuf_finish(&text));
    strbuf_free(&text);
    return diagnose_failure(NULL);
}

static enum exit_status forget(const struct collection *of, void *things,
                               const struct options *options) {
    const char *word = collection_word(options);
    size_t count = 0;
    if (!word && !options->all && !options->unusable && options->older_days <= 0 &&
        options->most <= 0)
        return options_refuse(options, "%s forget needs %s", of->command, of->forget_needs);
    if (word && strlen(word) < of->least_name)
        return options_refuse(options,
                              "%s forget needs at least %zu characters of a NAME, found '%.40s'",
                              of->command, of->least_name, word);
    if (of->forget(&count, things, options) != TCPLAN_OK) return diagnose_failure(NULL);
    if (count == 0 && word && !of->has_chosen(things, options)) return EXIT_REFUSED;
    if (!options->quiet) diagnose("%zu %s deleted", count, named(of, count));
    return EXIT_DONE;
}

static enum exit_status write_all(const struct collection *of, void *things,
                                  const struct options *options) {
    const bool to_argument = options->action->arguments_role == FILE_OUTPUT;
    const char *word = to_argument ? collection_word(options) : NULL;
    struct output_file out = {0};
    size_t count = 0;
    if (word && options->output)
        return options_refuse(options, "%s export writes to one file: '%.120s' or '%.120s'",
                              of->command, word, options->output);
    if (!to_argument && !of->has_chosen(things, options)) return EXIT_REFUSED;
    enum exit_status status = output_begin(&out, word ? word : options->output);
    if (status == EXIT_DONE) status = diagnosed(of->write(out.file, &count, things));
    status = output_end(&out, status);
    if (status == EXIT_DONE && !options->quiet)
        diagnose("%zu %s exported", count, named(of, count));
    return status;
}

static enum exit_status import(const struct collection *of, void *things,
                               const struct options *options) {
    return of->import(things, options, collection_word(options));
}

enum exit_status collection_run(const struct options *options) {
    static const struct {
        const char *name;
        act_fn *act;
    } acts[] = {{"list", print},
                {"show", show},
                {"forget", forget},
                {"export", write_all},
                {"import", import}};
    const struct collection *of = options->action->of;
    size_t a = 0;
    while (strcmp(acts[a].name, options->action->name) != 0) a++;
    void *things = NULL;
    enum exit_status status = of->open(&things, options);
    if (status == EXIT_DONE) status = acts[a].act(of, things, options);
    if (things) of->close(things);
    return status;
}
