#include "cli/render/roofs/roofline.h"

#include <string.h>

#include "cli/render/text/table.h"

enum { LEVELS_MOST = TCPLAN_MAX_CACHE_LEVELS + 1, FRONT_MOST = 5, ELEMENT_BYTES = 8 };

/** The levels that have bandwidths, as columns behind others. */
struct levels {
    int count;
    const struct tcplan_ceiling *of[LEVELS_MOST]; /* some ceiling of each */
    char columns[LEVELS_MOST + FRONT_MOST + 2], optional[LEVELS_MOST + FRONT_MOST + 2];
};

/** @param front, optional  letters and digits of the columns in front, see struct table */
static struct levels find_levels(const struct tcplan_roofline *roofline, const char *front,
                                 const char *optional) {
    struct levels out = {0};
    for (int cache = 0; cache <= roofline->machine.cache_count && out.count < LEVELS_MOST;
         cache++) {
        size_t c = 0;
        while (c < roofline->bandwidth_count && roofline->bandwidth[c].cache != cache) c++;
        if (c < roofline->bandwidth_count) out.of[out.count++] = &roofline->bandwidth[c];
    }
    const size_t length = strlen(front);
    memcpy(out.columns, front, length);
    memset(out.columns + length, 'r', (size_t)out.count);
    memcpy(out.optional, optional, length);
    memset(out.optional + length, '0', (size_t)out.count);
    return out;
}

static void add_headings(struct table *table, const char *const headings[], size_t count,
                         const struct levels *levels) {
    for (size_t h = 0; h < count; h++) table_add(table, "%s", headings[h]);
    for (int l = 0; l < levels->count; l++) table_add(table, "%s", levels->of[l]->level);
}

/* Strides. */

static bool same_access(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return a->threads == b->threads && a->vector_bits == b->vector_bits &&
           strcmp(a->name, b->name) == 0;
}

static bool is_first(const struct tcplan_roofline *roofline, size_t place) {
    size_t c = 0;
    while (!same_access(&roofline->bandwidth[c], &roofline->bandwidth[place])) c++;
    return c == place;
}

static void add_share(struct table *table, double share) {
    table_add(table, share > 0 ? "%.1f %%" : "-", 100 * share);
}

static void add_stride(struct table *table, const struct tcplan_roofline *roofline,
                       const struct tcplan_ceiling *first, const struct levels *levels) {
    table_add(table, "%.*s", (int)strcspn(first->name, "_"), first->name);
    table_add(table, "%d", first->threads);
    table_add(table, "%d", tcplan_ceiling_stride(first));
    table_add(table, "%.0f", ELEMENT_BYTES * first->line_bytes_per_count_byte);
    add_share(table, tcplan_ceiling_stride_expected(first));
    for (int l = 0; l < levels->count; l++) {
        double share = 0;
        for (size_t c = 0; c < roofline->bandwidth_count; c++) {
            const struct tcplan_ceiling *ceiling = &roofline->bandwidth[c];
            if (ceiling->cache == levels->of[l]->cache && same_access(ceiling, first))
                share = tcplan_roofline_stride_share(roofline, ceiling);
        }
        add_share(table, share);
    }
}

static bool any_strides(const struct tcplan_roofline *roofline) {
    size_t c = 0;
    while (c < roofline->bandwidth_count &&
           !(tcplan_roofline_stride_share(roofline, &roofline->bandwidth[c]) > 0))
        c++;
    return c < roofline->bandwidth_count;
}

static bool print_strides(FILE *file, const struct tcplan_roofline *roofline) {
    static const char *const headings[] = {"strides", "threads", "elements", "bytes moved",
                                           "expected"};
    const struct levels levels = find_levels(roofline, "lrrrr", "00021");
    struct table table = {.columns = levels.columns, .optional = levels.optional};
    if (!any_strides(roofline)) return true;
    fputc('\n', file);
    add_headings(&table, headings, sizeof headings / sizeof *headings, &levels);
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const bool told = tcplan_roofline_stride_share(roofline, &roofline->bandwidth[c]) > 0;
        if (told && is_first(roofline, c))
            add_stride(&table, roofline, &roofline->bandwidth[c], &levels);
    }
    if (!table_print(&table, file)) return false;
    fputs(
        "\nShares of the bandwidth at unit stride, one element of 8 bytes at a time; bytes moved: of lines, for each element; expected: as if lines were "
        "moved as fast as at unit stride.\n",
        file);
    return true;
}

/* Widths. */

static const struct width_row {
    const char *name, *scalar; /* without vectors */
} width_rows[] = {{"load", "load_1"}, {"store", "store_1"}, {"copy", NULL}, {"triad", NULL}};

enum { WIDTH_ROWS = sizeof width_rows / sizeof *width_rows, WIDEST_BITS = 2048, SCALAR_BITS = 64 };

static const struct tcplan_ceiling *find(const struct tcplan_roofline *roofline,
                                         const struct width_row *row, int bits, int cache,
                                         int threads) {
    const char *name = bits > SCALAR_BITS ? row->name : row->scalar;
    for (size_t c = 0; name && c < roofline->bandwidth_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->bandwidth[c];
        const bool fits =
            ceiling->vector_bits == bits && ceiling->cache == cache && ceiling->threads == threads;
        if (fits && strcmp(ceiling->name, name) == 0) return ceiling;
    }
    return NULL;
}

/** One width; `widest` becomes the ceiling in the last level of the first width that has one there.
 */
static void add_width(struct table *table, const struct tcplan_roofline *roofline,
                      const struct width_row *row, int bits, int threads,
                      const struct levels *levels, const struct tcplan_ceiling **widest) {
    const struct tcplan_ceiling *found[LEVELS_MOST], *last = NULL;
    int there = 0;
    for (int l = 0; l < levels->count; l++) {
        found[l] = find(roofline, row, bits, levels->of[l]->cache, threads);
        there += found[l] != NULL;
        last = found[l];
    }
    if (there == 0) return;
    if (!*widest) *widest = last;
    table_add(table, "%s", row->name);
    table_add(table, "%d", threads);
    table_add(table, "%d", bits);
    for (int l = 0; l < levels->count; l++)
        table_add(table, found[l] ? "%.4g" : "-", found[l] ? found[l]->rate : 0.0);
    add_share(table, last && *widest ? last->rate / (*widest)->rate : 0);
}

/** The next number of threads that loads were measured with; 0: none. */
static int next_threads(const struct tcplan_roofline *roofline, int threads) {
    int next = 0;
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const int own = roofline->bandwidth[c].threads;
        if (own > threads && (next == 0 || own < next)) next = own;
    }
    return next;
}

static bool any_widths(const struct tcplan_roofline *roofline) {
    int threads = next_threads(roofline, 0);
    while (threads > 0 && !tcplan_roofline_has_widths(roofline, threads, true))
        threads = next_threads(roofline, threads);
    return threads > 0;
}

static bool print_widths(FILE *file, const struct tcplan_roofline *roofline) {
    static const char *const headings[] = {"widths", "threads", "bits"};
    struct levels levels = find_levels(roofline, "lrr", "000");
    struct table table = {.columns = levels.columns, .optional = levels.optional};
    if (!any_widths(roofline)) return true;
    fputc('\n', file);
    levels.columns[3 + levels.count] = 'r';
    levels.optional[3 + levels.count] = '1';
    add_headings(&table, headings, sizeof headings / sizeof *headings, &levels);
    table_add(&table, "%s of the widest",
              levels.count > 0 ? levels.of[levels.count - 1]->level : "");
    for (int threads = next_threads(roofline, 0); threads > 0;
         threads = next_threads(roofline, threads)) {
        if (!tcplan_roofline_has_widths(roofline, threads, true)) continue;
        for (int r = 0; r < WIDTH_ROWS; r++) {
            const struct tcplan_ceiling *widest = NULL;
            for (int bits = WIDEST_BITS; bits >= SCALAR_BITS; bits /= 2)
                add_width(&table, roofline, &width_rows[r], bits, threads, &levels, &widest);
        }
    }
    return table_print(&table, file);
}

bool accesses_print_text(FILE *file, const struct tcplan_roofline *roofline) {
    return print_strides(file, roofline) && print_widths(file, roofline);
}
