#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/output/cleanup.h"
#include "cli/render/format.h"

/** One listing being printed. */
struct printing {
    struct listing listing;
    const struct format *format;
    struct output_file output;
    struct writer writer;
};

static bool exceeds_workspace(const struct listing *listing, const struct row *row) {
    const int64_t limit_bytes = listing->request->options->max_workspace_bytes;
    const int threads = listing->request->options->threads;
    return limit_bytes > 0 && listing->sized &&
           tcplan_nest_workspace_bytes(row->nest, &listing->problem, threads) > limit_bytes;
}

/** False where it makes no sense to go on. What does not fit --max-workspace is passed over. */
static bool print_algorithm(struct printing *printing, const struct tcplan_algorithm *algorithm,
                            double model_seconds) {
    const struct request *request = printing->listing.request;
    struct row row;
    if (!row_make(&row, algorithm, request->contraction,
                  (enum tcplan_dtype)request->options->dtype)) {
        printing->writer.no_memory = true;
        return false;
    }
    if (exceeds_workspace(&printing->listing, &row)) {
        row_free(&row);
        return true;
    }
    row.model_seconds = model_seconds;
    printing->format->list_row(&printing->writer, &printing->listing, &row);
    printing->writer.written++;
    row_free(&row);
    return !printing->writer.no_memory && output_file_good(&printing->output);
}

static bool is_enough(const struct printing *printing) {
    const int64_t top = printing->listing.request->options->top;
    return top > 0 && printing->writer.written >= top;
}

/** The candidates, the best by the model first; false where it makes no sense to go on. */
static bool print_candidates(struct printing *printing) {
    const struct tcplan_candidate_list *candidates = printing->listing.candidates;
    for (size_t c = 0; candidates && c < candidates->count && !is_enough(printing); c++) {
        if (!print_algorithm(printing, &candidates->candidate[c].algorithm,
                             candidates->candidate[c].seconds))
            return false;
    }
    return true;
}

static void print_algorithms(struct printing *printing) {
    const struct request *request = printing->listing.request;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    if (request->options->algorithm) {
        print_algorithm(printing, &request->algorithm, -1);
        return;
    }
    if (!print_candidates(printing)) return;
    tcplan_enumerator_init(&enumerator, request->contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        if (listing_has_candidate(&printing->listing, &algorithm)) continue;
        if (is_enough(printing)) return;
        if (!print_algorithm(printing, &algorithm, -1)) return;
    }
}

/** Says what is missing that nobody asked to leave out. */
static void note_missing(const struct printing *printing) {
    const struct options *options = printing->listing.request->options;
    const struct tcplan_candidate_list *candidates = printing->listing.candidates;
    if (options->quiet) return;
    if (candidates && candidates->out_of_time)
        diagnose(
            "not all candidates were found before the time limit was over (--time-limit SECONDS)");
}

static void print_listing(struct printing *printing) {
    const struct format *format = printing->format;
    if (format->begin) format->begin(&printing->writer);
    if (format->list_head) format->list_head(&printing->writer, &printing->listing);
    print_algorithms(printing);
    if (format->list_end) format->list_end(&printing->writer, &printing->listing);
    if (format->end) format->end(&printing->writer);
}

static enum exit_status write_listing(struct printing *printing) {
    struct tcplan_error error;
    if (output_open(&printing->output, printing->listing.request->options->output, &error) !=
        TCPLAN_OK) {
        return diagnose_error(&error, NULL);
    }
    printing->writer.file = printing->output.file;
    print_listing(printing);
    const bool good = output_file_good(&printing->output);
    if (printing->writer.no_memory && good) {
        output_file_discard(&printing->output);
        return diagnose_no_memory();
    }
    if (output_file_commit(&printing->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    note_missing(printing);
    return EXIT_DONE;
}

static enum exit_status list(const struct request *request) {
    struct printing printing = {.format = format_of(request->options->format)};
    enum exit_status status = listing_make(&printing.listing, request);
    if (status == EXIT_DONE) status = write_listing(&printing);
    listing_free(&printing.listing);
    return status;
}

enum exit_status cmd_list(const struct options *options) {
    if (network_is_asked(options)) return network_run(options, "list", false);
    struct request request;
    const unsigned machine =
        options->space == TCPLAN_SPACE_FULL && (options->sizes || options->shapes)
            ? REQUEST_MACHINE | REQUEST_UNTIMED
            : 0;
    enum exit_status status = request_read(&request, options, "list", machine);
    if (status == EXIT_DONE) status = list(&request);
    request_free(&request);
    return status;
}
