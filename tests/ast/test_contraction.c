#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "tcplan/contraction.h"

static struct tcplan_contraction *parse(const char *text) {
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = NULL;
    if (tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return contraction;
}

static void assert_refused(const char *text, size_t column, size_t length, const char *message) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_INVALID);
    assert_null(contraction);
    assert_string_equal(error.message, message);
    assert_int_equal(error.column, column);
    assert_int_equal(error.length, length);
}

static void assert_dims(const struct tcplan_tensor *tensor, int rank, const int dims[]) {
    assert_int_equal(tensor->rank, rank);
    uint64_t indices = 0;
    for (int d = 0; d < rank; d++) {
        assert_int_equal(tensor->dims[d], dims[d]);
        indices |= (uint64_t)1 << dims[d];
    }
    assert_true(tensor->indices == indices);
}

static void indices_are_numbered_by_result_then_a_then_b(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = parse("C_cab=X_iajkc*Y_jkbik");
    static const char *const names[] = {"c", "a", "b", "i", "j", "k"};
    assert_int_equal(contraction->index_count, 6);
    for (int index = 0; index < 6; index++)
        assert_string_equal(contraction->index[index].name, names[index]);
    assert_dims(&contraction->tensor[TCPLAN_C], 3, (const int[]){0, 1, 2});
    assert_dims(&contraction->tensor[TCPLAN_A], 5, (const int[]){3, 1, 4, 5, 0});
    assert_dims(&contraction->tensor[TCPLAN_B], 5, (const int[]){4, 5, 2, 3, 5});
    assert_string_equal(contraction->tensor[TCPLAN_A].name, "X");
    assert_string_equal(contraction->tensor[TCPLAN_B].name, "Y");
    assert_string_equal(contraction->tensor[TCPLAN_C].name, "C");
    tcplan_contraction_free(contraction);
}

static void indices_are_classified_by_their_tensors(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = parse("C_abn=A_aijn*B_jnbi");
    assert_int_equal(contraction->index_count, 5);
    assert_true(tcplan_contraction_indices(contraction, TCPLAN_FREE_A) == 1);
    assert_true(tcplan_contraction_indices(contraction, TCPLAN_FREE_B) == 2);
    assert_true(tcplan_contraction_indices(contraction, TCPLAN_BATCH) == 4);
    assert_true(tcplan_contraction_indices(contraction, TCPLAN_CONTRACTED) == (8 | 16));
    tcplan_contraction_free(contraction);
}

static void scalars_and_storage_order_are_kept(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_contraction_parse(&contraction, "C_a=-(1,2)*A_ai*B_i+0.5*C_a",
                                              TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    assert_int_equal(contraction->order, TCPLAN_ROW_MAJOR);
    assert_true(contraction->alpha.re == -1 && contraction->alpha.im == -2);
    assert_true(contraction->beta.re == 0.5 && contraction->beta.im == 0);
    tcplan_contraction_free(contraction);
}

static void accumulation_means_beta_one(void **state) {
    (void)state;
    struct tcplan_contraction *accumulates = parse("C_a+=A_ai*B_i"),
                              *assigns = parse("C_a=A_ai*B_i");
    assert_true(accumulates->beta.re == 1 && accumulates->alpha.re == 1);
    assert_true(assigns->beta.re == 0 && assigns->alpha.re == 1);
    tcplan_contraction_free(accumulates);
    tcplan_contraction_free(assigns);
}

static void names_of_more_than_a_letter_are_long(void **state) {
    (void)state;
    struct tcplan_contraction *letters = parse("C[a]=A[a,i]*B[i]"),
                              *names = parse("C[a]=A[a,i1]*B[i1]");
    assert_false(letters->long_names);
    assert_true(names->long_names);
    tcplan_contraction_free(letters);
    tcplan_contraction_free(names);
}

static void an_index_of_the_result_only_is_refused(void **state) {
    (void)state;
    assert_refused("C_abx=A_ai*B_ib", 5, 1,
                   "index 'x' of the result appears in neither 'A' nor 'B'");
    assert_refused("ai,ib->abx", 10, 1, "index 'x' of the result appears in neither 'A' nor 'B'");
    assert_refused("C[row,kk]=A[row]*B", 7, 2,
                   "index 'kk' of the result appears in neither 'A' nor 'B'");
}

static void assert_index(const char *text, int index, const char *name, enum tcplan_index_kind kind,
                         size_t column) {
    struct tcplan_contraction *contraction = parse(text);
    assert_true(index < contraction->index_count);
    assert_string_equal(contraction->index[index].name, name);
    assert_int_equal(contraction->index[index].kind, kind);
    assert_int_equal(contraction->index[index].column, column);
    tcplan_contraction_free(contraction);
}

static void an_index_of_one_factor_only_is_summed_over(void **state) {
    (void)state;
    assert_index("C_ab=A_aix*B_ib", 3, "x", TCPLAN_SUMMED_A, 10);
    assert_index("C_ab=P_ai*Q_xibx", 3, "x", TCPLAN_SUMMED_B, 13);
    assert_index("C[row]=A[row,kk]*B", 1, "kk", TCPLAN_SUMMED_A, 14);
    assert_index("i,jk->", 1, "j", TCPLAN_SUMMED_B, 3);
}

static void indices_record_their_first_occurrence(void **state) {
    (void)state;
    assert_index("C_ab=A_ai*B_ib", 1, "b", TCPLAN_FREE_B, 4);
    assert_index("C[row,col] = A[row,k]*B[k,col]", 2, "k", TCPLAN_CONTRACTED, 20);
    assert_index("ai,ib->ab", 2, "i", TCPLAN_CONTRACTED, 2);
}

static void an_index_twice_in_the_result_is_a_diagonal(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = parse("C_aba=A_ai*B_ib");
    assert_int_equal(contraction->tensor[TCPLAN_C].rank, 3);
    assert_int_equal(contraction->tensor[TCPLAN_C].dims[2], 0);
    assert_int_equal(contraction->index_count, 3);
    tcplan_contraction_free(contraction);
    assert_index("C[x1,x1]=A[x1]*B[x1]", 0, "x1", TCPLAN_BATCH, 3);
}

static void long_names_are_shortened_in_messages(void **state) {
    (void)state;
    char text[400] = "C[";
    memset(text + 2, 'x', 300);
    snprintf(text + 302, sizeof text - 302, "]=A*B");
    assert_refused(
        text, 3, 300,
        "index 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' of the result appears in neither 'A' nor 'B'");
}

/** Returns the text `C[]=A[...]*B[...]`, where both operands have the indices x<first> to x<last>;
 * to be freed. */
static char *inner_product(int first, int last) {
    struct strbuf text = {0};
    strbuf_add(&text, "C[]=");
    for (int t = 0; t < 2; t++) {
        strbuf_add(&text, t ? "*B[" : "A[");
        for (int i = first; i <= last; i++) strbuf_add(&text, "%sx%d", i > first ? "," : "", i);
        strbuf_add(&text, "]");
    }
    return strbuf_finish(&text);
}

static void sixty_four_indices_are_accepted(void **state) {
    (void)state;
    char *text = inner_product(1, TCPLAN_MAX_RANK);
    struct tcplan_contraction *contraction = parse(text);
    assert_int_equal(contraction->index_count, 64);
    assert_true(tcplan_contraction_indices(contraction, TCPLAN_CONTRACTED) == UINT64_MAX);
    char *printed = tcplan_contraction_text(contraction);
    assert_string_equal(printed, text);
    free(printed);
    free(text);
    tcplan_contraction_free(contraction);
}

static void sixty_five_dimensions_are_refused(void **state) {
    (void)state;
    char *text = inner_product(1, TCPLAN_MAX_RANK + 1);
    assert_refused(text, (size_t)(strstr(text, "x65") - text) + 1, 3,
                   "tensor 'A' has more than 64 indices");
    free(text);
}

static void sixty_five_distinct_indices_are_refused(void **state) {
    (void)state;
    char *inner = inner_product(1, 40), *outer = inner_product(41, 65);
    char text[800];
    snprintf(text, sizeof text, "C=A%.*s*B%s", (int)(strchr(inner, '*') - strchr(inner, 'A') - 1),
             strchr(inner, 'A') + 1, strchr(outer, 'A') + 1);
    *strrchr(text, '*') = '\0';
    assert_refused(text, strlen(text) - 3, 3,
                   "index 'x65' exceeds the limit of 64 indices in a contraction");
    free(inner);
    free(outer);
}

/* Random contractions. The test draws the indices of each tensor, writes the text, and compares
 * the parser's result with the drawn indices. */

enum { RANDOM_INDICES = 7, RANDOM_RANK = 10 };

struct random_tensor {
    int rank;
    int dims[RANDOM_RANK];
};

struct random_contraction {
    int count;
    char name[RANDOM_INDICES][12];
    enum tcplan_index_kind kind[RANDOM_INDICES];
    struct random_tensor tensor[TCPLAN_OPERANDS];
    bool letters;
};

static uint64_t random_state;

static uint64_t random_below(uint64_t bound) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 8) % bound;
}

/** Returns a random factor: a simple one, or any mantissa with an exponent that keeps products
 * finite. */
static double random_double(void) {
    switch (random_below(4)) {
    case 0: return 1;
    case 1: return (double)random_below(100) / 8;
    case 2: return (double)random_below(1000) / 1000;
    default: break;
    }
    uint64_t bits = random_below(UINT64_C(1) << 52) | (1023 - 100 + random_below(200)) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void insert_index(struct random_tensor *tensor, int index) {
    int place = (int)random_below((uint64_t)tensor->rank + 1);
    for (int d = tensor->rank++; d > place; d--) tensor->dims[d] = tensor->dims[d - 1];
    tensor->dims[place] = index;
}

static struct random_contraction draw(void) {
    static const enum tcplan_operand in[4][3] = {
        [TCPLAN_FREE_A] = {TCPLAN_A, TCPLAN_C, TCPLAN_OPERANDS},
        [TCPLAN_FREE_B] = {TCPLAN_B, TCPLAN_C, TCPLAN_OPERANDS},
        [TCPLAN_CONTRACTED] = {TCPLAN_A, TCPLAN_B, TCPLAN_OPERANDS},
        [TCPLAN_BATCH] = {TCPLAN_A, TCPLAN_B, TCPLAN_C},
    };
    struct random_contraction drawn = {.count = (int)random_below(RANDOM_INDICES + 1),
                                       .letters = random_below(2) == 0};
    for (int index = 0; index < drawn.count; index++) {
        drawn.kind[index] = (enum tcplan_index_kind)random_below(4);
        snprintf(drawn.name[index], sizeof drawn.name[index], drawn.letters ? "%c" : "%c_%d",
                 "QaIzxBn"[index], index * 7);
        for (int t = 0; t < 3 && in[drawn.kind[index]][t] != TCPLAN_OPERANDS; t++) {
            enum tcplan_operand operand = in[drawn.kind[index]][t];
            insert_index(&drawn.tensor[operand], index);
            bool diagonal = operand != TCPLAN_C && random_below(8) == 0 &&
                            drawn.tensor[operand].rank + RANDOM_INDICES - index < RANDOM_RANK;
            if (diagonal) insert_index(&drawn.tensor[operand], index);
        }
    }
    return drawn;
}

static void write_space(struct strbuf *out) {
    if (random_below(6) == 0) strbuf_add(out, random_below(2) ? " " : "\t ");
}

static void write_tensor(struct strbuf *out, const struct random_contraction *drawn,
                         enum tcplan_operand operand) {
    static const char *const names[] = {"A", "Second1", "C"};
    const struct random_tensor *tensor = &drawn->tensor[operand];
    bool brackets = !drawn->letters || random_below(4) == 0;
    strbuf_add(out, "%s%s", names[operand], brackets ? "[" : tensor->rank > 0 ? "_" : "");
    for (int d = 0; d < tensor->rank; d++) {
        if (brackets) write_space(out);
        strbuf_add(out, "%s%s", brackets && d > 0 ? "," : "", drawn->name[tensor->dims[d]]);
    }
    strbuf_add(out, "%s", brackets ? "]" : "");
    write_space(out);
}

static void write_factors(struct strbuf *out, const char *plus) {
    strbuf_add(out, "%s", random_below(3) == 0 ? "-" : plus);
    for (uint64_t count = random_below(3); count > 0; count--) {
        write_space(out);
        if (random_below(3) == 0) {
            strbuf_add(out, "(%s%.17g,%.17g)", random_below(2) ? "-" : "", random_double(),
                       random_double());
        } else {
            strbuf_add(out, "%.17g", random_double());
        }
        write_space(out);
        strbuf_add(out, "*");
    }
    write_space(out);
}

/** Writes a contraction in a randomly chosen one of many equivalent notations; to be freed. */
static char *write_somehow(const struct random_contraction *drawn) {
    struct strbuf out = {0};
    bool accumulates = random_below(4) == 0, result_first = !accumulates && random_below(4) == 0;
    write_tensor(&out, drawn, TCPLAN_C);
    strbuf_add(&out, "%s", accumulates ? "+=" : random_below(2) ? "=" : ":=");
    if (result_first) {
        write_factors(&out, "");
        write_tensor(&out, drawn, TCPLAN_C);
    }
    write_factors(&out, result_first ? "+" : "");
    write_tensor(&out, drawn, TCPLAN_A);
    strbuf_add(&out, "*");
    write_tensor(&out, drawn, TCPLAN_B);
    if (!result_first && !accumulates && random_below(2)) {
        write_factors(&out, "+");
        write_tensor(&out, drawn, TCPLAN_C);
    }
    return strbuf_finish(&out);
}

static void assert_is_drawn(const struct tcplan_contraction *contraction,
                            const struct random_contraction *drawn) {
    assert_int_equal(contraction->index_count, drawn->count);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        assert_int_equal(tensor->rank, drawn->tensor[t].rank);
        for (int d = 0; d < tensor->rank; d++) {
            int index = drawn->tensor[t].dims[d];
            assert_string_equal(contraction->index[tensor->dims[d]].name, drawn->name[index]);
            assert_int_equal(contraction->index[tensor->dims[d]].kind, drawn->kind[index]);
        }
    }
}

static void assert_same(const struct tcplan_contraction *a, const struct tcplan_contraction *b) {
    assert_memory_equal(&a->alpha, &b->alpha, sizeof a->alpha);
    assert_memory_equal(&a->beta, &b->beta, sizeof a->beta);
    assert_int_equal(a->long_names, b->long_names);
    assert_int_equal(a->index_count, b->index_count);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        assert_string_equal(a->tensor[t].name, b->tensor[t].name);
        assert_int_equal(a->tensor[t].rank, b->tensor[t].rank);
        assert_memory_equal(a->tensor[t].dims, b->tensor[t].dims, sizeof a->tensor[t].dims);
    }
}

static void random_contractions_print_to_text_that_parses_back(void **state) {
    (void)state;
    random_state = 88172645463325252;
    for (int round = 0; round < 5000; round++) {
        struct random_contraction drawn = draw();
        char *text = write_somehow(&drawn);
        struct tcplan_contraction *contraction = parse(text);
        char *printed = tcplan_contraction_text(contraction);
        struct tcplan_contraction *again = parse(printed);
        char *reprinted = tcplan_contraction_text(again);
        assert_is_drawn(contraction, &drawn);
        assert_same(contraction, again);
        assert_string_equal(printed, reprinted);
        free(reprinted);
        tcplan_contraction_free(again);
        free(printed);
        tcplan_contraction_free(contraction);
        free(text);
    }
}

static char *write_einsum(const struct random_contraction *drawn) {
    struct strbuf out = {0};
    static const char *const in_front[] = {"", ",", "->"};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        strbuf_add(&out, "%s", in_front[t]);
        for (int d = 0; d < drawn->tensor[t].rank; d++) {
            write_space(&out);
            strbuf_add(&out, "%c", drawn->name[drawn->tensor[t].dims[d]][0]);
        }
        write_space(&out);
    }
    return strbuf_finish(&out);
}

static void random_einsums_parse_to_their_source(void **state) {
    (void)state;
    random_state = 362436069;
    for (int round = 0; round < 1000; round++) {
        struct random_contraction drawn = draw();
        if (!drawn.letters) continue;
        char *text = write_einsum(&drawn);
        struct tcplan_contraction *contraction = parse(text);
        assert_is_drawn(contraction, &drawn);
        assert_true(contraction->alpha.re == 1 && contraction->beta.re == 0);
        tcplan_contraction_free(contraction);
        free(text);
    }
}

static void running_out_of_memory_is_a_status_wherever_it_happens(void **state) {
    (void)state;
    char *text = inner_product(1000000, 1000060);
    for (long successes = 0, failures = 0;; successes++) {
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_error error = {0};
        base_alloc_fail_after(successes);
        enum tcplan_status status =
            tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error);
        base_alloc_fail_after(-1);
        tcplan_contraction_free(contraction);
        if (status == TCPLAN_OK) {
            assert_true(failures >= 2);
            break;
        }
        failures++;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
        assert_int_equal(error.status, TCPLAN_NO_MEMORY);
        assert_null(contraction);
    }
    free(text);
}

static void printing_without_memory_gives_null(void **state) {
    (void)state;
    struct tcplan_contraction *contraction =
        parse("C[row,col]=(0.1,2)*A[row,k]*B[k,col]+3*C[row,col]");
    long failures = 0;
    for (char *text = NULL; !text; failures++) {
        base_alloc_fail_after(failures);
        text = tcplan_contraction_text(contraction);
        base_alloc_fail_after(-1);
        free(text);
    }
    assert_true(failures > 1);
    tcplan_contraction_free(contraction);
}

static void freeing_null_has_no_effect(void **state) {
    (void)state;
    tcplan_contraction_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_are_numbered_by_result_then_a_then_b),
        cmocka_unit_test(indices_are_classified_by_their_tensors),
        cmocka_unit_test(scalars_and_storage_order_are_kept),
        cmocka_unit_test(accumulation_means_beta_one),
        cmocka_unit_test(names_of_more_than_a_letter_are_long),
        cmocka_unit_test(an_index_of_the_result_only_is_refused),
        cmocka_unit_test(an_index_of_one_factor_only_is_summed_over),
        cmocka_unit_test(indices_record_their_first_occurrence),
        cmocka_unit_test(an_index_twice_in_the_result_is_a_diagonal),
        cmocka_unit_test(long_names_are_shortened_in_messages),
        cmocka_unit_test(sixty_four_indices_are_accepted),
        cmocka_unit_test(sixty_five_dimensions_are_refused),
        cmocka_unit_test(sixty_five_distinct_indices_are_refused),
        cmocka_unit_test(random_contractions_print_to_text_that_parses_back),
        cmocka_unit_test(random_einsums_parse_to_their_source),
        cmocka_unit_test(running_out_of_memory_is_a_status_wherever_it_happens),
        cmocka_unit_test(printing_without_memory_gives_null),
        cmocka_unit_test(freeing_null_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
