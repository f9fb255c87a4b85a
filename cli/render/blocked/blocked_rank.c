#include "cli/render/blocked/blocked_rank.h"

#include "base/quantity.h"

/** A place in a ranking. */
struct entry {
    const struct tcplan_blocked_rank *rank;
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    const struct tcplan_blocked_prediction *prediction;
    const struct tcplan_blocked_prediction *usual; /* with LAPACK's block size; NULL: not known */
    double seconds, gflops;
};

const struct tcplan_blocked_prediction *blocked_rankings_default(
    const struct blocked_rankings *rankings, int algorithm, int point) {
    return rankings->default_place < 0
               ? NULL
               : tcplan_blocked_map_at(rankings->map, algorithm, point, rankings->default_place);
}

static struct entry entry_at(const struct blocked_rankings *rankings, int point, int place) {
    const struct tcplan_blocked_map *map = rankings->map;
    const struct tcplan_blocked_rank *rank =
        &rankings->rank[(size_t)point * (size_t)map->algorithms + (size_t)place];
    struct entry entry = {
        .rank = rank, .blocked = map->blocked[rank->algorithm], .sizes = map->point[point]};
    double performance[TCPLAN_MODEL_STATISTICS];
    entry.sizes.block = map->block[rank->block];
    entry.prediction = tcplan_blocked_map_at(map, rank->algorithm, point, rank->block);
    entry.usual = blocked_rankings_default(rankings, rank->algorithm, point);
    entry.seconds = entry.prediction->seconds[TCPLAN_MODEL_MEDIAN];
    tcplan_blocked_performance(performance, entry.prediction->seconds, entry.prediction->flops);
    entry.gflops = 1e-9 * performance[TCPLAN_MODEL_MEDIAN];
    return entry;
}

/** What LAPACK's block size takes longer, as a share; negative: not known. */
static double gain_of(const struct entry *entry) {
    return entry->usual && entry->seconds > 0
               ? entry->usual->seconds[TCPLAN_MODEL_MEDIAN] / entry->seconds - 1
               : -1;
}

static int tied_count(const struct blocked_rankings *rankings, int point) {
    int tied = 0;
    for (int r = 0; r < rankings->map->algorithms; r++)
        tied += entry_at(rankings, point, r).rank->tied;
    return tied;
}

static bool has_blocks(const struct blocked_rankings *rankings) {
    return rankings->map->blocks > 1;
}

static void add_gain(struct table *table, const struct entry *entry) {
    const double gain = gain_of(entry);
    if (gain >= 0) {
        table_add(table, "%.2f %%", 100 * gain);
    } else {
        table_add(table, "-");
    }
}

static void add_alike(struct table *table, const struct blocked_rankings *rankings,
                      const struct entry *entry) {
    const int64_t *block = rankings->map->block;
    table_add(table, "%lld - %lld", (long long)block[entry->rank->alike_first],
              (long long)block[entry->rank->alike_last]);
}

/* Text: one ranking. */

static void print_table(struct writer *writer, const struct blocked_rankings *rankings) {
    struct table table = {.columns = "rlrlrrrrrrr", .optional = "00032012433"};
    const struct time_unit unit = time_unit_for(entry_at(rankings, 0, 0).seconds);
    const double first = entry_at(rankings, 0, 0).seconds;
    const int tied = tied_count(rankings, 0);
    table_add(&table, "rank");
    table_add(&table, "algorithm");
    table_add(&table, "b");
    table_add(&table, "alike b");
    table_add(&table, "predicted %s", unit.name);
    table_add(&table, "from - to");
    table_add(&table, "slower");
    table_add(&table, "GFLOP/s");
    table_add(&table, "of peak");
    table_add(&table, "calls");
    table_add(&table, "over b=%lld", (long long)rankings->default_block);
    for (int r = 0; r < rankings->map->algorithms; r++) {
        const struct entry entry = entry_at(rankings, 0, r);
        const double *seconds = entry.prediction->seconds;
        table.style = r == 0 ? STYLE_BEST : entry.rank->tied ? STYLE_GOOD : STYLE_PLAIN;
        table_add(&table, "%d%c", r + 1, entry.rank->tied && tied > 1 ? '=' : ' ');
        table_add(&table, "%s", tcplan_blocked_name(entry.blocked));
        table_add(&table, "%lld", (long long)entry.sizes.block);
        add_alike(&table, rankings, &entry);
        table_add(&table, "%.*f", unit.decimals, entry.seconds / unit.seconds);
        table_add(&table, "%.*f - %.*f", unit.decimals,
                  seconds[TCPLAN_MODEL_MINIMUM] / unit.seconds, unit.decimals,
                  seconds[TCPLAN_MODEL_MAXIMUM] / unit.seconds);
        table_add(&table, "%.1f %%", first > 0 ? 100 * (entry.seconds / first - 1) : 0.0);
        blocked_rate_add(&table, entry.gflops);
        blocked_share_add(&table, &rankings->view, entry.gflops);
        table_add(&table, "%lld", (long long)entry.prediction->calls);
        add_gain(&table, &entry);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_ties(FILE *file, const struct blocked_rankings *rankings) {
    const int tied = tied_count(rankings, 0);
    if (tied < 2) return;
    fprintf(file, "1-%d are tied: their predicted medians are within %.3g %% of the first.\n", tied,
            100 * rankings->tie);
}

/** How LAPACK's algorithm with LAPACK's block size stands to the first. */
static void print_lapack(FILE *file, const struct blocked_rankings *rankings) {
    if (rankings->lapack < 0) return;
    const struct tcplan_blocked_prediction *usual =
        blocked_rankings_default(rankings, rankings->lapack, 0);
    const double first = entry_at(rankings, 0, 0).seconds;
    if (!usual || !(first > 0)) return;
    fprintf(file, "LAPACK's %s with b=%lld takes %.1f %% longer than the first.\n",
            tcplan_blocked_name(rankings->map->blocked[rankings->lapack]),
            (long long)rankings->default_block,
            100 * (usual->seconds[TCPLAN_MODEL_MEDIAN] / first - 1));
}

static void print_cost(FILE *file, const struct blocked_rankings *rankings) {
    const struct tcplan_blocked_map *map = rankings->map;
    const long long count = (long long)map->algorithms * map->points * map->blocks;
    fprintf(file, "%lld prediction%s in %s; nothing was run.\n", count, count == 1 ? "" : "s",
            quantity_seconds(map->spent_seconds).text);
}

static void print_one(struct writer *writer, const struct blocked_rankings *rankings) {
    const struct entry first = entry_at(rankings, 0, 0);
    char sizes[BLOCKED_SIZES_TEXT];
    fprintf(writer->file, "sizes      %s; %s\n\n",
            blocked_sizes_text(sizes, first.blocked, &first.sizes),
            quantity_flops(first.prediction->flops).text);
    print_table(writer, rankings);
    print_ties(writer->file, rankings);
    print_lapack(writer->file, rankings);
}

/* Text: many. */

static void add_others(struct table *table, const struct blocked_rankings *rankings, int point) {
    const int tied = tied_count(rankings, point);
    struct strbuf names = {0};
    enum { NAMED = 3 };
    for (int r = 1; r < tied && r <= NAMED; r++)
        strbuf_add(&names, "%s%s", r > 1 ? " " : "",
                   tcplan_blocked_name(entry_at(rankings, point, r).blocked));
    if (tied - 1 > NAMED) strbuf_add(&names, " and %d more", tied - 1 - NAMED);
    if (tied < 2) strbuf_add(&names, "-");
    table_add_owned(table, strbuf_finish(&names));
}

static void add_line(struct table *table, const struct blocked_rankings *rankings, int point,
                     struct time_unit unit) {
    const int last = rankings->map->algorithms - 1;
    const struct entry first = entry_at(rankings, point, 0),
                       slowest = entry_at(rankings, point, last);
    char sizes[BLOCKED_SIZES_TEXT];
    table_add(table, "%s", blocked_sizes_text(sizes, first.blocked, &first.sizes));
    table_add(table, "%s", tcplan_blocked_name(first.blocked));
    table_add(table, "%lld", (long long)first.sizes.block);
    add_alike(table, rankings, &first);
    table_add(table, "%.*f", unit.decimals, first.seconds / unit.seconds);
    blocked_rate_add(table, first.gflops);
    blocked_share_add(table, &rankings->view, first.gflops);
    add_gain(table, &first);
    if (last == 0) return;
    add_others(table, rankings, point);
    table_add(table, "%s", tcplan_blocked_name(slowest.blocked));
    table_add(table, "%.1f %%",
              first.seconds > 0 ? 100 * (slowest.seconds / first.seconds - 1) : 0.0);
}

static void print_lines(struct writer *writer, const struct blocked_rankings *rankings) {
    const bool several = rankings->map->algorithms > 1;
    struct table table = {.columns = several ? "llrlrrrrllr" : "llrlrrrr",
                          .optional = several ? "00030143255" : "00030143"};
    double smallest = entry_at(rankings, 0, 0).seconds;
    for (int p = 1; p < rankings->map->points; p++) {
        const double seconds = entry_at(rankings, p, 0).seconds;
        if (seconds > 0 && seconds < smallest) smallest = seconds;
    }
    const struct time_unit unit = time_unit_for(smallest);
    fputc('\n', writer->file);
    table_add(&table, "sizes");
    table_add(&table, several ? "fastest" : "algorithm");
    table_add(&table, "b");
    table_add(&table, "alike b");
    table_add(&table, "predicted %s", unit.name);
    table_add(&table, "GFLOP/s");
    table_add(&table, "of peak");
    table_add(&table, "over b=%lld", (long long)rankings->default_block);
    if (several) {
        table_add(&table, "tied with it");
        table_add(&table, "slowest");
        table_add(&table, "by");
    }
    for (int p = 0; p < rankings->map->points; p++) add_line(&table, rankings, p, unit);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    if (several)
        fprintf(writer->file, "Tied are predicted medians within %.3g %% of the fastest.\n",
                100 * rankings->tie);
}

static void print_text(struct writer *writer, const struct blocked_rankings *rankings) {
    blocked_view_print(writer->file, &rankings->view);
    if (rankings->map->points == 1) {
        print_one(writer, rankings);
    } else {
        print_lines(writer, rankings);
    }
    if (has_blocks(rankings))
        fprintf(
            writer->file,
            "Alike are block sizes around the best within %.3g %% of it; `over b=%lld` is what LAPACK's block size takes longer.\n",
            100 * rankings->tie, (long long)rankings->default_block);
    print_cost(writer->file, rankings);
}

/* CSV. */

static void print_csv(struct writer *writer, const struct blocked_rankings *rankings) {
    fputs(
        BLOCKED_VIEW_HEAD
        "," BLOCKED_SIZES_HEAD
        ",rank,tied,alike_first,alike_last,minimum_seconds,median_seconds,maximum_seconds,mean_seconds,"
        "deviation_seconds,flops,gflops,efficiency,calls,error,default_block,gain\n",
        writer->file);
    for (int p = 0; p < rankings->map->points; p++) {
        for (int r = 0; r < rankings->map->algorithms; r++) {
            const struct entry entry = entry_at(rankings, p, r);
            struct csv_line line = {0};
            blocked_view_add(&line, &rankings->view);
            blocked_sizes_add(&line, entry.blocked, &entry.sizes);
            csv_add_integer(&line, r + 1);
            csv_add_text(&line, entry.rank->tied ? "true" : "false");
            csv_add_integer(&line, rankings->map->block[entry.rank->alike_first]);
            csv_add_integer(&line, rankings->map->block[entry.rank->alike_last]);
            for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
                csv_add_number(&line, true, entry.prediction->seconds[s]);
            csv_add_number(&line, true, entry.prediction->flops);
            csv_add_number(&line, true, entry.gflops);
            csv_add_number(&line, rankings->view.peak_gflops > 0,
                           entry.gflops / rankings->view.peak_gflops);
            csv_add_integer(&line, entry.prediction->calls);
            csv_add_number(&line, true, entry.prediction->error);
            csv_add_integer(&line, rankings->default_block);
            csv_add_number(&line, gain_of(&entry) >= 0, gain_of(&entry));
            blocked_line_print(writer, &line);
        }
    }
}

/* Documents. */

static void write_entry(struct document *document, const struct blocked_rankings *rankings,
                        const struct entry *entry, int place) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "algorithm");
    kind->integer(document, "rank", place + 1);
    kind->text(document, "name", tcplan_blocked_name(entry->blocked));
    kind->integer(document, "block", entry->sizes.block);
    kind->integer(document, "alike_first", rankings->map->block[entry->rank->alike_first]);
    kind->integer(document, "alike_last", rankings->map->block[entry->rank->alike_last]);
    kind->boolean(document, "tied", entry->rank->tied);
    kind->number(document, "predicted_seconds", entry->seconds);
    kind->number(document, "predicted_gflops", entry->gflops);
    if (rankings->view.peak_gflops > 0)
        kind->number(document, "efficiency", entry->gflops / rankings->view.peak_gflops);
    kind->integer(document, "calls", entry->prediction->calls);
    kind->integer(document, "calls_below_domain", entry->prediction->below);
    kind->number(document, "error", entry->prediction->error);
    if (gain_of(entry) >= 0) kind->number(document, "gain", gain_of(entry));
    blocked_statistics_write(document, "seconds", entry->prediction->seconds, 1);
    kind->end(document);
}

static void write_point(struct document *document, const struct blocked_rankings *rankings,
                        int point) {
    const struct document_kind *kind = document->kind;
    const struct entry first = entry_at(rankings, point, 0);
    char sizes[BLOCKED_SIZES_TEXT];
    kind->object(document, "ranking");
    kind->number(document, "flops", first.prediction->flops);
    kind->sizes(document, blocked_sizes_text(sizes, first.blocked, &first.sizes));
    kind->list(document, "algorithms");
    for (int r = 0; r < rankings->map->algorithms; r++) {
        const struct entry entry = entry_at(rankings, point, r);
        write_entry(document, rankings, &entry, r);
    }
    kind->end(document);
    kind->end(document);
}

static void write_document(struct document *document, const struct blocked_rankings *rankings) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocked_map *map = rankings->map;
    document_open(document, "blocked_rank");
    blocked_view_write(document, &rankings->view);
    kind->number(document, "tie", rankings->tie);
    kind->integer(document, "default_block", rankings->default_block);
    if (rankings->lapack >= 0)
        kind->text(document, "lapack", tcplan_blocked_name(map->blocked[rankings->lapack]));
    kind->integer(document, "predictions", (int64_t)map->algorithms * map->points * map->blocks);
    kind->number(document, "predicting_seconds", map->spent_seconds);
    kind->list(document, "rankings");
    for (int p = 0; p < map->points; p++) write_point(document, rankings, p);
    kind->end(document);
    kind->end(document);
}

void blocked_rankings_print(struct writer *writer, const struct blocked_rankings *rankings) {
    if (writer->document) {
        write_document(writer->document, rankings);
    } else if (rankings->view.format == OUTPUT_CSV) {
        print_csv(writer, rankings);
    } else {
        print_text(writer, rankings);
    }
}
