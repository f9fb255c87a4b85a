#include "cli/render/roofs/levels_text.h"

#include "base/quantity.h"
#include "cli/render/text/table.h"

static void add_bytes(struct table *table, int64_t bytes) {
    table_add(table, "%s", bytes > 0 ? quantity_bytes((double)bytes).text : "-");
}

static void add_found(struct table *table, const struct tcplan_roofline *roofline,
                      const struct tcplan_level *level) {
    const bool is_reported = level->cache >= 0 && level->cache < roofline->machine.cache_count;
    table_add(table, "%s", *level->name ? level->name : "not reported");
    table_add(table, "%d", level->threads);
    table_add(table, "%.4g", level->rate);
    add_bytes(table, level->holds_bytes);
    add_bytes(table, is_reported ? roofline->machine.cache[level->cache].size_bytes : 0);
    table_add(table, "%s - %s", quantity_bytes((double)level->first_bytes).text,
              quantity_bytes((double)level->last_bytes).text);
}

/** A cache that is reported, but was not told from its neighbours. */
static void add_missing(struct table *table, const struct tcplan_cache_level *cache, int threads) {
    table_add(table, "L%d", cache->level);
    table_add(table, "%d", threads);
    table_add(table, "-");
    table_add(table, "-");
    add_bytes(table, cache->size_bytes);
    table_add(table, "not told from its neighbours");
}

/** The levels of as many threads as that of the place has, up to the place behind them. */
static size_t add_levels(struct table *table, const struct tcplan_roofline *roofline,
                         size_t place) {
    const int threads = roofline->level[place].threads;
    int next = 0; /* cache that was not met yet */
    for (; place < roofline->level_count && roofline->level[place].threads == threads; place++) {
        const struct tcplan_level *level = &roofline->level[place];
        while (next < level->cache) add_missing(table, &roofline->machine.cache[next++], threads);
        add_found(table, roofline, level);
        if (level->cache >= 0) next = level->cache + 1;
    }
    return place;
}

bool levels_print_text(FILE *file, const struct tcplan_roofline *roofline) {
    struct table table = {.columns = "lrrrrl", .optional = "000001"};
    if (roofline->level_count == 0) return true;
    table_add(&table, "found");
    table_add(&table, "threads");
    table_add(&table, "load %s", tcplan_roofline_bandwidth_unit(roofline));
    table_add(&table, "holds");
    table_add(&table, "reported");
    table_add(&table, "level from, to a thread");
    for (size_t l = 0; l < roofline->level_count;) l = add_levels(&table, roofline, l);
    return table_print(&table, file);
}
