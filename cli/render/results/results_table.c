#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/render/results/results_writer.h"
#include "cli/render/text/terminal.h"
#include "cli/render/text/visible.h"

/* Records are printed as they arrive, so columns have fixed widths: longer names are truncated, and
 * the winner and sizes, of any length, come last. */

enum {
    NAME_WIDTH = 12,
    NAME_WIDTH_UNKNOWN = 24,
    NAME_WIDTH_MAX = 60,
    WINNER_WIDTH = 18,
    WIDE = 110
};

/** Prints a text padded to `width`; truncates a longer one if `cut`. */
static void print_cell(struct results_writer *writer, const char *text, size_t width, bool cut) {
    char *shown = visible_text(text);
    if (!shown) {
        writer->no_memory = true;
        return;
    }
    cut = cut && visible_width(shown) > width;
    if (cut) shown[visible_cut(shown, width - 3)] = '\0';
    const size_t taken = visible_width(shown) + (cut ? 3 : 0);
    fprintf(writer->file, "%s%s%*s", shown, cut ? "..." : "",
            taken < width ? (int)(width - taken) : 0, "");
    free(shown);
}

static void begin_table(struct results_writer *writer) {
    if (writer->name_width == 0) writer->name_width = NAME_WIDTH_UNKNOWN;
    if (writer->name_width < NAME_WIDTH) writer->name_width = NAME_WIDTH;
    if (writer->name_width > NAME_WIDTH_MAX) writer->name_width = NAME_WIDTH_MAX;
    const struct terminal terminal = terminal_of(writer->file);
    writer->narrow = terminal.columns > 0 && terminal.columns < WIDE;
    terminal_style(writer->file, &terminal, STYLE_HEADING);
    fprintf(writer->file, "%-*s  %9s", (int)writer->name_width, "contraction", "predicted");
    if (!writer->narrow) fprintf(writer->file, "  %4s", "tied");
    fprintf(writer->file, "  %8s", "GFLOP/s");
    if (!writer->narrow) fprintf(writer->file, "  %8s", "of gemm");
    if (writer->measured) fprintf(writer->file, "  %9s  %6s", "measured", "regret");
    if (!writer->narrow) fprintf(writer->file, "  %9s", "planned");
    fprintf(writer->file, "  %-*s  sizes", WINNER_WIDTH, "winner");
    terminal_style(writer->file, &terminal, STYLE_PLAIN);
    fputs("\n", writer->file);
}

/** As quantity_seconds(), or "-" if unknown. */
static struct quantity seconds_or_dash(double seconds) {
    if (seconds > 0) return quantity_seconds(seconds);
    return (struct quantity){.text = "-"};
}

static void print_measured(const struct results_writer *writer,
                           const struct tcplan_result *result) {
    const double regret = tcplan_result_regret(result);
    fprintf(writer->file, "  %9s",
            seconds_or_dash(tcplan_result_winner(result)->measured_seconds).text);
    if (regret > 0) {
        fprintf(writer->file, "  %6.3f", regret);
    } else {
        fprintf(writer->file, "  %6s", "-");
    }
}

static int64_t tied_count(const struct tcplan_result *result) {
    int64_t count = 0;
    for (size_t a = 0; a < result->algorithm_count; a++)
        count += result->algorithm[a].tied && &result->algorithm[a] != tcplan_result_winner(result);
    return count;
}

/** Prints the speed relative to gemm, which is unknown if time was short. */
static void print_share(struct results_writer *writer, double gflops, double gemm_gflops) {
    if (gemm_gflops > 0) {
        fprintf(writer->file, "  %6.1f %%", 100 * gflops / gemm_gflops);
    } else {
        fprintf(writer->file, "  %8s", "-");
    }
}

static void print_done(struct results_writer *writer, const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    const double gflops =
        winner->predicted_seconds > 0 ? 1e-9 * result->flops / winner->predicted_seconds : 0;
    fprintf(writer->file, "  %9s", seconds_or_dash(winner->predicted_seconds).text);
    if (!writer->narrow) fprintf(writer->file, "  %4lld", (long long)tied_count(result));
    fprintf(writer->file, "  %8.4g", gflops);
    if (!writer->narrow) print_share(writer, gflops, result->gemm_gflops);
    if (writer->measured) print_measured(writer, result);
    if (!writer->narrow) {
        fprintf(writer->file, "  %9s",
                result->reused_from ? "as before" : seconds_or_dash(result->planning_seconds).text);
    }
    fputs("  ", writer->file);
    print_cell(writer, winner->name, WINNER_WIDTH, false);
    fputs("  ", writer->file);
    visible_print(writer->file, result->sizes);
    if (result->dtype != TCPLAN_DOUBLE)
        fprintf(writer->file, " (%s)", tcplan_word(tcplan_words_dtypes, (int)result->dtype));
    if (result->threads > 1) fprintf(writer->file, " (%lld threads)", (long long)result->threads);
    fputc('\n', writer->file);
}

static void write_row(struct results_writer *writer, const struct tcplan_result *result) {
    print_cell(writer, result->name, writer->name_width,
               true); /* the library is usually the same */
    if (result->algorithm_count > 0) {
        print_done(writer, result);
    } else {
        fputs("  failed: ", writer->file);
        visible_print(writer->file, result->reason ? result->reason : "no algorithm");
        fputc('\n', writer->file);
    }
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

static void end_table(struct results_writer *writer, const struct tcplan_results_summary *summary) {
    (void)summary;
    fprintf(writer->file, "\n%lld contraction%s, planned in %s", (long long)writer->written,
            plural(writer->written), quantity_seconds(writer->planning_seconds).text);
    if (writer->reused > 0)
        fprintf(writer->file, "; %lld reused from equal ones", (long long)writer->reused);
    if (writer->failed > 0) fprintf(writer->file, "; %lld failed", (long long)writer->failed);
    fputs(".\n", writer->file);
}

const struct results_format results_format_text = {
    .begin = begin_table, .record = write_row, .end = end_table};
