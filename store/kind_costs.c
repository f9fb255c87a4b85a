/* The store's entry with measured costs of cache lines, pages and copies. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/quantity.h"
#include "store/store.h"
#include "tcplan/store.h"

enum { DAYS = 365 };

static const struct field machine_fields[] = {
    {INT64_OF("made", tcplan_costs, made, 0, INT64_MAX)},
    {FIELD_OF("seconds", REAL, tcplan_costs, seconds)},
    {FIELD_OF("disturbed", FLAG, tcplan_costs, disturbed)},
    {FIELD_OF("written", REAL, tcplan_costs, written)},
    {FIELD_OF("streamed", REAL, tcplan_costs, streamed)},
    {FIELD_OF("streamed_row", REAL, tcplan_costs, streamed_row)}, /* not written before 0.3.0 */
    {FIELD_OF("sequential", REAL, tcplan_costs, sequential)},
    {INT64_OF("page_bytes", tcplan_costs, page_bytes, 512, INT64_C(1) << 30)},
    {FIELD_OF("pages", REAL, tcplan_costs, pages)},
    {FIELD_OF("page_seconds", REAL, tcplan_costs, page_seconds)},
    {FIELD_OF("fresh_page_seconds", REAL, tcplan_costs, fresh_page_seconds)},
    {0},
};

static const struct field cache_fields[] = {
    {FIELD_OF("held_bytes", REAL, tcplan_cache_costs, held_bytes)},
    {FIELD_OF("line_seconds", REAL, tcplan_cache_costs, line_seconds)},
    {0}};

/** Costs of copies of one type. */
struct copies {
    int type;
    struct tcplan_copy_costs costs;
};

#define COST(word, member)                                                                         \
    .name = (word), .type = FIELD_REAL, .offset = offsetof(struct copies, costs.member)
static const struct field copy_fields[] = {
    {WORD_OF("type", copies, type, fields_dtypes)},
    {COST("run", run)},
    {COST("turned", transposed)}, /* the word that version 0.1.0 wrote */
    {COST("scattered", scattered)},
    {COST("summed", summed)},
    {COST("scaled", scaled)},
    {COST("row", row)},
    {COST("kept_row", contiguous_row)},
    {COST("begin", begin)},
    {0},
};

static void write_copies(struct strbuf *out, const void *value) {
    const struct tcplan_costs *costs = value;
    for (int t = 0; t < TCPLAN_DTYPES; t++) {
        const struct copies copies = {.type = t, .costs = costs->copy[t]};
        fields_write(out, "copies", copy_fields, &copies);
    }
}

static enum tcplan_status take_copies(void *value, const void *read, struct tcplan_error *error) {
    const struct copies *copies = read;
    (void)error;
    ((struct tcplan_costs *)value)->copy[copies->type] = copies->costs;
    return TCPLAN_OK;
}

static const struct fields_line lines[] = {
    {LINE_SELF("costs", machine_fields, tcplan_costs)},
    {LINE_SEVERAL("cache", cache_fields, tcplan_costs, cache, cache_count)},
    {.word = "copies", .field = copy_fields, .write = write_copies, .take = take_copies},
    {0},
};

static enum tcplan_status finish(void *value, struct tcplan_error *error) {
    struct tcplan_costs *costs = value;
    costs->measured = true;
    if (costs->streamed_row == 0)
        costs->streamed_row = tcplan_costs_assumed(&(struct tcplan_machine){0}).streamed_row;
    if (costs->sequential == 0) costs->sequential = 1; /* version 0.2.0 did not measure it */
    return tcplan_costs_are_sound(costs, NULL)
               ? TCPLAN_OK
               : error_set(error, TCPLAN_INVALID, "the costs lack a number, or are implausible");
}

/* Showing. */

static void show_cache(struct strbuf *out, const struct tcplan_cache_costs *cache, int number) {
    strbuf_add(
        out, "cache %d effectively holds %s; each line that it does not hold costs %.3g ns more\n",
        number + 1, quantity_bytes((int64_t)cache->held_bytes).text, 1e9 * cache->line_seconds);
}

static void show_copies(struct strbuf *out, const struct tcplan_copy_costs *copy,
                        const char *type) {
    strbuf_add(out, "%-4s %10.3f %10.3f %9.3f %7.3f %7.3f %7.2f %14.2f %7.1f\n", type,
               1e9 * copy->run, 1e9 * copy->transposed, 1e9 * copy->scattered, 1e9 * copy->summed,
               1e9 * copy->scaled, 1e9 * copy->row, 1e9 * copy->contiguous_row, 1e9 * copy->begin);
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_costs *costs = value;
    strbuf_add(
        out, "costs of cache lines, pages and copies for one thread, measured in %.2g s%s\n\n",
        costs->seconds,
        costs->disturbed ? ", while other load ran or the core changed its speed; measure again"
                         : "");
    for (int c = 0; c < costs->cache_count; c++) show_cache(out, &costs->cache[c], c);
    strbuf_add(
        out,
        "writing a cache line takes %.3g times as long as reading one, %.3g times with non-temporal stores\n"
        "a row written with non-temporal stores that shares its first and last line costs %.3g ns more\n"
        "a line in a long run of consecutive lines costs %.3g times as much as one in a short run\n",
        costs->written, costs->streamed, 1e9 * costs->streamed_row, costs->sequential);
    strbuf_add(
        out,
        "translations of %.0f pages of %s are cached; each other page costs %.3g ns, and %.3g ns at its first access\n\n",
        costs->pages, quantity_bytes(costs->page_bytes).text, 1e9 * costs->page_seconds,
        1e9 * costs->fresh_page_seconds);
    strbuf_add(
        out,
        "copies in the nearest caches: ns for each element, then for each row, then for each copy\n"
        "type contiguous transposed scattered  summed  scaled     row contiguous row    copy\n");
    for (int t = 0; t < TCPLAN_DTYPES; t++) show_copies(out, &costs->copy[t], fields_dtypes[t]);
}

const struct store_kind store_kind_costs = {.name = "costs",
                                            .version = 1,
                                            .days = DAYS,
                                            .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                            .size = sizeof(struct tcplan_costs),
                                            .line = lines,
                                            .finish = finish,
                                            .print = print};

enum tcplan_status tcplan_store_keep_costs(const struct tcplan_store *store,
                                           const struct tcplan_costs *costs,
                                           struct tcplan_error *error) {
    return store_keep(store, &store_kind_costs, "all", costs, error);
}
