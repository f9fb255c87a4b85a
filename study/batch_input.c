#include "study/batch_input.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "study/blocks.h"
#include "tcplan/canonical.h"

static bool is_stream(const char *library) {
    return strcmp(library, "-") == 0;
}

static enum tcplan_status open_library(struct batch_input *input, struct tcplan_error *error) {
    const struct tcplan_batch_options *options = input->options;
    const char *path = options->libraries[input->at];
    if (!is_stream(path))
        return tcplan_library_open(&input->library, path, &options->library, error);
    return tcplan_library_from(&input->library, options->read, options->read_context, path,
                               &options->library, error);
}

static void close_library(struct batch_input *input) {
    tcplan_library_close(input->library);
    input->library = NULL;
}

/** Returns whether an entry is in a class. NULL selects all entries except optional ones, `all`
 * every entry. */
static bool is_of_class(const struct tcplan_library_entry *entry, const char *size_class) {
    if (!size_class) return !entry->optional;
    return strcmp(size_class, "all") == 0 || strcmp(size_class, entry->size_class) == 0;
}

/** Returns whether an entry is selected. A pattern with a slash is compared with GROUP/NAME, others
 * with NAME. */
static bool is_wanted(const struct tcplan_library_entry *entry,
                      const struct tcplan_batch_options *options) {
    char full[200];
    if (!is_of_class(entry, options->size_class)) return false;
    if (!options->only) return true;
    snprintf(full, sizeof full, "%s/%s", entry->group, entry->name);
    return fnmatch(options->only, strchr(options->only, '/') ? full : entry->name, 0) == 0;
}

/** Sets the fault of a block-sparse entry if its blocks are invalid. */
static enum tcplan_status check_blocks(struct batch_input *input,
                                       const struct tcplan_library_entry **entry,
                                       struct tcplan_error *error) {
    struct tcplan_block_product *product = NULL;
    const char *wrong = NULL;
    if (!entry_is_blocks(*entry) || (*entry)->fault) return TCPLAN_OK;
    const enum tcplan_status status = blocks_product(&product, *entry, &wrong, &input->fault);
    tcplan_block_product_free(product);
    if (status == TCPLAN_OK) return TCPLAN_OK;
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    input->refused = **entry;
    input->refused.contraction = NULL;
    input->refused.fault = &input->fault;
    input->refused.fault_text = wrong ? wrong : (*entry)->sections;
    if (!wrong) input->fault.column = input->fault.length = 0;
    *entry = &input->refused;
    return TCPLAN_OK;
}

enum tcplan_status batch_input_next(struct batch_input *input,
                                    const struct tcplan_library_entry **out,
                                    struct tcplan_error *error) {
    *out = NULL;
    while (input->at < input->options->library_count) {
        enum tcplan_status status = input->library ? TCPLAN_OK : open_library(input, error);
        if (status == TCPLAN_OK) status = tcplan_library_next(input->library, out, error);
        if (status != TCPLAN_OK) return status;
        if (*out && is_wanted(*out, input->options)) return check_blocks(input, out, error);
        if (*out) continue;
        close_library(input);
        input->at++;
    }
    *out = NULL;
    return TCPLAN_OK;
}

void batch_input_rewind(struct batch_input *input) {
    close_library(input);
    input->at = 0;
}

bool batch_input_is_stream(const struct batch_input *input) {
    for (int l = 0; l < input->options->library_count; l++) {
        if (is_stream(input->options->libraries[l])) return true;
    }
    return false;
}

bool batch_input_in_shard(const struct batch_input *input,
                          const struct tcplan_library_entry *entry) {
    const struct tcplan_results_file_options *file = &input->options->file;
    struct tcplan_problem problem;
    if (file->shards == 0) return true;
    uint64_t hash = strtoull(entry->id, NULL, 16);
    if (entry_is_blocks(entry)) {
        struct strbuf key = {0};
        blocks_key(&key, entry);
        if (!key.failed) hash = hash_text(key.text) + (uint64_t)entry->threads;
        strbuf_free(&key);
    } else if (entry->contraction &&
               tcplan_problem_init(&problem, entry->contraction, entry->extent, entry->dtype,
                                   NULL) == TCPLAN_OK) {
        char *canonical = tcplan_problem_canonical(&problem);
        if (canonical) hash = hash_text(canonical) + (uint64_t)entry->threads;
        free(canonical);
    }
    return hash % (uint64_t)file->shards == (uint64_t)file->shard - 1;
}
