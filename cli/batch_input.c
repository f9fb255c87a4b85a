#include "cli/batch_input.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/finding_cache.h"
#include "cli/shipped.h"

static ptrdiff_t read_stdin(void *context, char *buffer, size_t size) {
    (void)context;
    for (;;) {
        const ssize_t count = read(STDIN_FILENO, buffer, size);
        if (count >= 0 || errno != EINTR) return count;
    }
}

static enum exit_status open_library(struct batch_input *input) {
    const struct options *options = input->options;
    const char *argument = options->arguments[input->at];
    const struct tcplan_library_options library = {.format = (enum tcplan_library_format)options->from,
                                                   .dtype = (enum tcplan_dtype)options->dtype,
                                                   .order = (enum tcplan_order)options->order,
                                                   .threads = options->threads};
    struct tcplan_error error;
    if (strcmp(argument, "-") == 0) {
        enum tcplan_status status = tcplan_library_from(&input->library, read_stdin, NULL, "-", &library, &error);
        return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
    }
    char *path = shipped_find(argument);
    if (!path) return diagnose_no_memory();
    enum tcplan_status status = tcplan_library_open(&input->library, path, &library, &error);
    free(path);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

static void close_library(struct batch_input *input) {
    tcplan_library_close(input->library);
    input->library = NULL;
}

/** Without --class all but the optional ones; with `all` every one. */
static bool is_of_class(const struct tcplan_library_entry *entry, const char *size_class) {
    if (!size_class) return !entry->optional;
    return strcmp(size_class, "all") == 0 || strcmp(size_class, entry->size_class) == 0;
}

/** --only is a pattern for the name, or for GROUP/NAME where it has a slash. */
static bool is_wanted(const struct tcplan_library_entry *entry, const struct options *options) {
    char full[200];
    if (!is_of_class(entry, options->size_class)) return false;
    if (!options->only) return true;
    snprintf(full, sizeof full, "%s/%s", entry->group, entry->name);
    return fnmatch(options->only, strchr(options->only, '/') ? full : entry->name, 0) == 0;
}

enum exit_status batch_input_next(struct batch_input *input, const struct tcplan_library_entry **out) {
    struct tcplan_error error;
    *out = NULL;
    while (input->at < input->options->argument_count) {
        enum exit_status opened = input->library ? EXIT_DONE : open_library(input);
        if (opened != EXIT_DONE) return opened;
        if (tcplan_library_next(input->library, out, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
        if (*out && is_wanted(*out, input->options)) return EXIT_DONE;
        if (*out) continue;
        close_library(input);
        input->at++;
    }
    *out = NULL;
    return EXIT_DONE;
}

void batch_input_rewind(struct batch_input *input) {
    close_library(input);
    input->at = 0;
}

bool batch_input_is_stream(const struct batch_input *input) {
    for (int a = 0; a < input->options->argument_count; a++) {
        if (strcmp(input->options->arguments[a], "-") == 0) return true;
    }
    return false;
}

bool batch_input_in_shard(const struct tcplan_library_entry *entry, const struct options *options) {
    struct tcplan_problem problem;
    if (options->shards == 0) return true;
    uint64_t hash = strtoull(entry->id, NULL, 16);
    if (entry->contraction && tcplan_problem_init(&problem, entry->contraction, entry->extent, entry->dtype, NULL) == TCPLAN_OK) {
        char *canonical = tcplan_problem_canonical(&problem);
        if (canonical) hash = finding_hash(canonical) + (uint64_t)entry->threads;
        free(canonical);
    }
    return hash % (uint64_t)options->shards == (uint64_t)options->shard - 1;
}

void batch_input_tell_fault(const struct tcplan_library_entry *entry) {
    struct tcplan_error error = *entry->fault;
    snprintf(error.message, sizeof error.message, "%.60s:%zu: %.60s: %.160s", entry->library, entry->line, entry->name,
             entry->fault->message);
    diagnose_error(&error, entry->fault_text);
}
