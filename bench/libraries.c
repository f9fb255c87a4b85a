/**
 * Measures the cost of reading and writing in a batch, planning excluded: entries read and
 * validated, records written, read back and found again, in microseconds each, and the memory that
 * reading needs.
 *
 *   bench_libraries [ENTRIES]...            default: 1000, 10000, 100000
 *   bench_libraries --keep FILE ENTRIES     for bench/speed: writes such a file of results,
 *   bench_libraries --read FILE             reads and validates it,
 *   bench_libraries --resume FILE           opens it to continue with it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tcplan/results_file.h"
#include "tcplan/unstable.h"

enum { LINE_MAX_BYTES = 512 };

/** A library that is generated while it is read. */
struct source {
    bool xml;
    long entries;
    long next; /* number of the next entry; -1: the start of the root element */
    char piece[LINE_MAX_BYTES];
    size_t at;
    size_t length;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int make_xml(struct source *source) {
    if (source->next < 0)
        return snprintf(source->piece, sizeof source->piece, "<library format=\"1\">\n");
    if (source->next == source->entries)
        return snprintf(source->piece, sizeof source->piece, "</library>\n");
    return snprintf(
        source->piece, sizeof source->piece,
        "  <contraction name=\"c%ld\" formula=\"C_abc=A_ai*B_ibc\" types=\"d\">\n    <source>From somewhere</source>\n"
        "    <sizes class=\"small\">a=b=c=%ld,i=8</sizes>\n  </contraction>\n",
        source->next, source->next + 1);
}

static int make_list(struct source *source) {
    if (source->next < 0 || source->next == source->entries) return 0;
    return snprintf(source->piece, sizeof source->piece,
                    "c%ld | abc | ai | ibc | a=%ld b=%ld c=%ld i=8\n", source->next,
                    source->next + 1, source->next + 1, source->next + 1);
}

/** Reads the next bytes of the library; implements tcplan_read_fn. */
static ptrdiff_t read_source(void *context, char *buffer, size_t size) {
    struct source *source = context;
    while (source->at == source->length && source->next <= source->entries) {
        source->length = (size_t)(source->xml ? make_xml(source) : make_list(source));
        source->at = 0;
        source->next++;
    }
    size_t count = source->length - source->at;
    if (count > size) count = size;
    memcpy(buffer, source->piece + source->at, count);
    source->at += count;
    return (ptrdiff_t)count;
}

static void check(enum tcplan_status status, const struct tcplan_error *error) {
    if (status == TCPLAN_OK) return;
    fprintf(stderr, "bench_libraries: %s\n", error->message);
    exit(EXIT_FAILURE);
}

static struct tcplan_library *open_source(struct source *source, bool xml, long entries) {
    const struct tcplan_library_options options = {.dtype = TCPLAN_DOUBLE, .threads = 1};
    struct tcplan_library *library = NULL;
    struct tcplan_error error;
    *source = (struct source){.xml = xml, .entries = entries, .next = -1};
    check(tcplan_library_from(&library, read_source, source, "made-up", &options, &error), &error);
    return library;
}

static double time_reading(bool xml, long entries) {
    struct source source;
    const struct tcplan_library_entry *entry;
    struct tcplan_error error;
    const double started = now();
    struct tcplan_library *library = open_source(&source, xml, entries);
    long count = 0;
    for (;; count++) {
        check(tcplan_library_next(library, &entry, &error), &error);
        if (!entry) break;
    }
    tcplan_library_close(library);
    const double seconds = now() - started;
    if (count != entries) exit(EXIT_FAILURE);
    return seconds;
}

/** Makes a record like those of a batch with --measure. Times have as many digits as a double
 * needs. */
static struct tcplan_result record_of(const struct tcplan_library_entry *entry) {
    static const struct tcplan_result_algorithm algorithm[5] = {{.name = "c-dgemm",
                                                                 .kernel = "dgemm",
                                                                 .tied = true,
                                                                 .calls = 400,
                                                                 .predicted_seconds = 0.1 / 3,
                                                                 .predicted_low = 0.1 / 3.1,
                                                                 .predicted_high = 0.1 / 2.9,
                                                                 .measured_seconds = 0.1 / 3.3,
                                                                 .measured_low = 0.1 / 3.4,
                                                                 .measured_high = 0.1 / 3.2},
                                                                {.name = "b-dgemm",
                                                                 .kernel = "dgemm",
                                                                 .tied = true,
                                                                 .predicted_seconds = 0.1 / 2.9,
                                                                 .predicted_low = 0.1 / 3,
                                                                 .predicted_high = 0.1 / 2.8},
                                                                {.name = "cb-dgemv",
                                                                 .kernel = "dgemv",
                                                                 .measured_seconds = 0.2 / 3,
                                                                 .measured_low = 0.2 / 3.1,
                                                                 .measured_high = 0.2 / 2.9},
                                                                {.name = "bc-dgemv",
                                                                 .kernel = "dgemv",
                                                                 .measured_seconds = 0.2 / 2.9,
                                                                 .measured_low = 0.2 / 3,
                                                                 .measured_high = 0.2 / 2.8},
                                                                {.name = "cbi-daxpy",
                                                                 .kernel = "daxpy",
                                                                 .measured_seconds = 0.7 / 3,
                                                                 .measured_low = 0.7 / 3.1,
                                                                 .measured_high = 0.7 / 2.9}};
    struct tcplan_result result = {.library = entry->library,
                                   .group = entry->group,
                                   .name = entry->name,
                                   .size_class = entry->size_class,
                                   .source = entry->source,
                                   .contraction = entry->formula,
                                   .sizes = entry->sizes,
                                   .dtype = entry->dtype,
                                   .threads = entry->threads,
                                   .flops = 1e9,
                                   .planning_seconds = 0.5 / 3,
                                   .gemm_gflops = 180.0 / 2.9,
                                   .finished = "2017-11-30T23:59:59Z",
                                   .algorithm_count = 5,
                                   .algorithm = algorithm};
    memcpy(result.id, entry->id, sizeof result.id);
    return result;
}

static struct tcplan_results_file *open_results(const char *path) {
    static struct tcplan_provenance provenance = {.tcplan = "",
                                                  .settings = "",
                                                  .host = "",
                                                  .cpu = "",
                                                  .machine = "",
                                                  .blas_name = "",
                                                  .blas_version = "",
                                                  .blas_core = "",
                                                  .cores = 1,
                                                  .processing_units = 1};
    const struct tcplan_results_file_options options = {0};
    struct tcplan_results_file *file = NULL;
    struct tcplan_error error;
    check(tcplan_results_file_open(&file, path, &provenance, &options, &error), &error);
    return file;
}

/** Writes a record for each entry of a library; if `synced`, each one is written to the disk before
 * the next. */
static double time_writing(const char *path, long entries, bool synced) {
    struct source source;
    const struct tcplan_library_entry *entry;
    struct tcplan_error error;
    const double started = now();
    struct tcplan_library *library = open_source(&source, true, entries);
    struct tcplan_results_file *file = open_results(path);
    for (;;) {
        check(tcplan_library_next(library, &entry, &error), &error);
        if (!entry) break;
        struct tcplan_result result = record_of(entry);
        check(tcplan_results_file_append(file, &result, synced, &error), &error);
    }
    check(tcplan_results_file_finish(file, entries, 0, &error), &error);
    tcplan_results_file_close(file);
    tcplan_library_close(library);
    return now() - started;
}

/** Opens the finished file as a repeated command does: reads and validates all records, and finds
 * each one by its id. */
static double time_resuming(const char *path, long entries) {
    const double started = now();
    struct tcplan_results_file *file = open_results(path);
    if (tcplan_results_file_summary(file).result_count != entries) exit(EXIT_FAILURE);
    tcplan_results_file_close(file);
    return now() - started;
}

static int read_results(const char *path) {
    const struct tcplan_result *result;
    struct tcplan_results *results = NULL;
    struct tcplan_error error;
    check(tcplan_results_open(&results, path, &error), &error);
    do check(tcplan_results_next(results, &result, &error), &error);
    while (result);
    tcplan_results_close(results);
    return 0;
}

static long resident_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void study(long entries) {
    enum { SYNCED_MAX = 1000 };
    char path[64];
    snprintf(path, sizeof path, "bench_libraries.%ld.xml", (long)getpid());
    const double per_entry = 1e6 / (double)entries;
    const double xml = time_reading(true, entries), list = time_reading(false, entries);
    const long memory = resident_kib();
    const long synced_entries = entries < SYNCED_MAX ? entries : SYNCED_MAX;
    const double written = time_writing(path, entries, false),
                 resumed = time_resuming(path, entries);
    unlink(path);
    const double synced = time_writing(path, synced_entries, true);
    unlink(path);
    printf("%8ld %10.3f %10.1f %10.1f %10ld %10.1f %10.1f %10.1f\n", entries, xml, xml * per_entry,
           list * per_entry, memory, written * per_entry, synced * 1e6 / (double)synced_entries,
           resumed * per_entry);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--keep") == 0)
        return time_writing(argv[2], strtol(argv[3], NULL, 10), false) < 0;
    if (argc == 3 && strcmp(argv[1], "--read") == 0) return read_results(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--resume") == 0) {
        tcplan_results_file_close(open_results(argv[2]));
        return 0;
    }
    printf("%8s %10s %10s %10s %10s %10s %10s %10s\n", "entries", "XML s", "XML us", "list us",
           "KiB", "write us", "synced us", "resume us");
    for (int a = 1; a < argc; a++) study(strtol(argv[a], NULL, 10));
    if (argc > 1) return 0;
    study(1000);
    study(10000);
    study(100000);
    return 0;
}
