#include "cli/commands/network.h"

#include "base/alloc.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/network.h"
#include "cli/request.h"

bool network_is_asked(const struct options *options) {
    return options->argument && tcplan_network_is_several(options->argument);
}

/** What is said of one product of two, and not of several tensors yet. */
static enum exit_status check_options(const struct options *options, const char *command) {
    const char *given = options->shapes              ? "--shapes"
                        : options->strides.count > 0 ? "--strides"
                        : options->conjugates        ? "--conj"
                        : options->algorithm         ? "--algorithm"
                        : options->baseline          ? "--baseline"
                        : options->emit              ? "--emit"
                                                     : NULL;
    if (given) {
        diagnose("%s is for a product of two tensors; an expression of several has --sizes, and conj() in its notation", given);
        return EXIT_REFUSED;
    }
    if (options->format == OUTPUT_CSV) {
        diagnose("%s of an expression of several tensors prints text, json or xml", command);
        return EXIT_REFUSED;
    }
    if (options->sizes) return EXIT_DONE;
    diagnose("%s needs sizes: the extent of every index of the expression, as --sizes a=400,b=400,i=8", command);
    return diagnose_usage(command);
}

static void print(struct writer *writer, const struct options *options, const void *content) {
    (void)options;
    network_print(writer, content);
}

static enum exit_status search(const struct request *request, const struct tcplan_network *network, const int64_t extent[],
                               bool with_flops) {
    const struct options *options = request->options;
    const struct tcplan_rank_options rank = request_rank_options(request);
    struct tcplan_network_search_options wanted = tcplan_network_search_defaults();
    struct tcplan_network_found found = {.tree = NULL};
    struct tcplan_error error;
    wanted.max_memory_bytes = options->max_memory_bytes;
    wanted.time_limit_seconds = options->time_limit_seconds;
    wanted.seed = options->seed;
    wanted.rank = &rank;
    if (tcplan_network_search(&found, network, extent, (enum tcplan_dtype)options->dtype, &wanted, &error) != TCPLAN_OK) {
        return diagnose_error(&error, NULL);
    }
    const enum exit_status status =
        printed_whole(options, print, &(struct ordered){.request = request, .network = network, .found = &found, .with_flops = with_flops});
    tcplan_network_found_free(&found);
    return status;
}

enum exit_status network_run(const struct options *options, const char *command, bool with_flops) {
    struct request request = {.options = options, .machine = {.tactics = tcplan_tactics_usual()}};
    struct tcplan_network *network = NULL;
    struct tcplan_error error;
    int64_t *extent = NULL;
    if (tcplan_network_parse(&network, options->argument, (enum tcplan_order)options->order, &error) != TCPLAN_OK) {
        return diagnose_error(&error, options->argument);
    }
    enum exit_status status = check_options(options, command);
    if (status == EXIT_DONE) extent = base_alloc(((size_t)network->index_count + 1) * sizeof *extent);
    if (status == EXIT_DONE && !extent) status = diagnose_no_memory();
    if (status == EXIT_DONE && tcplan_network_sizes(extent, network, options->sizes, &error) != TCPLAN_OK) {
        status = diagnose_error(&error, options->sizes);
    }
    if (status == EXIT_DONE) status = request_read_machine(&request, REQUEST_CEILINGS | REQUEST_EXPERIENCE | REQUEST_UNTIMED);
    if (status == EXIT_DONE) status = search(&request, network, extent, with_flops);
    base_free(extent);
    tcplan_network_free(network);
    request_free(&request);
    return status;
}
