#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/id_set.h"
#include "cli/commands.h"
#include "cli/emitted_folder.h"
#include "cli/output_file.h"
#include "cli/render/results_writer.h"

/** A provenance of the merged results. */
struct merged_provenance {
    struct merged_provenance *next;
    struct tcplan_provenance provenance;
};

/** Files of results becoming one. */
struct merge {
    const struct options *options;
    struct results_writer writer; /* without a file, all is only checked */
    struct arena arena;
    struct merged_provenance *provenances; /* the last one first */
    int64_t provenance_count;
    struct id_set ids;
    int64_t shards;  /* 0: files that are no shards */
    bool *seen;      /* which shards */
    uint64_t digest; /* of all entries, as the first shard says */
    struct tcplan_results_summary summary;
};

static const char *keep(struct merge *merge, const char *text) {
    const char *copy = arena_strndup(&merge->arena, text, strlen(text));
    return copy ? copy : "";
}

/** The merged provenance equal to one of a file; NULL where there is none. */
static const struct tcplan_provenance *find_provenance(const struct merge *merge, const struct tcplan_provenance *found) {
    char difference[8];
    for (const struct merged_provenance *known = merge->provenances; known; known = known->next) {
        const bool equal = tcplan_provenance_equal(&known->provenance, found, difference, sizeof difference);
        if (equal && strcmp(known->provenance.host, found->host) == 0) return &known->provenance;
    }
    return NULL;
}

static const struct tcplan_provenance *add_provenance(struct merge *merge, const struct tcplan_provenance *found) {
    struct merged_provenance *added = arena_alloc(&merge->arena, sizeof *added);
    if (!added) return NULL;
    *added = (struct merged_provenance){.next = merge->provenances, .provenance = *found};
    struct tcplan_provenance *provenance = &added->provenance;
    provenance->id = ++merge->provenance_count;
    provenance->tcplan = keep(merge, found->tcplan);
    provenance->settings = keep(merge, found->settings);
    provenance->host = keep(merge, found->host);
    provenance->cpu = keep(merge, found->cpu);
    provenance->machine = keep(merge, found->machine);
    provenance->blas_name = keep(merge, found->blas_name);
    provenance->blas_version = keep(merge, found->blas_version);
    provenance->blas_core = keep(merge, found->blas_core);
    merge->provenances = added;
    return provenance;
}

/** Which provenance a record has in the merged results; NULL after a message. */
static const struct tcplan_provenance *merged_provenance(struct merge *merge, const char *path, const struct tcplan_provenance *found,
                                                         enum exit_status *status) {
    char difference[240] = "";
    const struct tcplan_provenance *known = find_provenance(merge, found);
    if (known) return known;
    if (merge->provenances && !merge->options->mixed &&
        !tcplan_provenance_equal(&merge->provenances->provenance, found, difference, sizeof difference)) {
        diagnose("'%s' holds results of other provenance than those before it (%s); --mixed joins them", path, difference);
        *status = EXIT_REFUSED;
        return NULL;
    }
    known = add_provenance(merge, found);
    if (!known) *status = diagnose_no_memory();
    return known;
}

static enum exit_status merge_record(struct merge *merge, const char *path, const struct tcplan_result *found) {
    enum exit_status status = EXIT_DONE;
    struct tcplan_result result = *found;
    const uint64_t id = strtoull(result.id, NULL, 16);
    if (id_set_has(&merge->ids, id)) {
        diagnose("'%s' overlaps with the files before it: both have a result of %.60s, %.80s (id %s)", path, result.name, result.sizes,
                 result.id);
        return EXIT_REFUSED;
    }
    if (!id_set_add(&merge->ids, id)) return diagnose_no_memory();
    result.provenance = merged_provenance(merge, path, found->provenance, &status);
    if (status != EXIT_DONE) return status;
    merge->summary.result_count++;
    merge->summary.failed_count += result.reason != NULL;
    merge->summary.digest += id;
    if (merge->writer.file) results_writer_put(&merge->writer, &result);
    return merge->writer.no_memory ? diagnose_no_memory() : EXIT_DONE;
}

static enum exit_status merge_records(struct merge *merge, const char *path, struct tcplan_results *results) {
    const struct tcplan_result *result;
    struct tcplan_error error;
    for (;;) {
        if (tcplan_results_next(results, &result, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
        if (!result) return EXIT_DONE;
        enum exit_status status = merge_record(merge, path, result);
        if (status != EXIT_DONE) return status;
    }
}

/** Shards of one batch only, each once; or files that are none. */
static enum exit_status check_shard(struct merge *merge, const char *path, const struct tcplan_results_summary *found, bool first) {
    if (first) merge->shards = found->shards;
    if (found->shards != merge->shards && (found->shards == 0 || merge->shards == 0)) {
        diagnose("'%s' is %s, unlike the files before it", path, found->shards == 0 ? "no shard" : "a shard");
        return EXIT_REFUSED;
    }
    if (found->shards != merge->shards) {
        diagnose("'%s' is shard %" PRId64 "/%" PRId64 ", expected a shard of %" PRId64 " as the files before it", path, found->shard,
                 found->shards, merge->shards);
        return EXIT_REFUSED;
    }
    if (merge->shards == 0) return EXIT_DONE;
    if (first) {
        merge->seen = arena_alloc(&merge->arena, (size_t)merge->shards * sizeof *merge->seen);
        if (!merge->seen) return diagnose_no_memory();
    }
    if (merge->seen[found->shard - 1]) {
        diagnose("'%s' overlaps with the files before it: one of them is shard %" PRId64 "/%" PRId64 " too", path, found->shard,
                 found->shards);
        return EXIT_REFUSED;
    }
    merge->seen[found->shard - 1] = true;
    return EXIT_DONE;
}

/** Only results of batches that came to their end, and, of shards, of the same libraries. */
static enum exit_status check_end(struct merge *merge, const char *path, const struct tcplan_results_summary *found, bool first) {
    if (found->state != TCPLAN_RESULTS_COMPLETE) {
        diagnose("'%s' is not complete: its batch was interrupted or is running", path);
        return EXIT_REFUSED;
    }
    if (first) merge->summary.entry_count = found->entry_count;
    if (merge->shards == 0) merge->summary.entry_count = merge->summary.result_count;
    if (first) merge->digest = found->digest;
    if (merge->shards == 0 || (found->digest == merge->digest && found->entry_count == merge->summary.entry_count)) return EXIT_DONE;
    diagnose("'%s' is a shard of other libraries than the files before it: %" PRId64 " contractions and %" PRId64, path, found->entry_count,
             merge->summary.entry_count);
    return EXIT_REFUSED;
}

static enum exit_status merge_file(struct merge *merge, const char *path, bool first) {
    struct tcplan_results *results = NULL;
    struct tcplan_error error;
    if (tcplan_results_open(&results, path, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    struct tcplan_results_summary found = tcplan_results_summary(results);
    enum exit_status status = check_shard(merge, path, &found, first);
    if (status == EXIT_DONE) status = merge_records(merge, path, results);
    found = tcplan_results_summary(results);
    if (status == EXIT_DONE) status = check_end(merge, path, &found, first);
    tcplan_results_close(results);
    return status;
}

/** All shards, and with them all entries. */
static enum exit_status check_gaps(const struct merge *merge) {
    for (int64_t shard = 1; shard <= merge->shards; shard++) {
        if (merge->seen[shard - 1]) continue;
        diagnose("shard %" PRId64 "/%" PRId64 " is missing", shard, merge->shards);
        return EXIT_REFUSED;
    }
    if (merge->summary.result_count == merge->summary.entry_count) return EXIT_DONE;
    diagnose("expected %" PRId64 " results, as many as the libraries have contractions, found %" PRId64, merge->summary.entry_count,
             merge->summary.result_count);
    return EXIT_REFUSED;
}

static enum exit_status merge_files(struct merge *merge) {
    for (int f = 0; f < merge->options->argument_count; f++) {
        enum exit_status status = merge_file(merge, merge->options->arguments[f], f == 0);
        if (status != EXIT_DONE) return status;
    }
    return check_gaps(merge);
}

/** Forgets what was met, to begin anew. */
static void forget(struct merge *merge) {
    id_set_free(&merge->ids);
    arena_free(&merge->arena);
    *merge = (struct merge){.options = merge->options};
}

static int format_of_output(const struct options *options) {
    if (options->format_given) return options->format;
    return options->output ? results_format_of_path(options->output) : OUTPUT_XML;
}

static enum exit_status write_merged(struct merge *merge) {
    struct output_file output = {0};
    struct tcplan_error error;
    if (output_file_open(&output, merge->options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    merge->writer.file = output.file;
    results_writer_begin(&merge->writer, format_of_output(merge->options));
    enum exit_status status = merge_files(merge);
    if (status == EXIT_DONE) results_writer_end(&merge->writer, &merge->summary);
    if (status == EXIT_DONE && merge->writer.no_memory) status = diagnose_no_memory();
    if (status == EXIT_DONE && output_file_commit(&output, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    output_file_discard(&output);
    if (status == EXIT_DONE && merge->options->emit) {
        status = emitted_folder_write(merge->options->emit, merge->options->output, merge->options->quiet);
    }
    return status;
}

/** Functions are made from the merged results as they lie in the file. */
static bool can_emit(const struct options *options) {
    return !options->emit || format_of_output(options) == OUTPUT_XML;
}

enum exit_status cmd_merge(const struct options *options) {
    struct merge merge = {.options = options};
    if (options->argument_count == 0) {
        diagnose("merge needs files of results");
        fputs("see 'tcplan merge --help'\n", stderr);
        return EXIT_USAGE;
    }
    if (!can_emit(options)) {
        diagnose("--emit needs results in XML, as -o merged.xml");
        return EXIT_USAGE;
    }
    enum exit_status status = merge_files(&merge); /* what is refused leaves nothing half written */
    forget(&merge);
    if (status == EXIT_DONE) status = write_merged(&merge);
    forget(&merge);
    return status;
}
