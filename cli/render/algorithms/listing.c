#include "cli/render/algorithms/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/diagnostics.h"
#include "cli/render/common_fields.h"

/* Default time limit, in seconds, for finding candidates, during which nothing is printed. Nine
 * indices take some seconds without it. */
#define LISTING_SECONDS 0.9

/** Returns whether candidates are listed. This requires sizes, because tiles and bounds depend on
 * them. */
static bool lists_candidates(const struct listing *listing) {
    const struct options *options = listing->request->options;
    return options->space == TCPLAN_SPACE_FULL && listing->sized && !options->algorithm;
}

/** Counts the candidates that are also in the `blas` space, so that they are listed once. Used only
 * if there are few. */
static bool note_shared(struct listing *listing) {
    const struct tcplan_candidate_list *candidates = listing->candidates;
    listing->in_blas = base_alloc(candidates->count * sizeof *listing->in_blas);
    for (size_t c = 0; listing->in_blas && c < candidates->count; c++) {
        const struct tcplan_algorithm *algorithm = &candidates->candidate[c].algorithm;
        if (tcplan_algorithm_in_blas_space(algorithm, listing->request->contraction))
            listing->in_blas[listing->candidates_in_blas++] = c;
    }
    return listing->in_blas;
}

enum exit_status listing_make(struct listing *out, const struct request *request) {
    *out = (struct listing){.request = request, .sized = request_points(request) == 1};
    out->counted = tcplan_algorithm_count(request->contraction, out->count) == TCPLAN_OK;
    out->bounded = out->sized && request->options->max_workspace_bytes > 0;
    if (out->sized) out->problem = request_problem(request, 0);
    if (!lists_candidates(out)) return EXIT_DONE;
    struct tcplan_rank_options options = request_rank_options(request);
    if (options.time_limit_seconds == 0) options.time_limit_seconds = LISTING_SECONDS;
    enum tcplan_status status =
        tcplan_candidates_list(&out->candidates, &out->problem, &options, &failure);
    if (status != TCPLAN_OK) return diagnose_failure(NULL);
    return note_shared(out) ? EXIT_DONE : diagnose_no_memory();
}

void listing_free(struct listing *listing) {
    tcplan_candidate_list_free(listing->candidates);
    base_free(listing->in_blas);
    listing->candidates = NULL;
    listing->in_blas = NULL;
}

static uint64_t count_of(const struct listing *listing) {
    const uint64_t blas = listing->count[TCPLAN_KERNELS];
    return listing->candidates ? blas - listing->candidates_in_blas + listing->candidates->count
                               : blas;
}

static bool has_candidate(const struct listing *listing, const struct tcplan_algorithm *algorithm) {
    for (uint64_t c = 0; c < listing->candidates_in_blas; c++) {
        if (tcplan_algorithm_equal(&listing->candidates->candidate[listing->in_blas[c]].algorithm,
                                   algorithm))
            return true;
    }
    return false;
}

static const struct tcplan_problem *problem_of(const struct listing *listing) {
    return listing->sized ? &listing->problem : NULL;
}

/** An algorithm in the list. */
struct listed {
    const struct listing *listing;
    struct row row;
};

/** State of visiting algorithms. */
struct visiting {
    struct field_visit *visit;
    const struct listing *listing;
    int64_t written;
};

static bool exceeds_workspace(const struct listing *listing, const struct row *row) {
    const int64_t limit_bytes = listing->request->options->max_workspace_bytes;
    const int threads = listing->request->options->threads;
    return limit_bytes > 0 && listing->sized &&
           tcplan_nest_workspace_bytes(row->nest, &listing->problem, threads) > limit_bytes;
}

/** Visits an algorithm unless its workspace exceeds --max-workspace. Returns false to stop. */
static bool visit_algorithm(struct visiting *visiting, const struct tcplan_algorithm *algorithm,
                            double model_seconds) {
    const struct request *request = visiting->listing->request;
    struct listed listed = {.listing = visiting->listing};
    if (!row_make(&listed.row, algorithm, request->contraction,
                  (enum tcplan_dtype)request->options->dtype)) {
        visiting->visit->no_memory = true;
        return false;
    }
    listed.row.model_seconds = model_seconds;
    if (!exceeds_workspace(visiting->listing, &listed.row)) {
        visiting->visit->use(visiting->visit, &listed);
        visiting->written++;
    }
    row_free(&listed.row);
    return !visiting->visit->is_over;
}

static bool is_enough(const struct visiting *visiting) {
    const int64_t top = visiting->listing->request->options->top;
    return top > 0 && visiting->written >= top;
}

/** Visits the candidates, sorted by modelled time. Returns false to stop. */
static bool visit_candidates(struct visiting *visiting) {
    const struct tcplan_candidate_list *candidates = visiting->listing->candidates;
    for (size_t c = 0; candidates && c < candidates->count && !is_enough(visiting); c++) {
        if (!visit_algorithm(visiting, &candidates->candidate[c].algorithm,
                             candidates->candidate[c].seconds))
            return false;
    }
    return true;
}

static void each_algorithm(struct field_visit *visit, const struct listing *listing) {
    const struct request *request = listing->request;
    struct visiting visiting = {.visit = visit, .listing = listing};
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    if (request->options->algorithm) {
        visit_algorithm(&visiting, &request->algorithm, -1);
        return;
    }
    if (!visit_candidates(&visiting)) return;
    tcplan_enumerator_init(&enumerator, request->contraction);
    while (!is_enough(&visiting) && tcplan_enumerator_next(&enumerator, &algorithm)) {
        if (has_candidate(listing, &algorithm)) continue;
        if (!visit_algorithm(&visiting, &algorithm, -1)) return;
    }
}

static void write_nest(struct document *document, const void *record) {
    const struct listed *listed = record;
    document_nest(document, &listed->row, problem_of(listed->listing));
}

/** Returns the number of algorithms in the `blas` space; with candidates, the number of algorithms
 * in the list. */
static struct field_value count(const struct listing *r) {
    const bool known = r->counted && !r->bounded && count_of(r) <= INT64_MAX;
    return field_if(known, field_integer(known ? (int64_t)count_of(r) : 0));
}

#define CANDIDATES(value) (r->candidates ? (value) : field_unknown())

/* clang-format off */

#define LISTED(F, T) \
    F(T, contraction, TEXT, field_owned(tcplan_contraction_text(r->row.contraction)), "the contraction in tcplan's notation", CSV(1), .hidden = true) \
    F(T, name, TEXT, field_text(r->row.name), "name of the algorithm", CSV(2), ALWAYS) \
    F(T, kernel, TEXT, field_text(r->row.kernel), "name of the kernel, such as dgemm", CSV(3), ALWAYS) \
    F(T, provider, TEXT, field_text(r->row.provider), "library of the kernel", CSV(6), ALWAYS) \
    F(T, loops, NAMES, field_names(r->row.loop, r->row.loop_count), "loops, outermost first, such as c or a:8", CSV(4), ALWAYS) \
    F(T, model_seconds, NUMBER, field_if(r->row.model_seconds >= 0, field_number(r->row.model_seconds)), \
      "time for memory accesses by a cache model, without arithmetic", CSV(7)) \
    F(T, copies_text, TEXT, row_copies(&r->row), "copied operands", CSV_AS(5, "copies"), .hidden = true) \
    F(T, copies, LIST, FIELD_VISIT_ALL(r->row.copy_count, &r->row.copy[i]), "copied operands", .item = "copy", .fields = row_copy_fields, ALWAYS) \
    F(T, nest, TEXT, field_word(""), "loop nest of the algorithm", .write = write_nest, ALWAYS)

#define LISTING(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, problem_of(r)}), "the contraction", .fields = asked_fields) \
    F(T, threads, INTEGER, field_integer(r->request->options->threads), "largest number of threads", ALWAYS) \
    F(T, count, INTEGER, count(r), "number of algorithms, ignoring --top and --algorithm; absent: exceeds 64 bits, or --max-workspace is given") \
    F(T, candidate_count, NUMBER, CANDIDATES(field_number(r->candidates->generated)), "candidates of the space full") \
    F(T, pruned_count, NUMBER, CANDIDATES(field_number(r->candidates->removed)), "candidates that a lower bound rules out") \
    F(T, oversized_count, NUMBER, CANDIDATES(field_positive(r->candidates->oversized)), "candidates excluded by --max-workspace") \
    F(T, out_of_time, FLAG, CANDIDATES(field_flag(r->candidates->out_of_time)), "whether the time limit ended the search") \
    F(T, algorithms, LIST, each_algorithm(visit, r), "the algorithms", .item = "algorithm", .fields = listed_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(listed, listed, LISTED);
FIELD_TABLE(listing, listing, LISTING);

/* Text. */

/** Prints the number of algorithms, such as "36 algorithms of C_abc=A_ai*B_ibc: 4 ddot, 8 daxpy".
 */
static void print_blas_count(struct writer *writer, const struct listing *listing) {
    const struct request *request = listing->request;
    const char *separator = ": ";
    if (listing->counted) {
        fprintf(writer->file, "%" PRIu64 " algorithm%s of ", listing->count[TCPLAN_KERNELS],
                listing->count[TCPLAN_KERNELS] == 1 ? "" : "s");
    } else {
        fprintf(writer->file, "More than %" PRIu64 " algorithms of ", UINT64_MAX);
    }
    writer_print_owned(writer, "", tcplan_contraction_text(request->contraction), "");
    for (int kernel = 0; listing->counted && kernel < TCPLAN_KERNELS; kernel++) {
        if (listing->count[kernel] == 0) continue;
        fprintf(writer->file, "%s%" PRIu64 " %s", separator, listing->count[kernel],
                tcplan_kernel_name((enum tcplan_kernel)kernel,
                                   (enum tcplan_dtype)request->options->dtype));
        separator = ", ";
    }
    fputs("\n", writer->file);
}

static void print_candidate_count(struct writer *writer,
                                  const struct tcplan_candidate_list *candidates) {
    fprintf(
        writer->file,
        "%.10g candidate%s of the full space, sorted by a cache model; a lower bound rules out %.10g",
        candidates->generated, candidates->generated == 1 ? "" : "s", candidates->removed);
    if (candidates->oversized > 0)
        fprintf(writer->file, ", --max-workspace excludes %.10g", candidates->oversized);
    fprintf(writer->file, ", %zu remain\n", candidates->count);
}

static void print_head(struct writer *writer, const struct listing *listing) {
    const struct options *options = listing->request->options;
    if (options->algorithm) return;
    print_blas_count(writer, listing);
    if (listing->candidates) {
        print_candidate_count(writer, listing->candidates);
    } else if (options->space == TCPLAN_SPACE_FULL) {
        fputs(
            "The full space has more algorithms, which depend on the extents: give an extent for each "
            "index\n(--sizes a=400,i=8)\n",
            writer->file);
    }
    fputs("\n", writer->file);
}

/** Prints an algorithm and its loops; implements field_visit. */
static void print_row(struct field_visit *visit, const void *record) {
    struct writer *writer = visit->writer;
    const struct listed *listed = record;
    const struct row *row = &listed->row;
    fprintf(writer->file, "%s%s", writer->written++ > 0 ? "\n" : "", row->name);
    if (row->model_seconds >= 0)
        fprintf(writer->file, "  (without arithmetic %s)",
                quantity_seconds(row->model_seconds).text);
    fputs("\n", writer->file);
    writer_print_nest(writer, row, problem_of(listed->listing));
    visit->is_over = writer->no_memory || ferror(writer->file);
}

static void print(struct writer *writer, const void *record) {
    struct field_visit rows = {.use = print_row, .writer = writer};
    print_head(writer, record);
    each_algorithm(&rows, record);
    writer->no_memory = writer->no_memory || rows.no_memory;
}

VIEW(listing, listing, "list", print, "Algorithms of a contraction.");
