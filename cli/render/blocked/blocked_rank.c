#include "base/strbuf.h"
#include "cli/render/blocked/blocked_common.h"

/** The ranking at one size point. */
struct point {
    const struct blocked_rankings *all;
    int number;
    int tied; /* number of algorithms tied with the first one */
    const struct place *first, *last;
};

/** An entry of the ranking at a size point. */
struct place {
    const struct point *point;
    const struct blocked_rankings *all;
    int row; /* from 0 */
    const struct tcplan_blocked_rank *rank;
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    const struct tcplan_blocked_prediction *prediction;
    const struct tcplan_blocked_prediction *usual; /* prediction with LAPACK's block size; NULL:
                                                      unknown */
    double seconds, gflops;
};

const struct tcplan_blocked_prediction *blocked_rankings_default(
    const struct blocked_rankings *rankings, int algorithm, int point) {
    return rankings->default_place < 0
               ? NULL
               : tcplan_blocked_map_at(rankings->map, algorithm, point, rankings->default_place);
}

static struct place place_at(const struct point *point, int number) {
    const struct blocked_rankings *all = point->all;
    const struct tcplan_blocked_map *map = all->map;
    const struct tcplan_blocked_rank *rank =
        &all->rank[(size_t)point->number * (size_t)map->algorithms + (size_t)number];
    struct place place = {.point = point,
                          .all = all,
                          .row = number,
                          .rank = rank,
                          .blocked = map->blocked[rank->algorithm],
                          .sizes = map->point[point->number]};
    place.sizes.block = map->block[rank->block];
    place.prediction = tcplan_blocked_map_at(map, rank->algorithm, point->number, rank->block);
    place.usual = blocked_rankings_default(all, rank->algorithm, point->number);
    place.seconds = place.prediction->seconds[TCPLAN_MODEL_MEDIAN];
    place.gflops = blocked_gflops(place.prediction->seconds, place.prediction->flops);
    return place;
}

static void visit_places(const struct point *point, struct field_visit *visit) {
    for (int r = 0; r < point->all->map->algorithms; r++) {
        const struct place place = place_at(point, r);
        FIELD_VISIT(&place);
    }
}

static void visit_points(const struct blocked_rankings *all, struct field_visit *visit) {
    const int algorithms = all->map->algorithms;
    for (int p = 0; p < all->map->points; p++) {
        struct point point = {.all = all, .number = p};
        const struct place first = place_at(&point, 0), last = place_at(&point, algorithms - 1);
        for (int r = 0; r < algorithms; r++)
            point.tied += all->rank[(size_t)p * (size_t)algorithms + (size_t)r].tied;
        point.first = &first;
        point.last = &last;
        FIELD_VISIT(&point);
    }
}

/** Returns how much more time LAPACK's block size takes than the best block size, as a share. */
static struct field_value gain_of(const struct place *place) {
    return field_if(
        place->usual && place->seconds > 0,
        field_number(place->usual ? place->usual->seconds[TCPLAN_MODEL_MEDIAN] / place->seconds - 1
                                  : 0));
}

static struct field_value alike_of(const struct place *place) {
    const int64_t *block = place->all->map->block;
    return field_printed("%lld - %lld", (long long)block[place->rank->alike_first],
                         (long long)block[place->rank->alike_last]);
}

/** Compares measured times if both algorithms ran, otherwise predicted ones. */
static struct field_value slower(const struct place *place, const struct point *point) {
    const double first = point->first->rank->measured_seconds, own = place->rank->measured_seconds;
    if (first > 0 && own > 0) return field_number(own / first - 1);
    return field_number(point->first->seconds > 0 ? place->seconds / point->first->seconds - 1 : 0);
}

/** Returns the algorithms that are tied with the first one. */
static struct field_value others_of(const struct point *point) {
    enum { NAMED = 3 };
    struct strbuf names = {0};
    for (int r = 1; r < point->tied && r <= NAMED; r++)
        strbuf_add(&names, "%s%s", r > 1 ? " " : "",
                   tcplan_blocked_name(place_at(point, r).blocked));
    if (point->tied - 1 > NAMED) strbuf_add(&names, " and %d more", point->tied - 1 - NAMED);
    return point->tied < 2 ? field_unknown() : field_owned(strbuf_finish(&names));
}

FIELD_GETTER(struct place, shown_rank,
             field_printed("%d%c", r->rank->same + 1,
                           r->rank->tied && r->point->tied > 1 ? '=' : ' '))

static struct field_value same_as(const struct place *place) {
    const struct place same = place_at(place->point, place->rank->same);
    return field_if(same.row < place->row, field_text(tcplan_blocked_name(same.blocked)));
}

FIELD_STYLE(struct place, style_of,
            r->row == 0     ? STYLE_BEST
            : r->rank->tied ? STYLE_GOOD
                            : STYLE_PLAIN)
FIELD_TEST(struct blocked_rankings, of_several, r->map->algorithms > 1)
FIELD_TEST(struct point, is_measured, r->first->rank->measured_seconds > 0)

#define PEAK r->all->head->peak_gflops
#define SECONDS r->prediction->seconds
#define FIRST r->first

/* clang-format off */

#define PLACE(F, T) \
    F(T, algorithm, TEXT, field_text(tcplan_blocked_name(r->blocked)), "name", CSV(6), .hidden = true) \
    F(T, rank, INTEGER, field_integer(r->rank->same + 1), "rank, from 1; algorithms with the same calls share one", \
      ALWAYS, CSV(10), COLUMN(1, "rank"), .shown = shown_rank) \
    F(T, name, TEXT, field_text(tcplan_blocked_name(r->blocked)), "name, such as potrf_L3", ALWAYS, COLUMN(2, "algorithm")) \
    F(T, b, INTEGER, field_integer(r->sizes.block), "best block size of the algorithm", COLUMN(3, "b"), .hidden = true) \
    F(T, at, GROUP, const struct blocked_at at = BLOCKED_AT(r->blocked, &r->sizes); FIELD_VISIT(&at), "size and best block size of the algorithm", \
      .fields = blocked_at_fields) \
    F(T, alike, TEXT, alike_of(r), "equally fast block sizes around the best", COLUMN(4, "alike b"), .optional = '3', .hidden = true) \
    F(T, alike_first, INTEGER, field_integer(r->all->map->block[r->rank->alike_first]), "smallest equally fast block size", ALWAYS, CSV(12)) \
    F(T, alike_last, INTEGER, field_integer(r->all->map->block[r->rank->alike_last]), "largest equally fast block size", ALWAYS, CSV(13)) \
    F(T, tied, FLAG, field_flag(r->rank->tied), "whether the algorithm is as fast as the first", ALWAYS, CSV(11)) \
    F(T, same_calls_as, TEXT, same_as(r), "earlier algorithm with the same calls at this size", CSV(26)) \
    F(T, predicted_seconds, NUMBER, field_number(r->seconds), "predicted median time", ALWAYS, COLUMN(5, "predicted"), .format = FIELD_TIME) \
    F(T, measured_seconds, NUMBER, field_positive(r->rank->measured_seconds), "median time of the runs of --measure", \
      CSV(29), COLUMN(12, "measured"), .format = FIELD_TIME, .applies = is_measured) \
    F(T, range, NUMBER, field_interval(SECONDS[TCPLAN_MODEL_MINIMUM], SECONDS[TCPLAN_MODEL_MAXIMUM]), "smallest and largest time", \
      COLUMN(6, "from - to"), .format = FIELD_INTERVAL, .optional = '2', .hidden = true) \
    STATISTICS_CSV(F, T, 14, true, SECONDS) \
    F(T, flops, NUMBER, field_number(r->prediction->flops), "operations", CSV(19), .hidden = true) \
    F(T, slower, NUMBER, slower(r, r->point), "time relative to the first, minus 1", COLUMN(7, "slower"), .format = FIELD_PERCENT, .hidden = true) \
    F(T, gflops, NUMBER, field_number(r->gflops), "median performance", CSV(20), COLUMN(8, "GFLOP/s"), .format = FIELD_DIGITS, .optional = '1', \
      .hidden = true) \
    F(T, predicted_gflops, NUMBER, field_number(r->gflops), "median performance", ALWAYS) \
    F(T, efficiency, NUMBER, blocked_share(r->gflops, PEAK), "share of the peak", CSV(21), COLUMN(9, "of peak"), .format = FIELD_PERCENT, .optional = '2') \
    F(T, calls, INTEGER, field_integer(r->prediction->calls), "number of calls", ALWAYS, CSV(22), COLUMN(10, "calls"), .optional = '4') \
    F(T, calls_below_domain, INTEGER, field_integer(r->prediction->below), "calls below the domains of their models", ALWAYS) \
    EXTRAPOLATED(F, T, 28, r->prediction) \
    F(T, error, NUMBER, field_number(r->prediction->error), "mean error of the models", ALWAYS, CSV(23)) \
    F(T, default_block, INTEGER, field_integer(r->all->default_block), "LAPACK's block size", CSV(24), .hidden = true) \
    F(T, gain, NUMBER, gain_of(r), "time with LAPACK's block size relative to the best block size, minus 1", \
      CSV(25), COLUMN(11, "gain"), .format = FIELD_PERCENT, .optional = '3', .schema = "\"type\": \"number\"") \
    STATISTICS(F, T, seconds, true, SECONDS, 1, "predicted time")

/* Fields of the text table for several sizes, which has a line for each size. */
#define POINT(F, T) \
    F(T, flops, NUMBER, field_number(FIRST->prediction->flops), "total operations", ALWAYS) \
    F(T, sizes, SIZES, blocked_sizes(FIRST->blocked, &FIRST->sizes), "extents of the matrices", ALWAYS, CSV(27), COLUMN(1, "sizes")) \
    F(T, fastest, TEXT, field_text(tcplan_blocked_name(FIRST->blocked)), "the fastest algorithm", COLUMN(2, "fastest"), .hidden = true) \
    F(T, b, INTEGER, field_integer(FIRST->sizes.block), "best block size of the algorithm", COLUMN(3, "b"), .hidden = true) \
    F(T, alike, TEXT, alike_of(FIRST), "equally fast block sizes around the best", COLUMN(4, "alike b"), .optional = '3', .hidden = true) \
    F(T, predicted, NUMBER, field_number(FIRST->seconds), "time of the fastest algorithm", COLUMN(5, "predicted"), .format = FIELD_TIME, .hidden = true) \
    F(T, gflops, NUMBER, field_number(FIRST->gflops), "performance", COLUMN(6, "GFLOP/s"), .format = FIELD_DIGITS, .optional = '1', .hidden = true) \
    F(T, of_peak, NUMBER, blocked_share(FIRST->gflops, PEAK), "share of the peak", COLUMN(7, "of peak"), .format = FIELD_PERCENT, .optional = '4', \
      .hidden = true) \
    F(T, gain, NUMBER, gain_of(FIRST), "relative extra time of LAPACK's block " \
      "size", COLUMN(8, "gain"), .format = FIELD_PERCENT, .optional = '3', .hidden = true) \
    F(T, others, TEXT, others_of(r), "algorithms tied with the fastest", COLUMN(9, "tied with it"), .optional = '2', .applies = of_several, .hidden = true) \
    F(T, slowest, TEXT, field_text(tcplan_blocked_name(r->last->blocked)), "the slowest algorithm", \
      COLUMN(10, "slowest"), .optional = '5', .applies = of_several, .hidden = true) \
    F(T, by, NUMBER, slower(r->last, r), "time of the slowest tied algorithm relative to the fastest, minus 1", \
      COLUMN(11, "by"), .format = FIELD_PERCENT, .optional = '5', .applies = of_several, .hidden = true) \
    F(T, algorithms, LIST, visit_places(r, visit), "the algorithms, fastest first", .item = "algorithm", .fields = place_fields, .style = style_of, ALWAYS)

#define RANKINGS(F, T) \
    F(T, head, GROUP, FIELD_VISIT(r->head), "the operation", .fields = blocked_head_fields) \
    F(T, tie, NUMBER, field_number(r->tie), "largest relative difference of tied times", ALWAYS) \
    F(T, default_block, INTEGER, field_integer(r->default_block), "LAPACK's block size", ALWAYS) \
    F(T, lapack, TEXT, field_if(r->lapack >= 0, field_text(tcplan_blocked_name(r->map->blocked[r->lapack < 0 ? 0 : r->lapack]))), "LAPACK's algorithm") \
    F(T, predictions, INTEGER, field_integer((int64_t)r->map->algorithms * r->map->points * r->map->blocks), "number of predictions", ALWAYS) \
    F(T, predicting_seconds, NUMBER, field_number(r->map->spent_seconds), "total time of the predictions", ALWAYS) \
    F(T, rankings, LIST, visit_points(r, visit), "rankings, one for each size", .item = "ranking", .fields = point_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(place, place, PLACE);
FIELD_TABLE(point, point, POINT);
FIELD_TABLE(rankings, blocked_rankings, RANKINGS);

/* Text. */

/** Prints which algorithms make the same calls as an earlier algorithm. */
static void print_same(FILE *file, const struct point *point) {
    for (int r = 0; r < point->all->map->algorithms; r++) {
        const struct place place = place_at(point, r);
        if (place.rank->same == r) continue;
        fprintf(file, "%s makes the same calls as %s at this size: they tie.\n",
                tcplan_blocked_name(place.blocked),
                tcplan_blocked_name(place_at(point, place.rank->same).blocked));
    }
}

/** Compares LAPACK's algorithm and block size with the fastest algorithm and block size. */
static void print_lapack(FILE *file, const struct point *point) {
    const struct blocked_rankings *all = point->all;
    const struct tcplan_blocked_prediction *usual =
        all->lapack < 0 ? NULL : blocked_rankings_default(all, all->lapack, point->number);
    if (!usual || !(point->first->seconds > 0)) return;
    fprintf(file, "LAPACK's %s with b=%lld takes %.1f %% longer than the first.\n",
            tcplan_blocked_name(all->map->blocked[all->lapack]), (long long)all->default_block,
            100 * (usual->seconds[TCPLAN_MODEL_MEDIAN] / point->first->seconds - 1));
}

/** Prints the ranking at one size point; implements field_visit. */
static void print_point(struct field_visit *visit, const void *record) {
    struct writer *writer = visit->writer;
    const struct point *point = record;
    fputs("sizes      ", writer->file);
    blocked_sizes_print(writer->file, point->first->blocked, &point->first->sizes, ",");
    fprintf(writer->file, "; %s\n\n", quantity_flops(point->first->prediction->flops).text);
    fields_print_list(writer, field_named(point_fields, "algorithms"), point);
    if (point->tied > 1)
        fprintf(writer->file, "1-%d are tied: their %s medians are within %.3g %% of the first.\n",
                point->tied, is_measured(point) ? "measured" : "predicted", 100 * point->all->tie);
    print_same(writer->file, point);
    print_lapack(writer->file, point);
}

/** Prints which sizes are extrapolated. */
static void print_extrapolated(FILE *file, const struct tcplan_blocked_map *map) {
    struct extrapolated sum = {.share = 0};
    for (int p = 0; p < map->points; p++) {
        for (int a = 0; a < map->algorithms; a++) {
            for (int b = 0; b < map->blocks; b++)
                extrapolated_add(&sum, map->blocked[a], &map->point[p],
                                 tcplan_blocked_map_at(map, a, p, b));
        }
    }
    extrapolated_print(file, &sum);
}

/** Counts the algorithms that ran, at all sizes. */
static int64_t count_measured(const struct blocked_rankings *all) {
    const size_t algorithms = (size_t)all->map->algorithms;
    int64_t count = 0;
    for (size_t r = 0; r < (size_t)all->map->points * algorithms; r++) {
        const bool is_first = all->rank[r].same == (int)(r % algorithms);
        count += is_first && all->rank[r].measured_seconds > 0;
    }
    return count;
}

static void print(struct writer *writer, const void *record) {
    const struct blocked_rankings *all = record;
    const struct tcplan_blocked_map *map = all->map;
    const long long count = (long long)map->algorithms * map->points * map->blocks;
    struct field_visit points = {.use = print_point, .writer = writer};
    blocked_head_print(writer->file, all->head);
    if (map->points == 1) {
        visit_points(all, &points);
    } else {
        fputc('\n', writer->file);
        fields_print_list(writer, field_named(rankings_fields, "rankings"), all);
        if (map->algorithms > 1)
            fprintf(writer->file, "Predicted medians within %.3g %% of the fastest are tied.\n",
                    100 * all->tie);
    }
    print_extrapolated(writer->file, map);
    if (map->blocks > 1)
        fprintf(
            writer->file,
            "alike b: block sizes around the best within %.3g %% of it; gain: time with LAPACK's block size, %lld, relative to the best, minus 1.\n",
            100 * all->tie, (long long)all->default_block);
    fprintf(writer->file, "%s in %s; ", counted(count, "prediction").text,
            quantity_seconds(map->spent_seconds).text);
    if (count_measured(all) > 0) {
        fprintf(writer->file, "%s ran.\n", counted(count_measured(all), "algorithm").text);
    } else {
        fputs("nothing was run.\n", writer->file);
    }
}

VIEW(blocked_rank, rankings, "blocked_rank", print,
     "Blocked algorithms and block sizes ranked by predicted times.");
