#include <math.h>

#include "cli/render/results/platforms.h"

/* Text and pages have a row for each contraction, with a group of columns for each machine. CSV has
 * a line for each combination of contraction, winner and machine that may have a time. */

/** The winner of one machine, with its time on that or another machine. */
struct winner_on {
    const struct winner_cell *of;
    int on;
};

/** The winners of one machine, timed on another machine. */
struct winners_pair {
    const struct tcplan_platforms *report;
    int of, on;
};

static const struct tcplan_platform *machine_of(const struct winner_cell *cell) {
    return &cell->report->platform[cell->machine];
}

static const struct tcplan_ported_algorithm *winner_of(const struct winner_cell *cell) {
    return cell->contraction->winner[cell->machine];
}

static double seconds_on(const struct winner_cell *cell, int on) {
    return tcplan_ported_seconds(cell->contraction, winner_of(cell), on);
}

static double limit_share(const struct winner_cell *cell) {
    const double seconds = seconds_on(cell, cell->machine);
    return seconds > 0 ? cell->contraction->limit_seconds[cell->machine] / seconds : 0;
}

/** Returns the largest known loss of time of a winner on another machine; 0 if none is known. */
static double largest_loss(const struct winner_cell *cell) {
    double largest = 0;
    for (int on = 0; on < cell->report->platform_count; on++) {
        if (on != cell->machine)
            largest = fmax(largest, tcplan_winner_loss(cell->contraction, cell->machine, on));
    }
    return largest;
}

static void each_contraction(struct field_visit *visit, const struct tcplan_platforms *report) {
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        const struct winner_cell row = {report, c, 0};
        FIELD_VISIT(&row);
    }
}

static void each_pair(struct field_visit *visit, const struct tcplan_platforms *report) {
    for (int of = 0; of < report->platform_count; of++) {
        for (int on = 0; on < report->platform_count; on++) {
            if (on != of) FIELD_VISIT(&(struct winners_pair){report, of, on});
        }
    }
}

static struct tcplan_winners_loss loss_of(const struct winners_pair *pair) {
    return tcplan_winners_loss(pair->report, pair->of, pair->on);
}

static struct field_value worst_name(const struct winners_pair *pair) {
    const struct tcplan_winners_loss loss = loss_of(pair);
    return field_text(loss.worst_of ? loss.worst_of->name : NULL);
}

static struct field_value label(int machine) {
    return field_printed("%s", platform_label(machine).text);
}

/* Lists the text columns for each machine, which are the fields of a winner; returns their
 * number. */

static int cell_columns(const struct field *out[FIELD_COLUMNS]) {
    return fields_columns(out, winner_cell_fields, false, NULL);
}

static int spread_count(const void *record) {
    const struct field *column[FIELD_COLUMNS];
    return ((const struct tcplan_platforms *)record)->platform_count * cell_columns(column);
}

static struct field_value spread_heading(const void *record, int of) {
    const struct field *column[FIELD_COLUMNS];
    const int count = cell_columns(column);
    (void)record;
    return field_printed("%s: %s", platform_label(of / count).text, column[of % count]->heading);
}

static struct field_value spread_value(const void *record, int of) {
    const struct field *column[FIELD_COLUMNS];
    const int count = cell_columns(column);
    struct winner_cell cell = *(const struct winner_cell *)record;
    cell.machine = of / count;
    const struct field *field = column[of % count];
    const struct field_value value = field->get(&cell);
    return value.known ? field_owned(field_value_text(field, value, time_unit_for(1)))
                       : field_unknown();
}

static const struct field_spread by_machine = {spread_count, spread_heading, spread_value};

/* clang-format off */

#define WINNER_ON(F, T) \
    F(T, file, TEXT, field_text(r->of->report->platform[r->on].path), "file of results of the machine", CSV_AS(9, "on_file"), ALWAYS) \
    F(T, threads, INTEGER, field_integer(r->of->report->platform[r->on].threads), "threads", CSV_AS(10, "on_threads"), ALWAYS) \
    F(T, seconds, NUMBER, field_positive(seconds_on(r->of, r->on)), "time of the winner on this machine; absent: none", CSV_AS(11, "on_seconds")) \
    F(T, loss, NUMBER, field_positive(tcplan_winner_loss(r->of->contraction, r->of->machine, r->on)), "time relative to the winner of this machine", CSV(12))

#define CELL(F, T) \
    F(T, file, TEXT, field_text(machine_of(r)->path), "file of results", CSV(4), ALWAYS) \
    F(T, threads, INTEGER, field_integer(machine_of(r)->threads), "threads", CSV(5), ALWAYS) \
    F(T, winner, TEXT, field_text(winner_of(r) ? winner_of(r)->name : NULL), "the algorithm that was chosen; absent: no result", CSV(6), COLUMN(1, "winner")) \
    F(T, seconds, NUMBER, field_positive(seconds_on(r, r->machine)), "time of the winner", CSV(7), COLUMN(2, "time"), .format = FIELD_SECONDS) \
    F(T, limit_share, NUMBER, field_positive(limit_share(r)), "share of the speed that the ceilings allow; absent: no ceilings", CSV(8), \
      COLUMN(3, "of limit"), .format = FIELD_SHARE) \
    F(T, largest_loss, NUMBER, field_positive(largest_loss(r)), "longest time of the winner on another machine, relative to that machine's own winner", \
      COLUMN(4, "elsewhere"), .format = FIELD_FACTOR) \
    F(T, times, LIST, FIELD_VISIT_ALL(r->report->platform_count, &(struct winner_on){r, (int)i}), "the winner on all machines", .item = "on", \
      .fields = on_fields, ALWAYS)

#define ROW(F, T) \
    F(T, name, TEXT, field_word(r->contraction->name), "name of the contraction in the library", CSV_AS(1, "name"), COLUMN(1, "contraction"), ALWAYS) \
    F(T, library, TEXT, field_word(r->contraction->library), "file of the library that has the contraction", CSV(13), ALWAYS) \
    F(T, contraction, TEXT, field_text(r->contraction->contraction), "the contraction in tcplan's notation", CSV(2), ALWAYS) \
    F(T, sizes, SIZES, field_word(r->contraction->sizes), "extent of each index", CSV(3), COLUMN(2, "sizes"), .optional = '1', ALWAYS) \
    F(T, winners, TEXT, field_unknown(), "winners on each machine", COLUMN(3, ""), .spread = &by_machine, .hidden = true) \
    F(T, machines, LIST, FIELD_VISIT_ALL(r->report->platform_count, &(struct winner_cell){r->report, r->contraction, (int)i}), "the winner of each machine", \
      .item = "machine", .fields = winner_cell_fields, ALWAYS)

#define PAIR(F, T) \
    F(T, of, TEXT, label(r->of), "label of the machine that chose the winners", COLUMN(1, "winners of"), .hidden = true) \
    F(T, file, TEXT, field_text(r->report->platform[r->of].path), "file of results of the machine that chose the winners", ALWAYS) \
    F(T, threads, INTEGER, field_integer(r->report->platform[r->of].threads), "threads", ALWAYS) \
    F(T, on, TEXT, label(r->on), "label of the machine that has the times", COLUMN(2, "on"), .hidden = true) \
    F(T, on_file, TEXT, field_text(r->report->platform[r->on].path), "file of results of the machine that has the times", ALWAYS) \
    F(T, on_threads, INTEGER, field_integer(r->report->platform[r->on].threads), "threads", ALWAYS) \
    F(T, count, INTEGER, field_integer(loss_of(r).count), "number of contractions whose winner was also timed on the second machine", \
      COLUMN(5, "contractions"), ALWAYS) \
    F(T, mean, NUMBER, field_positive(loss_of(r).mean), "geometric mean of these times, each relative to the winner of the second machine", \
      COLUMN(3, "mean loss"), \
      .format = FIELD_FACTOR) \
    F(T, worst, NUMBER, field_positive(loss_of(r).worst), "largest loss", COLUMN(4, "worst"), .format = FIELD_FACTOR) \
    F(T, worst_contraction, TEXT, worst_name(r), "contraction with the largest loss", COLUMN(6, "worst in"))

#define REPORT(F, T) \
    F(T, everywhere_count, INTEGER, field_integer(r->everywhere_count), "contractions with results on every machine", ALWAYS) \
    F(T, one_winner_count, INTEGER, field_integer(r->one_winner_count), "contractions with results on every machine and the same winner on all", ALWAYS) \
    F(T, predicted, FLAG, field_flag(r->predicted), "whether some times were not measured, but predicted", ALWAYS) \
    F(T, machines, LIST, platforms_visit(visit, r, NULL), "the machines", .item = "machine", .fields = placed_fields, ALWAYS) \
    F(T, losses, LIST, each_pair(visit, r), "winners of each machine on every other machine", .item = "loss", .fields = pair_fields, ALWAYS) \
    F(T, contractions, LIST, each_contraction(visit, r), "the contractions", .item = "contraction", .fields = row_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(on, winner_on, WINNER_ON);
FIELD_TABLE_SHARED(winner_cell, winner_cell, CELL);
FIELD_TABLE(row, winner_cell, ROW);
FIELD_TABLE(pair, winners_pair, PAIR);
FIELD_TABLE(report, tcplan_platforms, REPORT);

static void print_losses(struct writer *writer, const struct tcplan_platforms *report) {
    fputc('\n', writer->file);
    fields_print_list(writer, field_named(report_fields, "losses"), report);
    fprintf(writer->file,
            "\nAll machines have the same winner in %lld of %lld contractions with results on "
            "all.\n",
            (long long)report->one_winner_count, (long long)report->everywhere_count);
}

static void print(struct writer *writer, const void *record) {
    const struct tcplan_platforms *report = record;
    FILE *file = writer->file;
    fields_print_list(writer, field_named(report_fields, "machines"), report);
    fputc('\n', file);
    fields_print_list(writer, field_named(report_fields, "contractions"), report);
    if (report->platform_count > 1) print_losses(writer, report);
    if (report->predicted) fputs("\nSome times were not measured, but predicted.\n", file);
}

VIEW(winners, report, "winners", print, "Which algorithm wins on which machine.");
