#include <stdlib.h>
#include <string.h>

#include "cli/render/blocked/blocked_common.h"
#include "tcplan/study/words.h"
#include "tcplan/xml.h"

/* Operations. */

struct operation {
    struct tcplan_blocked_operation of;
    char lapack[TCPLAN_BLOCKED_NAME]; /* name of LAPACK's algorithm; empty: there is none */
};

static struct operation operation_at(int number) {
    struct operation out = {.lapack = ""};
    tcplan_blocked_operation(&out.of, number);
    if (out.of.lapack >= 0) tcplan_blocked_algorithm_name(out.lapack, number, out.of.lapack);
    return out;
}

static void visit_operations(struct field_visit *visit) {
    for (int o = 0; o < tcplan_blocked_operations(); o++) {
        const struct operation operation = operation_at(o);
        FIELD_VISIT(&operation);
    }
}

/** Returns whether an algorithm is LAPACK's. */
static bool is_lapack(const struct tcplan_blocked *algorithm) {
    const int number = tcplan_blocked_of(algorithm);
    return number >= 0 && strcmp(operation_at(number).lapack, tcplan_blocked_name(algorithm)) == 0;
}

static void write_nest(struct document *document, const void *record) {
    const struct tcplan_blocked *algorithm = record;
    if (document->xml) {
        tcplan_xml_steps(document->xml, tcplan_blocked_blocks(algorithm),
                         tcplan_blocked_body(algorithm), tcplan_blocked_dtype(algorithm));
    } else {
        document_text_owned(document, "nest", tcplan_blocked_text(algorithm));
    }
}

/** Returns whether all algorithms have the same operation. */
static bool is_one_operation(const struct blocked_listing *listing) {
    bool is_one = listing->of->name != NULL;
    for (int a = 0; a < listing->count; a++)
        is_one = is_one && tcplan_blocked_of(listing->algorithm[a]) ==
                               tcplan_blocked_of(listing->algorithm[0]);
    return is_one;
}

/* clang-format off */

#define OPERATION(F, T) \
    F(T, name, TEXT, field_text(r->of.name), "routine and flags, such as potrf_L", ALWAYS, CSV(1), COLUMN(1, "operation")) \
    F(T, purpose, TEXT, field_text(r->of.purpose), "what it computes", ALWAYS, CSV(5), COLUMN(5, "computes")) \
    F(T, algorithms, INTEGER, field_integer(r->of.algorithms), "number of algorithms of the operation", ALWAYS, CSV(2), COLUMN(2, "algorithms")) \
    F(T, block, INTEGER, field_integer(r->of.default_block), "LAPACK's block size", ALWAYS, CSV(4), COLUMN(4, "block"), .optional = '2') \
    F(T, lapack, TEXT, field_text(r->lapack), "LAPACK's algorithm", CSV(3), COLUMN(3, "LAPACK"), .optional = '1')

#define OPERATIONS(F, T) \
    F(T, count, INTEGER, field_integer(tcplan_blocked_operations()), "number of operations", ALWAYS) \
    F(T, operations, LIST, visit_operations(visit), "operations with blocked algorithms", .item = "operation", .fields = operation_fields, ALWAYS)

#define ALGORITHM(F, T) \
    F(T, name, TEXT, field_text(tcplan_blocked_name(r)), "name, such as potrf_L3", ALWAYS, CSV(1)) \
    F(T, note, TEXT, field_text(tcplan_blocked_note(r)), "remark", CSV(2)) \
    F(T, is_lapack, FLAG, field_flag(is_lapack(r)), "whether LAPACK uses this algorithm", ALWAYS, CSV(3)) \
    F(T, nest, TEXT, field_owned(tcplan_blocked_text(r)), "steps, one per line; elements in XML", ALWAYS, CSV(4), .write = write_nest)

#define LISTING(F, T) \
    F(T, operation, TEXT, field_if(is_one_operation(r), field_text(r->of->name)), "routine and flags; absent for a file or several operations") \
    F(T, purpose, TEXT, field_if(is_one_operation(r), field_text(r->of->purpose)), "what it computes") \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, tcplan_blocked_dtype(r->algorithm[0])), "element type", ALWAYS, .words = tcplan_words_dtypes) \
    F(T, count, INTEGER, field_integer(r->count), "number of algorithms", ALWAYS) \
    F(T, algorithms, LIST, FIELD_VISIT_ALL(r->count, r->algorithm[i]), "the algorithms", .item = "algorithm", .fields = algorithm_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(operation, operation, OPERATION);
FIELD_TABLE(operations, operation, OPERATIONS);
FIELD_TABLE(algorithm, tcplan_blocked, ALGORITHM);
FIELD_TABLE(listing, blocked_listing, LISTING);

static void print_steps(struct writer *writer, const struct tcplan_blocked *algorithm) {
    char *text = tcplan_blocked_text(algorithm);
    if (!text) writer->no_memory = true;
    writer_print_indented(writer->file, text);
    free(text);
}

/** Prints an operation and the number of algorithms of it that begin at a place of the list. */
static void print_heading(struct writer *writer, const struct blocked_listing *listing, int place) {
    const int number = tcplan_blocked_of(listing->algorithm[place]);
    int count = 0;
    for (int a = place; a < listing->count; a++)
        count += tcplan_blocked_of(listing->algorithm[a]) == number;
    if (number >= 0) {
        const struct operation operation = operation_at(number);
        fprintf(writer->file, "%s%s: %s\n", place > 0 ? "\n" : "", operation.of.name,
                operation.of.purpose);
    }
    fprintf(writer->file, "%s\n", counted(count, "algorithm").text);
}

static void print_algorithms(struct writer *writer, const void *record) {
    const struct blocked_listing *listing = record;
    for (int a = 0; a < listing->count; a++) {
        const struct tcplan_blocked *algorithm = listing->algorithm[a];
        const char *note = tcplan_blocked_note(algorithm),
                   *lapack = is_lapack(algorithm) ? "LAPACK's" : "";
        if (a == 0 || tcplan_blocked_of(listing->algorithm[a - 1]) != tcplan_blocked_of(algorithm))
            print_heading(writer, listing, a);
        fprintf(writer->file, "\n%s%s%s%s%s\n", tcplan_blocked_name(algorithm),
                *note || *lapack ? "  " : "", note, *note && *lapack ? ", " : "", lapack);
        print_steps(writer, algorithm);
    }
}

VIEW(blocked_operations, operations, "blocked", NULL, "Operations with blocked algorithms.");

VIEW(blocked_list, listing, "blocked", print_algorithms,
     "Algorithms of an operation, or of a file.");
