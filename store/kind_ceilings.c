/*
 * Stores ceilings: one entry for each number of threads, which also contains the machine. Reading
 * combines the entries of several numbers of threads into one roofline.
 */
#include "store/kind_ceilings.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/entry.h"
#include "store/fields.h"
#include "store/folder.h"
#include "store/kinds.h"
#include "store/store.h"
#include "tcplan/store.h"

enum { CEILINGS_MOST = 100000, DAYS = 365, SHOWN_WIDTH = 12 };

/* Tables. */

static const char *const mixes[] = {"none", "fp16", "bf16-s", "s-d", NULL};
static const char *const origins[] = {"measured", "predicted",  "analytic",
                                      "model",    "data-sheet", NULL};

static const struct field ceiling_fields[] = {
    {TEXT_OF("name", tcplan_ceiling, name)},
    {WORD_OF("precision", tcplan_ceiling, precision, fields_dtypes)},
    {WORD_OF("mix", tcplan_ceiling, mix, mixes)},
    {INT_OF("vector_bits", tcplan_ceiling, vector_bits, 0, 1 << 20)},
    {INT_OF("threads", tcplan_ceiling, threads, 1, INT_MAX)},
    {WORD_OF("origin", tcplan_ceiling, origin, origins)},
    {TEXT_OF("level", tcplan_ceiling, level)},
    {INT_OF("cache", tcplan_ceiling, cache, -1, TCPLAN_MAX_CACHE_LEVELS)},
    {INT64_OF("working_set_bytes", tcplan_ceiling, working_set_bytes, 0, INT64_MAX)},
    {FIELD_OF("reduced", FLAG, tcplan_ceiling, reduced)},
    {FIELD_OF("line_bytes_per_count_byte", REAL, tcplan_ceiling, line_bytes_per_count_byte)},
    {FIELD_OF("intensity", REAL, tcplan_ceiling, intensity)},
    {FIELD_OF("rate", REAL, tcplan_ceiling, rate)},
    {FIELD_OF("q1", REAL, tcplan_ceiling, q1)},
    {FIELD_OF("q3", REAL, tcplan_ceiling, q3)},
    {INT_OF("windows", tcplan_ceiling, windows, 0, INT_MAX)},
    {INT_OF("dropped", tcplan_ceiling, dropped, 0, INT_MAX)},
    {FIELD_OF("reference_seconds", REAL, tcplan_ceiling, reference_seconds)},
    {FIELD_OF("good_reference_seconds", REAL, tcplan_ceiling, good_reference_seconds)},
    {FIELD_OF("steadiness", REAL, tcplan_ceiling, steadiness)},
    {FIELD_OF("clock_hz", REAL, tcplan_ceiling, clock_hz)},
    {FIELD_OF("clock_drift", REAL, tcplan_ceiling, clock_drift)},
    {FIELD_OF("limit", REAL, tcplan_ceiling, limit)},
    {FIELD_OF("rough", FLAG, tcplan_ceiling, rough)},
    {INT64_OF("m", tcplan_ceiling, m, 0, INT_MAX)},
    {INT64_OF("n", tcplan_ceiling, n, 0, INT_MAX)},
    {INT64_OF("k", tcplan_ceiling, k, 0, INT_MAX)},
    {0},
};

static const struct field level_fields[] = {
    {TEXT_OF("name", tcplan_level, name)},
    {INT_OF("cache", tcplan_level, cache, -1, TCPLAN_MAX_CACHE_LEVELS)},
    {INT_OF("threads", tcplan_level, threads, 1, INT_MAX)},
    {INT64_OF("first_bytes", tcplan_level, first_bytes, 0, INT64_MAX)},
    {INT64_OF("last_bytes", tcplan_level, last_bytes, 0, INT64_MAX)},
    {INT64_OF("holds_bytes", tcplan_level, holds_bytes, 0, INT64_MAX)},
    {FIELD_OF("rate", REAL, tcplan_level, rate)},
    {0},
};

static const struct field machine_fields[] = {
    {TEXT_OF("cpu", tcplan_machine, cpu)},
    {FIELD_OF("live", FLAG, tcplan_machine, live)},
    {INT_OF("cores", tcplan_machine, cores, 0, INT_MAX)},
    {INT_OF("processing_units", tcplan_machine, processing_units, 0, INT_MAX)},
    {INT64_OF("memory_bytes", tcplan_machine, memory_bytes, 0, INT64_MAX)},
    {INT64_OF("line_bytes", tcplan_machine, line_bytes, 1, 1 << 20)},
    {FIELD_OF("line_assumed", FLAG, tcplan_machine, line_assumed)},
    {0},
};

static const struct field cache_fields[] = {
    {INT_OF("level", tcplan_cache_level, level, 1, INT_MAX)},
    {INT64_OF("size_bytes", tcplan_cache_level, size_bytes, 1, INT64_MAX / 1024)},
    {INT64_OF("line_bytes", tcplan_cache_level, line_bytes, 0, 1 << 20)},
    {INT_OF("ways", tcplan_cache_level, ways, -1, INT_MAX)},
    {INT_OF("shared_by", tcplan_cache_level, shared_by, 0, INT_MAX)},
    {0},
};

static const struct field clock_fields[] = {{FIELD_OF("hz", REAL, tcplan_clock_rate, hz)},
                                            {FIELD_OF("q1", REAL, tcplan_clock_rate, q1)},
                                            {FIELD_OF("q3", REAL, tcplan_clock_rate, q3)},
                                            {0}};

/** How the ceilings of an entry were measured. */
struct measured {
    char blas[TCPLAN_MACHINE_TEXT];
    int64_t made;
    double seconds;
    int left_out;
    int above_limit;
    int unmeasured;
    int lacking;
    int unbuilt;
    bool huge_pages_known;
    double huge_page_share;
};

static const struct field measured_fields[] = {
    {TEXT_OF("blas", measured, blas)},
    {INT64_OF("made", measured, made, 0, INT64_MAX)},
    {FIELD_OF("seconds", REAL, measured, seconds)},
    {INT_OF("left_out", measured, left_out, 0, INT_MAX)},
    {INT_OF("above_limit", measured, above_limit, 0, INT_MAX)},
    {INT_OF("unmeasured", measured, unmeasured, 0, INT_MAX)},
    {INT_OF("lacking", measured, lacking, 0, (1 << TCPLAN_MIXES) - 1)},
    {INT_OF("unbuilt", measured, unbuilt, 0, (1 << TCPLAN_MIXES) - 1)},
    {FIELD_OF("huge_pages_known", FLAG, measured, huge_pages_known)},
    {FIELD_OF("huge_page_share", REAL, measured, huge_page_share)},
    {0},
};

/* Checking and completing. */

/** Returns whether a line describes the ceilings of a list in a roofline. */
#define IS_OF(line, list) ((line)->offset == offsetof(struct tcplan_roofline, list))

/** Checks that a ceiling has the values that its kind of ceilings requires. */
static bool is_whole(const struct fields_line *line, const struct tcplan_ceiling *ceiling,
                     const struct tcplan_machine *machine) {
    if (!*ceiling->name || ceiling->threads < 1 || !(ceiling->rate > 0) ||
        ceiling->q1 > ceiling->rate || ceiling->q3 < ceiling->rate)
        return false;
    if (IS_OF(line, compute)) return ceiling->cache == -1;
    if (ceiling->mix != TCPLAN_MIX_NONE) return false;
    if (IS_OF(line, sweep)) return ceiling->working_set_bytes > 0;
    const bool placed =
        ceiling->cache >= 0 && ceiling->cache <= machine->cache_count && *ceiling->level;
    return placed && (IS_OF(line, intensity) ? ceiling->intensity > 0
                                             : ceiling->line_bytes_per_count_byte > 0);
}

static enum tcplan_status check_ceiling(const struct fields_line *line, const void *value,
                                        const void *read, struct tcplan_error *error) {
    const struct tcplan_ceiling *ceiling = read;
    if (is_whole(line, ceiling, &((const struct tcplan_roofline *)value)->machine))
        return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "the ceiling '%s' lacks threads, a cache level, or a rate between its quartiles",
        ceiling->name);
}

static enum tcplan_status check_level(const struct fields_line *line, const void *value,
                                      const void *read, struct tcplan_error *error) {
    const struct tcplan_roofline *roofline = value;
    const struct tcplan_level *level = read;
    (void)line;
    if (level->threads > 0 && level->rate > 0 && level->cache <= roofline->machine.cache_count &&
        level->first_bytes <= level->last_bytes)
        return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "the level '%s' lacks threads, a rate, a range of working sets, or a cache level",
        level->name);
}

static enum tcplan_status check_cache(const struct fields_line *line, const void *value,
                                      const void *read, struct tcplan_error *error) {
    const struct tcplan_cache_level *cache = read;
    (void)line;
    if (((const struct tcplan_roofline *)value)->machine.line_bytes < 1)
        return error_set(error, TCPLAN_INVALID, "expected the machine before its caches");
    return cache->level >= 1 && cache->size_bytes >= 1
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID, "expected a cache with level and size");
}

enum { USUAL_PAGE_BYTES = 4096 };

static enum tcplan_status take_machine(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_machine *machine = &((struct tcplan_roofline *)value)->machine;
    if (machine->line_bytes > 0) return error_set(error, TCPLAN_INVALID, "a second machine");
    *machine = *(const struct tcplan_machine *)read; /* the lines of the machine's caches follow */
    machine->page_bytes = USUAL_PAGE_BYTES;          /* the lines lack the page size */
    machine->heuristics = tcplan_heuristics_default();
    return machine->line_bytes > 0
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID, "expected a machine with line_bytes");
}

static void write_measured(struct strbuf *out, const void *value) {
    const struct tcplan_roofline *roofline = value;
    struct measured measured = {.made = roofline->made,
                                .seconds = roofline->seconds,
                                .left_out = roofline->left_out,
                                .above_limit = roofline->above_limit,
                                .unmeasured = roofline->unmeasured,
                                .lacking = (int)roofline->lacking,
                                .unbuilt = (int)roofline->unbuilt,
                                .huge_pages_known = roofline->huge_page_share >= 0,
                                .huge_page_share = roofline->huge_page_share};
    memcpy(measured.blas, roofline->blas, sizeof measured.blas);
    fields_write(out, "measured", measured_fields, &measured);
}

static int worse(int a, int b) {
    return a > b ? a : b;
}

/** Combines the measurement data of several entries: the oldest time, the longest duration, and
 * the worst flags. */
static enum tcplan_status take_measured(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = value;
    const struct measured *measured = read;
    (void)error;
    memcpy(roofline->blas, measured->blas, sizeof roofline->blas);
    if (roofline->made == 0 || measured->made < roofline->made) roofline->made = measured->made;
    roofline->seconds = fmax(roofline->seconds, measured->seconds);
    roofline->left_out = worse(roofline->left_out, measured->left_out);
    roofline->above_limit = worse(roofline->above_limit, measured->above_limit);
    roofline->unmeasured = worse(roofline->unmeasured, measured->unmeasured);
    roofline->lacking |= (unsigned)measured->lacking;
    roofline->unbuilt |= (unsigned)measured->unbuilt;
    roofline->huge_page_share = measured->huge_pages_known ? measured->huge_page_share : -1;
    return TCPLAN_OK;
}

_Static_assert(sizeof(struct tcplan_machine) <= FIELDS_OBJECT, "the text of a machine is one line");

/** Returns whether a ceiling or level is not written, because it is for another number of threads.
 */
static bool is_of_others(const struct fields_line *line, const void *value, const void *object) {
    const int wanted = ((const struct stored_ceilings *)value)->threads;
    const int threads = IS_OF(line, level) ? ((const struct tcplan_level *)object)->threads
                                           : ((const struct tcplan_ceiling *)object)->threads;
    return wanted != 0 && threads != wanted;
}

#define CEILINGS(list)                                                                             \
    {                                                                                              \
        LINE_GROWN(#list, ceiling_fields, tcplan_roofline, list, list##_count),                    \
            .most = CEILINGS_MOST, .check = check_ceiling, .skip = is_of_others                    \
    }

static const struct fields_line lines[] = {
    {LINE_ONE("machine", machine_fields, tcplan_roofline, machine), .take = take_machine},
    {LINE_SEVERAL("cache", cache_fields, tcplan_roofline, machine.cache, machine.cache_count),
     .check = check_cache},
    {LINE_ONE("clock", clock_fields, tcplan_roofline, clock)},
    {.word = "measured", .field = measured_fields, .write = write_measured, .take = take_measured},
    CEILINGS(compute),
    CEILINGS(bandwidth),
    {LINE_GROWN("level", level_fields, tcplan_roofline, level, level_count), .most = CEILINGS_MOST,
     .check = check_level, .skip = is_of_others},
    CEILINGS(sweep),
    CEILINGS(intensity),
    {0},
};

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct tcplan_roofline *roofline = value;
    const size_t had = roofline->compute_count + roofline->bandwidth_count;
    roofline->machine = (struct tcplan_machine){0}; /* every entry contains the machine */
    const enum tcplan_status status = fields_read_lines(roofline, lines, content, length, error);
    if (status != TCPLAN_OK) return status;
    if (roofline->compute_count + roofline->bandwidth_count == had)
        return error_set(error, TCPLAN_INVALID, "the file has no ceiling");
    return roofline->machine.line_bytes > 0
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID, "the file describes no machine");
}

/* Showing. */

static void show_ceiling(struct strbuf *out, const struct tcplan_ceiling *ceiling) {
    char extents[80] = "";
    if (ceiling->m > 0) {
        snprintf(extents, sizeof extents, "  %lld x %lld x %lld", (long long)ceiling->m,
                 (long long)ceiling->n, (long long)ceiling->k);
    }
    const char *precision = ceiling->mix == TCPLAN_MIX_NONE ? fields_dtypes[ceiling->precision]
                                                            : tcplan_mix_name(ceiling->mix);
    strbuf_add(out, "%-*s %-5s %-6s %4d bits  %2d thread%s  %10.4g %s%s\n", SHOWN_WIDTH,
               ceiling->name, ceiling->level, precision, ceiling->vector_bits, ceiling->threads,
               ceiling->threads == 1 ? " " : "s", ceiling->rate,
               ceiling->cache < 0 ? "GFLOP/s" : "GB/s", extents);
}

static void show_level(struct strbuf *out, const struct tcplan_level *level) {
    strbuf_add(out, "%-*s %-5s                  %2d thread%s  %10.4g GB/s", SHOWN_WIDTH, "level",
               level->name, level->threads, level->threads == 1 ? " " : "s", level->rate);
    if (level->holds_bytes > 0)
        strbuf_add(out, "  holds %lld bytes", (long long)level->holds_bytes);
    strbuf_add(out, "\n");
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_roofline *roofline = value;
    strbuf_add(out, "measured in %.3g s%s\n\n", roofline->seconds,
               tcplan_roofline_is_rough(roofline) ? "; rough: with little time or memory" : "");
    for (size_t c = 0; c < roofline->compute_count; c++) show_ceiling(out, &roofline->compute[c]);
    for (size_t c = 0; c < roofline->bandwidth_count; c++)
        show_ceiling(out, &roofline->bandwidth[c]);
    for (size_t l = 0; l < roofline->level_count; l++) show_level(out, &roofline->level[l]);
}

static void free_roofline(void *value) {
    tcplan_roofline_free(value);
}

const struct store_kind store_kind_ceilings = {.name = "ceilings",
                                               .version = 3,
                                               .days = DAYS,
                                               .parts = TCPLAN_FINGERPRINT_LIBRARIES + 1,
                                               .alike = TCPLAN_FINGERPRINT_LIBRARIES,
                                               .size = sizeof(struct tcplan_roofline),
                                               .line = lines,
                                               .read = read_content,
                                               .print = print,
                                               .free = free_roofline};

enum { KEY_SIZE = 40 };

/** `threads-1`. */
static void ceilings_key(char out[KEY_SIZE], int threads) {
    snprintf(out, KEY_SIZE, "threads-%d", threads);
}

/** Removes the gemm ceilings, which were measured with another BLAS. */
static void drop_gemm(struct tcplan_roofline *roofline, int threads) {
    size_t left = 0;
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        if (ceiling->m == 0 || ceiling->threads != threads) roofline->compute[left++] = *ceiling;
    }
    roofline->compute_count = left;
}

/** Adds the entry for a number of threads. If it was made with another BLAS, its gemm ceilings are
 * omitted and TCPLAN_MISMATCH is returned. */
static enum tcplan_status add_threads(struct tcplan_roofline *roofline, bool *any,
                                      const struct tcplan_store *store, int threads,
                                      struct tcplan_error *error) {
    char key[KEY_SIZE];
    bool found;
    ceilings_key(key, threads);
    const enum tcplan_status status =
        store_find(&found, roofline, store, &store_kind_ceilings, key, error);
    if (found && status == TCPLAN_MISMATCH) drop_gemm(roofline, threads);
    *any = *any || found;
    return status;
}

enum tcplan_status tcplan_store_ceilings(struct tcplan_roofline **out,
                                         const struct tcplan_store *store, const int thread[],
                                         int count, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    enum tcplan_status status = TCPLAN_OK;
    bool any = false;
    *out = NULL;
    if (!roofline) return error_no_memory(error);
    for (int t = 0; t < count && (status == TCPLAN_OK || status == TCPLAN_MISMATCH); t++) {
        struct tcplan_error one = {0};
        const enum tcplan_status found = add_threads(roofline, &any, store, thread[t], &one);
        if (found != TCPLAN_OK && error) *error = one;
        if (found != TCPLAN_OK) status = found;
    }
    const bool use = any && (status == TCPLAN_OK || status == TCPLAN_MISMATCH);
    if (use) snprintf(roofline->machine.source, sizeof roofline->machine.source, "live");
    if (!use) tcplan_roofline_free(roofline);
    *out = use ? roofline : NULL;
    return status;
}

/** Returns whether this is the first ceiling for its number of threads. */
static bool is_first(const struct tcplan_roofline *roofline, size_t place) {
    for (size_t c = 0; c < place; c++) {
        if (roofline->compute[c].threads == roofline->compute[place].threads) return false;
    }
    return true;
}

enum tcplan_status tcplan_store_keep_ceilings(const struct tcplan_store *store,
                                              const struct tcplan_roofline *roofline,
                                              struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t c = 0; c < roofline->compute_count && store->folder && status == TCPLAN_OK; c++) {
        if (!is_first(roofline, c)) continue;
        const struct stored_ceilings stored = {.roofline = *roofline,
                                               .threads = roofline->compute[c].threads};
        char key[KEY_SIZE];
        ceilings_key(key, stored.threads);
        status = store_keep(store, &store_kind_ceilings, key, &stored, error);
    }
    return status;
}

char *tcplan_ceilings_text(const struct tcplan_roofline *roofline,
                           const struct tcplan_fingerprint *fingerprint) {
    const struct stored_ceilings stored = {.roofline = *roofline};
    return store_text(&(struct tcplan_store){.fingerprint = *fingerprint}, &store_kind_ceilings,
                      "file", &stored);
}

static enum tcplan_status read_ceilings(struct tcplan_roofline **out,
                                        struct tcplan_fingerprint *fingerprint, const char *text,
                                        size_t length, struct tcplan_error *error) {
    struct entry entry;
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    enum tcplan_status status = roofline ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) status = entry_read(&entry, text, length, error);
    if (status == TCPLAN_OK && entry.kind != &store_kind_ceilings) {
        status = error_set(error, TCPLAN_INVALID, "it holds %s, not ceilings", entry.kind->name);
    }
    if (status == TCPLAN_OK) status = entry_value(roofline, &entry, error);
    if (status == TCPLAN_OK) {
        if (fingerprint) *fingerprint = entry.fingerprint;
        *out = roofline;
    } else {
        tcplan_roofline_free(roofline);
    }
    return status;
}

enum tcplan_status tcplan_ceilings_load(struct tcplan_roofline **out,
                                        struct tcplan_fingerprint *fingerprint, const char *path,
                                        struct tcplan_error *error) {
    char *text = NULL;
    size_t length = 0;
    struct tcplan_error cause = {0};
    enum tcplan_status status = folder_read_file(&text, &length, path, ENTRY_MOST_BYTES, &cause);
    if (status == TCPLAN_NOT_APPLICABLE)
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "cannot read '%.200s': No such file or directory", path);
    if (status == TCPLAN_OK) status = read_ceilings(out, fingerprint, text, length, &cause);
    if (status == TCPLAN_OK)
        snprintf((*out)->machine.source, sizeof(*out)->machine.source, "%s", path);
    base_free(text);
    if (status == TCPLAN_OK) return status;
    if (error) *error = cause;
    if (status == TCPLAN_INVALID) store_blame(path, error);
    if (status != TCPLAN_MISMATCH) return status;
    store_blame(path, error);
    if (error) error->status = TCPLAN_INVALID;
    return TCPLAN_INVALID;
}
