#include "store/kind_ceilings.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/store.h"

#define FIELD(kind, member) .name = #member, .type = FIELD_##kind, .offset = offsetof(OF, member)

enum { CEILINGS_MOST = 100000, DAYS = 365, SHOWN_WIDTH = 12 };

/* Tables. */

static const char *const dtypes[] = {"s", "d", "c", "z", NULL};
static const char *const mixes[] = {"none", "fp16", "bf16-s", "s-d", NULL};
static const char *const origins[] = {"measured", "predicted",  "analytic",
                                      "model",    "data-sheet", NULL};

#define OF struct tcplan_ceiling
static const struct field ceiling_fields[] = {
    {FIELD(TEXT, name), .size = TCPLAN_CEILING_NAME},
    {FIELD(WORD, precision), .word = dtypes},
    {FIELD(WORD, mix), .word = mixes},
    {FIELD(INT, vector_bits), .lowest = 0, .highest = 1 << 20},
    {FIELD(INT, threads), .lowest = 1, .highest = INT_MAX},
    {FIELD(WORD, origin), .word = origins},
    {FIELD(TEXT, level), .size = TCPLAN_LEVEL_NAME},
    {FIELD(INT, cache), .lowest = -1, .highest = TCPLAN_MAX_CACHE_LEVELS},
    {FIELD(INT64, working_set_bytes), .lowest = 0, .highest = INT64_MAX},
    {FIELD(FLAG, reduced)},
    {FIELD(REAL, line_bytes_per_count_byte)},
    {FIELD(REAL, intensity)},
    {FIELD(REAL, rate)},
    {FIELD(REAL, q1)},
    {FIELD(REAL, q3)},
    {FIELD(INT, windows), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT, dropped), .lowest = 0, .highest = INT_MAX},
    {FIELD(REAL, reference_seconds)},
    {FIELD(REAL, good_reference_seconds)},
    {FIELD(REAL, steadiness)},
    {FIELD(REAL, clock_hz)},
    {FIELD(REAL, clock_drift)},
    {FIELD(REAL, limit)},
    {FIELD(FLAG, rough)},
    {FIELD(INT64, m), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT64, n), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT64, k), .lowest = 0, .highest = INT_MAX},
    {0},
};
#undef OF

#define OF struct tcplan_level
static const struct field level_fields[] = {
    {FIELD(TEXT, name), .size = TCPLAN_LEVEL_NAME},
    {FIELD(INT, cache), .lowest = -1, .highest = TCPLAN_MAX_CACHE_LEVELS},
    {FIELD(INT, threads), .lowest = 1, .highest = INT_MAX},
    {FIELD(INT64, first_bytes), .lowest = 0, .highest = INT64_MAX},
    {FIELD(INT64, last_bytes), .lowest = 0, .highest = INT64_MAX},
    {FIELD(INT64, holds_bytes), .lowest = 0, .highest = INT64_MAX},
    {FIELD(REAL, rate)},
    {0},
};
#undef OF

#define OF struct tcplan_machine
static const struct field machine_fields[] = {
    {FIELD(TEXT, cpu), .size = TCPLAN_MACHINE_TEXT},
    {FIELD(FLAG, live)},
    {FIELD(INT, cores), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT, processing_units), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT64, memory_bytes), .lowest = 0, .highest = INT64_MAX},
    {FIELD(INT64, line_bytes), .lowest = 1, .highest = 1 << 20},
    {FIELD(FLAG, line_assumed)},
    {0},
};
#undef OF

#define OF struct tcplan_cache_level
static const struct field cache_fields[] = {
    {FIELD(INT, level), .lowest = 1, .highest = INT_MAX},
    {FIELD(INT64, size_bytes), .lowest = 1, .highest = INT64_MAX / 1024},
    {FIELD(INT64, line_bytes), .lowest = 0, .highest = 1 << 20},
    {FIELD(INT, ways), .lowest = -1, .highest = INT_MAX},
    {FIELD(INT, shared_by), .lowest = 0, .highest = INT_MAX},
    {0},
};
#undef OF

#define OF struct tcplan_clock_rate
static const struct field clock_fields[] = {
    {FIELD(REAL, hz)}, {FIELD(REAL, q1)}, {FIELD(REAL, q3)}, {0}};
#undef OF

/** How they were measured. */
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

#define OF struct measured
static const struct field measured_fields[] = {
    {FIELD(TEXT, blas), .size = TCPLAN_MACHINE_TEXT},
    {FIELD(INT64, made), .lowest = 0, .highest = INT64_MAX},
    {FIELD(REAL, seconds)},
    {FIELD(INT, left_out), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT, above_limit), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT, unmeasured), .lowest = 0, .highest = INT_MAX},
    {FIELD(INT, lacking), .lowest = 0, .highest = (1 << TCPLAN_MIXES) - 1},
    {FIELD(INT, unbuilt), .lowest = 0, .highest = (1 << TCPLAN_MIXES) - 1},
    {FIELD(FLAG, huge_pages_known)},
    {FIELD(REAL, huge_page_share)},
    {0},
};
#undef OF

/* Writing. */

static void write_list(struct strbuf *out, const char *word, const struct tcplan_ceiling *ceiling,
                       size_t count, int threads) {
    for (size_t c = 0; c < count; c++) {
        if (threads == 0 || ceiling[c].threads == threads)
            fields_write(out, word, ceiling_fields, &ceiling[c]);
    }
}

static void write_content(struct strbuf *out, const void *value) {
    const struct kept_ceilings *kept = value;
    const struct tcplan_roofline *roofline = kept->roofline;
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
    fields_write(out, "machine", machine_fields, &roofline->machine);
    for (int c = 0; c < roofline->machine.cache_count; c++)
        fields_write(out, "cache", cache_fields, &roofline->machine.cache[c]);
    fields_write(out, "clock", clock_fields, &roofline->clock);
    fields_write(out, "measured", measured_fields, &measured);
    write_list(out, "compute", roofline->compute, roofline->compute_count, kept->threads);
    write_list(out, "bandwidth", roofline->bandwidth, roofline->bandwidth_count, kept->threads);
    for (size_t l = 0; l < roofline->level_count; l++) {
        if (kept->threads == 0 || roofline->level[l].threads == kept->threads)
            fields_write(out, "level", level_fields, &roofline->level[l]);
    }
    write_list(out, "sweep", roofline->sweep, roofline->sweep_count, kept->threads);
    write_list(out, "intensity", roofline->intensity, roofline->intensity_count, kept->threads);
}

/* Reading. */

/** Room for one more; false when memory is out. */
static bool make_room(void **list, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) return true; /* 0 and powers of two are full */
    void *grown = base_realloc(*list, (count > 0 ? 2 * count : 1) * size);
    if (grown) *list = grown;
    return grown != NULL;
}

/** Appends a ceiling; false when memory is out. */
static bool append(struct tcplan_ceiling **list, size_t *count,
                   const struct tcplan_ceiling *ceiling) {
    void *room = *list;
    if (!make_room(&room, *count, sizeof *ceiling)) return false;
    *list = room;
    (*list)[(*count)++] = *ceiling;
    return true;
}

/** The lists of ceilings. */
enum list { COMPUTE, BANDWIDTH, SWEEP, INTENSITY };

/** Whether a ceiling says what its kind has to. */
static bool is_whole(const struct tcplan_ceiling *ceiling, const struct tcplan_machine *machine,
                     enum list list) {
    if (!*ceiling->name || ceiling->threads < 1 || !(ceiling->rate > 0) ||
        ceiling->q1 > ceiling->rate || ceiling->q3 < ceiling->rate)
        return false;
    if (list == COMPUTE) return ceiling->cache == -1;
    if (ceiling->mix != TCPLAN_MIX_NONE) return false;
    if (list == SWEEP) return ceiling->working_set_bytes > 0;
    const bool placed =
        ceiling->cache >= 0 && ceiling->cache <= machine->cache_count && *ceiling->level;
    return placed &&
           (list == INTENSITY ? ceiling->intensity > 0 : ceiling->line_bytes_per_count_byte > 0);
}

static enum tcplan_status take_ceiling(struct tcplan_roofline *roofline, enum list list,
                                       const struct tcplan_ceiling *ceiling,
                                       struct tcplan_error *error) {
    if (!is_whole(ceiling, &roofline->machine, list)) {
        return error_set(
            error, TCPLAN_INVALID,
            "the ceiling '%s' lacks a rate between its quartiles, threads, or its place in the caches",
            ceiling->name);
    }
    struct tcplan_ceiling **const to[] = {&roofline->compute, &roofline->bandwidth,
                                          &roofline->sweep, &roofline->intensity};
    size_t *const count[] = {&roofline->compute_count, &roofline->bandwidth_count,
                             &roofline->sweep_count, &roofline->intensity_count};
    if (*count[list] >= CEILINGS_MOST) return error_set(error, TCPLAN_INVALID, "too many ceilings");
    return append(to[list], count[list], ceiling) ? TCPLAN_OK : error_no_memory(error);
}

static enum tcplan_status take_compute(void *value, const void *read, struct tcplan_error *error) {
    return take_ceiling(value, COMPUTE, read, error);
}

static enum tcplan_status take_bandwidth(void *value, const void *read,
                                         struct tcplan_error *error) {
    return take_ceiling(value, BANDWIDTH, read, error);
}

static enum tcplan_status take_sweep(void *value, const void *read, struct tcplan_error *error) {
    return take_ceiling(value, SWEEP, read, error);
}

static enum tcplan_status take_intensity(void *value, const void *read,
                                         struct tcplan_error *error) {
    return take_ceiling(value, INTENSITY, read, error);
}

static enum tcplan_status take_level(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = value;
    const struct tcplan_level *level = read;
    const bool fits = level->threads > 0 && level->rate > 0 &&
                      level->cache <= roofline->machine.cache_count &&
                      level->first_bytes <= level->last_bytes;
    if (!fits || roofline->level_count >= CEILINGS_MOST) {
        return error_set(
            error, TCPLAN_INVALID,
            "the level '%s' lacks threads, a rate, its sets, or its place in the caches",
            level->name);
    }
    void *room = roofline->level;
    if (!make_room(&room, roofline->level_count, sizeof *level)) return error_no_memory(error);
    roofline->level = room;
    roofline->level[roofline->level_count++] = *level;
    return TCPLAN_OK;
}

static enum tcplan_status take_cache(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_machine *machine = &((struct tcplan_roofline *)value)->machine;
    const struct tcplan_cache_level *cache = read;
    if (machine->line_bytes < 1)
        return error_set(error, TCPLAN_INVALID, "a cache before its machine");
    if (machine->cache_count == TCPLAN_MAX_CACHE_LEVELS || cache->level < 1 ||
        cache->size_bytes < 1) {
        return error_set(error, TCPLAN_INVALID,
                         "expected at most %d caches, each with level and size",
                         TCPLAN_MAX_CACHE_LEVELS);
    }
    machine->cache[machine->cache_count++] = *cache;
    return TCPLAN_OK;
}

static enum tcplan_status take_machine(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_machine *machine = &((struct tcplan_roofline *)value)->machine;
    if (machine->line_bytes > 0) return error_set(error, TCPLAN_INVALID, "a second machine");
    *machine = *(const struct tcplan_machine *)read; /* its caches follow */
    machine->tactics = tcplan_tactics_usual();
    return machine->line_bytes > 0
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID, "expected a machine with line_bytes");
}

static enum tcplan_status take_clock(void *value, const void *read, struct tcplan_error *error) {
    (void)error;
    ((struct tcplan_roofline *)value)->clock = *(const struct tcplan_clock_rate *)read;
    return TCPLAN_OK;
}

/** Of several, what holds for the worst. */
static enum tcplan_status take_measured(void *value, const void *read, struct tcplan_error *error) {
    struct tcplan_roofline *roofline = value;
    const struct measured *measured = read;
    (void)error;
    memcpy(roofline->blas, measured->blas, sizeof roofline->blas);
    if (roofline->made == 0 || measured->made < roofline->made) roofline->made = measured->made;
    roofline->seconds = fmax(roofline->seconds, measured->seconds);
    if (measured->left_out > roofline->left_out) roofline->left_out = measured->left_out;
    if (measured->above_limit > roofline->above_limit)
        roofline->above_limit = measured->above_limit;
    if (measured->unmeasured > roofline->unmeasured) roofline->unmeasured = measured->unmeasured;
    roofline->lacking |= (unsigned)measured->lacking;
    roofline->unbuilt |= (unsigned)measured->unbuilt;
    roofline->huge_page_share = measured->huge_pages_known ? measured->huge_page_share : -1;
    return TCPLAN_OK;
}

_Static_assert(sizeof(struct tcplan_machine) <= FIELDS_OBJECT, "a machine is read as a line");

static const struct fields_line lines[] = {
    {.word = "machine", .field = machine_fields, .take = take_machine},
    {.word = "cache", .field = cache_fields, .take = take_cache},
    {.word = "clock", .field = clock_fields, .take = take_clock},
    {.word = "measured", .field = measured_fields, .take = take_measured},
    {.word = "compute", .field = ceiling_fields, .take = take_compute},
    {.word = "bandwidth", .field = ceiling_fields, .take = take_bandwidth},
    {.word = "level", .field = level_fields, .take = take_level},
    {.word = "sweep", .field = ceiling_fields, .take = take_sweep},
    {.word = "intensity", .field = ceiling_fields, .take = take_intensity},
    {0}};

static enum tcplan_status read_content(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct tcplan_roofline *roofline = value;
    const size_t had = roofline->compute_count + roofline->bandwidth_count;
    roofline->machine = (struct tcplan_machine){0}; /* each entry has its own, the same */
    static const char nothing[] = "there is no ceiling in it";
    const enum tcplan_status status =
        fields_read_lines(roofline, lines, content, length, nothing, error);
    if (status != TCPLAN_OK) return status;
    if (roofline->compute_count + roofline->bandwidth_count == had)
        return error_set(error, TCPLAN_INVALID, "%s", nothing);
    return roofline->machine.line_bytes > 0
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID, "there is no machine in it");
}

/* Showing. */

static void show_ceiling(struct strbuf *out, const struct tcplan_ceiling *ceiling) {
    char extents[80] = "";
    if (ceiling->m > 0) {
        snprintf(extents, sizeof extents, "  %lld x %lld x %lld", (long long)ceiling->m,
                 (long long)ceiling->n, (long long)ceiling->k);
    }
    const char *precision = ceiling->mix == TCPLAN_MIX_NONE ? dtypes[ceiling->precision]
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

static enum tcplan_status show_content(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct tcplan_roofline *roofline = base_alloc_zero(1, sizeof *roofline);
    if (!roofline) return error_no_memory(error);
    enum tcplan_status status = read_content(roofline, content, length, error);
    if (status == TCPLAN_OK && out) {
        strbuf_add(out, "measured in %.3g s%s\n\n", roofline->seconds,
                   tcplan_roofline_is_rough(roofline) ? "; rough: in a hurry or in little memory"
                                                      : "");
        for (size_t c = 0; c < roofline->compute_count; c++)
            show_ceiling(out, &roofline->compute[c]);
        for (size_t c = 0; c < roofline->bandwidth_count; c++)
            show_ceiling(out, &roofline->bandwidth[c]);
        for (size_t l = 0; l < roofline->level_count; l++) show_level(out, &roofline->level[l]);
    }
    tcplan_roofline_free(roofline);
    return status;
}

const struct store_kind store_kind_ceilings = {.name = "ceilings",
                                               .version = 3,
                                               .days = DAYS,
                                               .parts = TCPLAN_FINGERPRINT_LIBRARIES + 1,
                                               .write = write_content,
                                               .read = read_content,
                                               .show = show_content};
