#include "cli/commands.h"
#include "cli/format.h"
#include "cli/output_file.h"

/** One listing being printed. */
struct printing {
    struct listing listing;
    const struct format *format;
    struct output_file output;
    struct writer writer;
};

/** False where it makes no sense to go on. */
static bool print_algorithm(struct printing *printing, const struct tcplan_algorithm *algorithm) {
    const struct request *request = printing->listing.request;
    struct row row;
    if (!row_make(&row, algorithm, request->contraction, (enum tcplan_dtype)request->options->dtype)) {
        printing->writer.no_memory = true;
        return false;
    }
    printing->format->list_row(&printing->writer, &printing->listing, &row);
    printing->writer.written++;
    row_free(&row);
    return !printing->writer.no_memory && output_file_good(&printing->output);
}

static void print_algorithms(struct printing *printing) {
    const struct request *request = printing->listing.request;
    const int64_t top = request->options->top;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    if (request->options->algorithm) {
        print_algorithm(printing, &request->algorithm);
        return;
    }
    tcplan_enumerator_init(&enumerator, request->contraction);
    while ((top == 0 || printing->writer.written < top) && tcplan_enumerator_next(&enumerator, &algorithm)) {
        if (!print_algorithm(printing, &algorithm)) return;
    }
}

static void print_listing(struct printing *printing) {
    const struct format *format = printing->format;
    if (format->begin) format->begin(&printing->writer);
    if (format->list_head) format->list_head(&printing->writer, &printing->listing);
    print_algorithms(printing);
    if (format->list_end) format->list_end(&printing->writer, &printing->listing);
    if (format->end) format->end(&printing->writer);
}

static enum exit_status list(const struct request *request) {
    struct printing printing = {.listing = listing_make(request), .format = format_of(request->options->format)};
    struct tcplan_error error;
    if (output_file_open(&printing.output, request->options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    printing.writer.file = printing.output.file;
    print_listing(&printing);
    const bool good = output_file_good(&printing.output);
    if (printing.writer.no_memory && good) {
        output_file_discard(&printing.output);
        return diagnose_no_memory();
    }
    return output_file_commit(&printing.output, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status cmd_list(const struct options *options) {
    struct request request;
    enum exit_status status = request_read(&request, options, "list", 0);
    if (status == EXIT_DONE) status = list(&request);
    request_free(&request);
    return status;
}
