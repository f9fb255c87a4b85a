/*
 * Tests loop nests of algorithms. Golden texts of Peise's contractions: tests/golden/nests. For
 * random contractions, checks the places of copies, of the scaling of the result, and of beta,
 * which include/unstable/tcplan/nest.h defines. The algebra tests check the results of nests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/indexset.h"
#include "base/strbuf.h"
#include "support/golden.h"
#include "support/random_contraction.h"
#include "tcplan/nest.h"

static char *nest_text(const struct tcplan_contraction *contraction,
                       const struct tcplan_algorithm *algorithm, enum tcplan_dtype dtype) {
    struct tcplan_nest *nest = NULL;
    assert_int_equal(tcplan_nest_build(&nest, contraction, algorithm, NULL), TCPLAN_OK);
    char *text = tcplan_nest_text(nest, NULL, dtype);
    assert_non_null(text);
    tcplan_nest_free(nest);
    return text;
}

/* Golden texts. */

static void add_nest(struct strbuf *out, const struct tcplan_contraction *contraction,
                     const struct tcplan_algorithm *algorithm, enum tcplan_dtype dtype) {
    char *name = tcplan_algorithm_name(algorithm, contraction, dtype);
    char *text = nest_text(contraction, algorithm, dtype);
    strbuf_add(out, "%s\n%s\n", name, text);
    free(name);
    free(text);
}

/** Appends the nest of every algorithm with a gemm, and of every `step`-th other algorithm. */
static void add_contraction(struct strbuf *out, const char *text, enum tcplan_order order,
                            enum tcplan_dtype dtype, uint64_t step) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, order, NULL), TCPLAN_OK);
    strbuf_add(out, "== %s%s\n\n", text, order == TCPLAN_ROW_MAJOR ? " (row-major)" : "");
    tcplan_enumerator_init(&enumerator, contraction);
    for (uint64_t number = 0; tcplan_enumerator_next(&enumerator, &algorithm); number++) {
        if (algorithm.kernel == TCPLAN_GEMM || number % step == 0)
            add_nest(out, contraction, &algorithm, dtype);
    }
    tcplan_contraction_free(contraction);
}

static void check_golden(const char *name, struct strbuf *text) {
    char *finished = strbuf_finish(text);
    golden_check(name, finished);
    free(finished);
}

static void the_36_nests_of_the_first_contraction_are_known(void **state) {
    (void)state;
    struct strbuf text = {0};
    add_contraction(&text, "C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 1);
    add_contraction(&text, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 1);
    check_golden("nests/abc_ai_ibc.txt", &text);
}

static void the_8_nests_of_the_second_contraction_are_known(void **state) {
    (void)state;
    struct strbuf text = {0};
    add_contraction(&text, "C_a+=A_iaj*B_ji", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 1);
    add_contraction(&text, "C_a=A_iaj*B_ji", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 1);
    check_golden("nests/a_iaj_ji.txt", &text);
}

static void nests_of_the_third_contraction_are_known(void **state) {
    (void)state;
    struct strbuf text = {0};
    add_contraction(&text, "C_abc+=A_ija*B_jbic", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 7);
    add_contraction(&text, "C_abc=A_ija*B_jbic", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 7);
    check_golden("nests/abc_ija_jbic.txt", &text);
}

static void nests_of_other_forms_are_known(void **state) {
    (void)state;
    struct strbuf text = {0};
    add_contraction(&text, "C_abc=A_ai*B_ibc", TCPLAN_ROW_MAJOR, TCPLAN_DOUBLE, 5);
    add_contraction(&text, "C_xcab=2*A_ija*B_jbicx-0.5*C_xcab", TCPLAN_COLUMN_MAJOR, TCPLAN_FLOAT,
                    97);
    add_contraction(&text, "C_ab=A_aiai*B_ib", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 1);
    add_contraction(&text, "C[row,col]=(0,-1)*A[k,row]*B[col,k]+(0.5,2)*C[row,col]",
                    TCPLAN_ROW_MAJOR, TCPLAN_DOUBLE_COMPLEX, 1);
    add_contraction(&text, "C_ab=A_ab*B_ba", TCPLAN_COLUMN_MAJOR, TCPLAN_FLOAT_COMPLEX, 1);
    add_contraction(&text, "C=A*B", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE, 1);
    check_golden("nests/forms.txt", &text);
}

static void add_named(struct strbuf *out, const char *contraction_text, enum tcplan_order order,
                      const char *name) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_contraction_parse(&contraction, contraction_text, order, NULL),
                     TCPLAN_OK);
    if (tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    strbuf_add(out, "== %s%s\n\n", contraction_text,
               order == TCPLAN_ROW_MAJOR ? " (row-major)" : "");
    add_nest(out, contraction, &algorithm, TCPLAN_DOUBLE);
    tcplan_contraction_free(contraction);
}

static void nests_that_add_a_tensor_of_its_own_are_known(void **state) {
    (void)state;
    static const char *const given[][2] = {
        {"D_ab=A_ai*B_ib+C_ab", "dgemm"},           /* C is copied to D, to which the kernel adds */
        {"D_ab=3*A_ai*B_ib+2*C_ba", "dgemm"},       /* transposed */
        {"D_ab=A_ai*B_ib-2*C_ab", "bi-daxpy"},      /* outside contracted loops */
        {"D_ab=A_ai*B_ib+2*C_ab", "ab-ddot"},       /* before each call */
        {"D_ab=A_ai*B_ib+2*C_ab", "b:8'Crs-dgemm"}, /* fills the temporary */
        {"D_ab=A_ai*B_ib+2*C_ab", "b:8'C-dgemm"}, /* 2 C is added when the temporary is copied to D
                                                   */
        {"D_ab=A_ai*B_ib+2*C_ab", "i:16.b'Cr-dgemv"}, /* contracted loops outside revisit the
                                                         result, so C is copied to it first */
        {"D_ab=A_ai*B_ib+2*C_ab", "'C.i:16=-dgemm"},  /* loops inside the temporary: the first
                                                         iteration assigns to it */
        {"D_ab=A_ai*B_ib+0*C_ab", "dgemm"},           /* factor 0: the addend is not read */
        {"D_abc=A_ai*B_ibc+C_cba", "a:4'Cr.c-dgemm"}, /* the dimensions of addend and result are
                                                         matched by index */
        {"D_ab=A_ai*B_ib+C_aab", "dgemm"},            /* its diagonal */
    };
    struct strbuf text = {0};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++)
        add_named(&text, given[g][0], TCPLAN_COLUMN_MAJOR, given[g][1]);
    add_named(&text, "D_ab=A_ai*B_ib+2*C_ba", TCPLAN_ROW_MAJOR, "a'Crs-dgemv");
    check_golden("nests/addend.txt", &text);
}

static void nests_of_the_full_space_are_known(void **state) {
    (void)state;
    static const char *const given[][2] = {
        {"C_abc=A_ai*B_ibc", "dgemm"},           /* fused */
        {"C_abc=A_ai*B_ibc", "c-dgemm@libxsmm"}, /* a kernel of libxsmm */
        {"C_abc=A_bda*B_dc", "a:8'Cs.a-dgemm"},  /* a tile of the result whose copy writes whole
                                                    cache lines */
        {"C_abc=A_ai*B_ibc", "c|.b:4'Cs-dgemm"}, /* a tile of columns, copied by non-temporal stores
                                                  */
        {"C_abc=A_ija*B_jbic", "'AB-dgemm"},     /* transpose, transpose, gemm */
        {"C_abc=2*A_ija*B_jbic+3*C_abc", "'AtBCt-dgemm"}, /* both factors and the result are
                                                             transposed */
        {"C_abc=A_ija*B_jbic", "b:64'BC-dgemm"},          /* a packed tile */
        {"C_abc=A_ija*B_jbic", "i:16='A.i=.c-dgemm"},    /* the temporary of A has an index, i, that
                                                            the kernel lacks */
        {"C_abc+=A_ija*B_jbic", "c'C.i='A-dgemm"},       /* the contracted loop over i is inside the
                                                            temporary of C */
        {"C_abc=A_ija*B_jbic", "i='AC.c-dgemm"},         /* and outside it */
        {"C_abc=A_ija*B_jbic-3*C_abc", "i='AC.c-dgemm"}, /* scaled by -3 */
        {"C_abc+=A_ija*B_jbic", "i:4=.i='A.c'Cs-dgemm"}, /* always accumulating */
        {"C_abc=2*A_ija*B_jbic-3*C_abc", "j:8=.c.j=.i=-dgemm"}, /* beta is applied in the first
                                                                   iterations of three loops */
        {"C_a=A_iaj*B_ji", "'AB-dgemv"},                        /* fused contracted indices */
        {"C_abc=A_ai*B_ibc", "b.c-dgemm"},                      /* gemv as gemm */
        {"C_ab=A_aiai*B_ib", "a:4'A.b-dgemv"}, /* A_aiai: the temporary is a tile of the diagonal */
        {"C_ab=A_ai*B_bi", "a:1.b:8'C-dgemm"}, /* steps of 1 */
        {"C_mn+=A_mk*B_kn", "n:4096.k:256'Btp.m:96'Ap.n:8.m:16-dgemm"}, /* packed panels of A and B,
                                                                           as in BLIS */
        {"C_mn+=A_mk*B_kn", "m:96'At+8.n:8.m:16-dgemm"},                /* a padded matrix */
        {"C_abc=A_bda*B_dc", "a:64.d:32=.a:8'Cs.d:4=.a-dgemm"},         /* tiles within tiles */
        {"C_abc=2*A_bda*B_dc-C_abc", "'ACp.a:64.a:8.b-dgemm"}, /* A and the result in packed panels
                                                                */
        {"C_ab=A_aiai*B_ib", "a:16.i:8='A.a:4.i:2=.b-dgemv"},  /* A_aiai: tiles of a diagonal within
                                                                  a tile */
        {"C_mn+=A_mk*B_kn", "m:16.k:256+-dbrgemm@libxsmm"}, /* the kernel sums the products of steps
                                                               of 256 along k */
        {"C_mn=A_mk*B_kn", "n:64'Bp.m:48'Ap.n:8.m:16.k:256+-dbrgemm@libxsmm"}, /* the same with
                                                                                  packed panels, as
                                                                                  in libxsmm */
        {"C_mn=A_mk*B_kn", "k:1024='ABt+4.n:8.k:256+-dbrgemm@libxsmm"}, /* summed steps of 256
                                                                           inside longer steps of
                                                                           1024 */
        {"C_ab=2*A_aij*B_ijb", "b:8'C.j+.i:4+-dbrgemm@libxsmm"}, /* summed steps along i, and a
                                                                    summed loop over j */
    };
    struct strbuf text = {0};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++)
        add_named(&text, given[g][0], TCPLAN_COLUMN_MAJOR, given[g][1]);
    add_named(&text, "C_abc=A_ija*B_jbic", TCPLAN_ROW_MAJOR, "j='B.a'Cs-dgemm");
    add_named(&text, "C[row,x,col]=A[row,k]*B[k,x,col]", TCPLAN_ROW_MAJOR,
              "'B.row:100'AC.row-dgemv");
    check_golden("nests/full.txt", &text);
}

static void assert_nest(const char *contraction_text, const char *name, const char *expected) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, contraction_text, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, name, NULL),
                     TCPLAN_OK);
    char *text = nest_text(contraction, &algorithm, TCPLAN_DOUBLE);
    assert_string_equal(text, expected);
    free(text);
    tcplan_contraction_free(contraction);
}

static void nests_are_written_in_the_slice_notation_of_the_papers(void **state) {
    (void)state;
    assert_nest("C_abc+=A_ai*B_ibc", "ca-dgemv",
                "for c = 1:c\n"
                "  for a = 1:a\n"
                "    dgemv_N: C[a,:,c] += A[a,:] B[:,:,c]\n");
    assert_nest("C_abc+=A_ija*B_jbic", "i'c-dgemm",
                "for i = 1:i\n"
                "  A~[:,:] := A[i,:,:]\n"
                "  for c = 1:c\n"
                "    dgemm_TN: C[:,:,c] += A~[:,:]^T B[:,:,i,c]\n");
}

static void the_result_is_zeroed_around_the_outermost_contracted_loop(void **state) {
    (void)state;
    assert_nest("C_abc=A_ai*B_ibc", "cib-daxpy",
                "for c = 1:c\n"
                "  C[:,:,c] := 0\n"
                "  for i = 1:i\n"
                "    for b = 1:b\n"
                "      daxpy: C[:,b,c] += A[:,i] B[i,b,c]\n");
    assert_nest("C_abc=A_ai*B_ibc", "c-dgemm",
                "for c = 1:c\n"
                "  dgemm_NN: C[:,:,c] := A[:,:] B[:,:,c]\n");
    assert_nest("C_ab=A_a*B_b", "b-daxpy",
                "for b = 1:b\n"
                "  C[:,b] := 0\n"
                "  daxpy: C[:,b] += A[:] B[b]\n");
}

static void the_result_is_scaled_where_it_cannot_be_by_the_kernel(void **state) {
    (void)state;
    assert_nest("C_ab=2*A_ai*B_ib-3*C_ab", "i-dger",
                "C[:,:] := -3 C[:,:]\n"
                "for i = 1:i\n"
                "  dger: C[:,:] += 2 A[:,i] B[i,:]^T\n");
    assert_nest("C_ab=2*A_ai*B_ib-3*C_ab", "dgemm",
                "dgemm_NN: C[:,:] := 2 A[:,:] B[:,:] + -3 C[:,:]\n");
}

static void a_result_without_unit_stride_goes_through_a_temporary(void **state) {
    (void)state;
    assert_nest("C_xab=A_ai*B_ibx", "x-dgemm",
                "for x = 1:x\n"
                "  dgemm_NN: C~[:,:] := A[:,:] B[:,:,x]\n"
                "  C[x,:,:] := C~[:,:]\n");
    assert_nest("C_xab+=A_ai*B_ibx", "x-dgemm",
                "for x = 1:x\n"
                "  C~[:,:] := C[x,:,:]\n"
                "  dgemm_NN: C~[:,:] += A[:,:] B[:,:,x]\n"
                "  C[x,:,:] := C~[:,:]\n");
    assert_nest("C_xab=A_ai*B_ibx", "xi-dger",
                "for x = 1:x\n"
                "  C~[:,:] := 0\n"
                "  for i = 1:i\n"
                "    dger: C~[:,:] += A[:,i] B[i,:,x]^T\n"
                "  C[x,:,:] := C~[:,:]\n");
    assert_nest("C_xab=A_ai*B_ibx", "ix-dger",
                "C[:,:,:] := 0\n"
                "for i = 1:i\n"
                "  for x = 1:x\n"
                "    C~[:,:] := C[x,:,:]\n"
                "    dger: C~[:,:] += A[:,i] B[i,:,x]^T\n"
                "    C[x,:,:] := C~[:,:]\n");
}

/** The nodes of a nest other than loops, in order, and the number of loops around each. */
struct parts {
    const struct tcplan_contraction *contraction;
    const struct tcplan_algorithm *algorithm;
    const struct tcplan_node *copy_in[TCPLAN_OPERANDS];
    int copy_in_depth[TCPLAN_OPERANDS];
    const struct tcplan_node *copy_back, *scale, *kernel;
    int copy_back_depth, scale_depth, kernel_depth;
    int leaves;
    int place[8]; /* positions of nodes: copies in, by operand; copy back; scaling; kernel */
};
enum { PLACE_BACK = TCPLAN_OPERANDS, PLACE_SCALE, PLACE_KERNEL };

static void take_once(const struct tcplan_node **out, int *out_depth,
                      const struct tcplan_node *node, int depth) {
    assert_null(*out);
    *out = node;
    *out_depth = depth;
}

static void take_copy(struct parts *parts, const struct tcplan_node *node, int depth) {
    const struct tcplan_slice to = node->copy.to, from = node->copy.from;
    assert_int_equal(to.operand, from.operand);
    assert_true((to.span & node->copy.summed) == 0 && (to.span | node->copy.summed) == from.span);
    assert_true(to.temporary != from.temporary);
    if (to.temporary) {
        take_once(&parts->copy_in[to.operand], &parts->copy_in_depth[to.operand], node, depth);
        parts->place[to.operand] = parts->leaves;
    } else {
        assert_int_equal(to.operand, TCPLAN_C);
        take_once(&parts->copy_back, &parts->copy_back_depth, node, depth);
        parts->place[PLACE_BACK] = parts->leaves;
    }
}

static void take_leaf(struct parts *parts, const struct tcplan_node *node, int depth) {
    if (node->kind == TCPLAN_NODE_COPY) take_copy(parts, node, depth);
    if (node->kind == TCPLAN_NODE_SCALE) {
        take_once(&parts->scale, &parts->scale_depth, node, depth);
        parts->place[PLACE_SCALE] = parts->leaves;
    }
    if (node->kind == TCPLAN_NODE_KERNEL) {
        take_once(&parts->kernel, &parts->kernel_depth, node, depth);
        parts->place[PLACE_KERNEL] = parts->leaves;
    }
    parts->leaves++;
}

/** Lists the nodes of a nest. Asserts that each body has at most one loop, and that the loops are
 * those of the algorithm. */
static void take_apart(struct parts *parts, const struct tcplan_node *body, int depth) {
    int loops = 0;
    for (; body; body = body->next) {
        if (body->kind != TCPLAN_NODE_LOOP) {
            take_leaf(parts, body, depth);
            continue;
        }
        assert_int_equal(loops++, 0);
        assert_true(depth < parts->algorithm->loop_count);
        assert_int_equal(body->loop.index, parts->algorithm->loop[depth]);
        take_apart(parts, body->loop.body, depth + 1);
    }
}

static uint64_t kernel_span(const struct parts *parts, int operand) {
    const uint64_t *group = parts->algorithm->group;
    return (group[TCPLAN_M] | group[TCPLAN_N] | group[TCPLAN_K]) &
           parts->contraction->tensor[operand].indices;
}

/** Returns the indices that occur in this operand only. */
static uint64_t own_indices(const struct parts *parts, int operand) {
    uint64_t own = parts->contraction->tensor[operand].indices;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        own &= t == operand ? own : ~parts->contraction->tensor[t].indices;
    return own;
}

/** Returns whether some stride of a tensor is not positive or, if it is a matrix in the kernel,
 * none is 1. */
static bool lacks_suitable_strides(const struct tcplan_tensor *tensor, uint64_t span) {
    int64_t stride[TCPLAN_MAX_INDICES] = {0};
    int occurrences[TCPLAN_MAX_INDICES] = {0};
    bool positive = true, unit = false;
    for (int d = 0; d < tensor->rank; d++) {
        stride[tensor->dims[d]] += tensor->stride[d];
        occurrences[tensor->dims[d]]++;
    }
    for (uint64_t rest = span; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        positive = positive && stride[index] > 0;
        unit = unit || (stride[index] == 1 && occurrences[index] == 1);
    }
    return !positive || (indexset_size(span) > 1 && !unit);
}

/** Returns whether a matrix operand of the kernel has no unit stride: its contiguous index is a
 * loop, or is on a diagonal. */
static bool lacks_unit_stride(const struct parts *parts, int operand) {
    const struct tcplan_tensor *tensor = &parts->contraction->tensor[operand];
    const uint64_t span = kernel_span(parts, operand);
    if (tensor->strided) return lacks_suitable_strides(tensor, span);
    if (indexset_size(span) < 2) return false;
    const int unit =
        tensor->dims[parts->contraction->order == TCPLAN_COLUMN_MAJOR ? 0 : tensor->rank - 1];
    int occurrences = 0;
    for (int d = 0; d < tensor->rank; d++) occurrences += tensor->dims[d] == unit;
    return !indexset_has(span, unit) || occurrences > 1;
}

/** Returns whether the nest must copy an operand: it lacks a unit stride, or has indices to sum
 * over. */
static bool is_copied(const struct parts *parts, int operand) {
    return own_indices(parts, operand) != 0 || lacks_unit_stride(parts, operand);
}

/** Returns the smallest depth at which an operand can be copied: inside the last loop that it
 * depends on. */
static int outermost_legal_depth(const struct parts *parts, int operand) {
    int depth = 0;
    for (int l = 0; l < parts->algorithm->loop_count; l++) {
        if (indexset_has(parts->contraction->tensor[operand].indices, parts->algorithm->loop[l]))
            depth = l + 1;
    }
    return depth;
}

/** Returns the position of the first loop over a contracted index, or the number of loops if there
 * is none. */
static int first_contracted(const struct parts *parts) {
    for (int l = 0; l < parts->algorithm->loop_count; l++) {
        if (parts->contraction->index[parts->algorithm->loop[l]].kind == TCPLAN_CONTRACTED)
            return l;
    }
    return parts->algorithm->loop_count;
}

static bool beta_is(const struct parts *parts, double value) {
    return parts->contraction->beta.re == value && parts->contraction->beta.im == 0;
}

static void assert_kernel_slices(const struct parts *parts) {
    const struct tcplan_kernel_call *call = &parts->kernel->kernel;
    assert_int_equal(parts->kernel_depth, parts->algorithm->loop_count);
    assert_int_equal(call->kernel, parts->algorithm->kernel);
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        assert_int_equal(call->group[role].count, parts->algorithm->group[role] ? 1 : 0);
        if (call->group[role].count)
            assert_true(indexset_of(call->group[role].index[0]) == parts->algorithm->group[role]);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        assert_int_equal(call->slice[t].operand, t);
        assert_true(call->slice[t].span == kernel_span(parts, t));
        assert_int_equal(call->slice[t].temporary, is_copied(parts, t));
    }
}

static void assert_copies(const struct parts *parts, const struct tcplan_nest *nest) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool copied = is_copied(parts, t);
        assert_true(nest->temporary_span[t] == (copied ? kernel_span(parts, t) : 0));
        if (t != TCPLAN_C) assert_int_equal(parts->copy_in[t] != NULL, copied);
        if (!parts->copy_in[t]) continue;
        assert_true(copied);
        assert_true(parts->copy_in[t]->copy.to.span == kernel_span(parts, t));
        assert_true(parts->copy_in[t]->copy.summed == own_indices(parts, t));
        assert_int_equal(parts->copy_in_depth[t], outermost_legal_depth(parts, t));
        assert_true(parts->place[t] < parts->place[PLACE_KERNEL]);
    }
    assert_int_equal(parts->copy_back != NULL, is_copied(parts, TCPLAN_C));
    if (!parts->copy_back) return;
    assert_int_equal(parts->copy_back_depth, outermost_legal_depth(parts, TCPLAN_C));
    assert_true(parts->place[PLACE_BACK] > parts->place[PLACE_KERNEL]);
}

/** The nest reads the result before writing it only to accumulate: beta is not 0, or contracted
 * loops revisit the slice. */
static void assert_result_is_read_only_where_it_accumulates(const struct parts *parts) {
    if (!parts->copy_back) return;
    const bool revisited = first_contracted(parts) < parts->copy_back_depth;
    assert_int_equal(parts->copy_in[TCPLAN_C] != NULL, revisited || !beta_is(parts, 0));
}

static void assert_beta(const struct parts *parts) {
    const enum tcplan_kernel kernel = parts->algorithm->kernel;
    const bool has_beta = kernel == TCPLAN_DOT || kernel == TCPLAN_GEMV || kernel == TCPLAN_GEMM;
    const bool contracted_loop = first_contracted(parts) < parts->algorithm->loop_count;
    const bool in_kernel = has_beta && !contracted_loop && !beta_is(parts, 1);
    const struct tcplan_update update = parts->kernel->kernel.update;
    const struct tcplan_scalar expected =
        in_kernel ? parts->contraction->beta : (struct tcplan_scalar){1, 0};
    assert_true(update.beta.re == expected.re && update.beta.im == expected.im &&
                update.first_of == 0);
    assert_int_equal(parts->scale != NULL, !beta_is(parts, 1) && !in_kernel);
    if (!parts->scale) return;
    assert_int_equal(parts->scale_depth, first_contracted(parts));
    assert_true(parts->place[PLACE_SCALE] < parts->place[PLACE_KERNEL]);
    assert_int_equal(parts->scale->scale.slice.operand, TCPLAN_C);
}

/** Checks the slice of a scaling node: the result with its enclosing loop indices fixed, or its
 * temporary if that is filled outside all contracted loops. */
static void assert_scaled_slice(const struct parts *parts) {
    if (!parts->scale) return;
    const struct tcplan_slice slice = parts->scale->scale.slice;
    uint64_t left = parts->contraction->tensor[TCPLAN_C].indices;
    for (int l = 0; l < parts->scale_depth; l++) left &= ~indexset_of(parts->algorithm->loop[l]);
    assert_int_equal(slice.temporary,
                     parts->copy_back && parts->copy_back_depth <= parts->scale_depth);
    assert_true(slice.span == (slice.temporary ? kernel_span(parts, TCPLAN_C) : left));
    if (slice.temporary && parts->copy_in[TCPLAN_C])
        assert_true(parts->place[TCPLAN_C] < parts->place[PLACE_SCALE]);
}

static void check_nest(const struct random_contraction *random,
                       const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest = NULL;
    struct parts parts = {.contraction = random->contraction, .algorithm = algorithm};
    assert_int_equal(tcplan_nest_build(&nest, random->contraction, algorithm, NULL), TCPLAN_OK);
    assert_ptr_equal(nest->contraction, random->contraction);
    assert_int_equal(nest->algorithm.kernel, algorithm->kernel);
    take_apart(&parts, nest->body, 0);
    assert_non_null(parts.kernel);
    assert_kernel_slices(&parts);
    assert_copies(&parts, nest);
    assert_result_is_read_only_where_it_accumulates(&parts);
    assert_beta(&parts);
    assert_scaled_slice(&parts);
    tcplan_nest_free(nest);
}

static void for_random_nests(int count, void (*check)(const struct random_contraction *,
                                                      const struct tcplan_algorithm *)) {
    struct random_contraction_options options = random_contraction_defaults();
    options.conjugates = options.addends =
        false; /* golden texts or test_conjugates.c check their nests */
    options.min_rank = 0;
    for (int seed = 1; seed <= count; seed++) {
        struct random_contraction random;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        random_contraction_init(&random, (uint64_t)seed, &options);
        tcplan_enumerator_init(&enumerator, random.contraction);
        while (tcplan_enumerator_next(&enumerator, &algorithm)) check(&random, &algorithm);
        random_contraction_free(&random);
    }
}

static void copies_scaling_and_beta_follow_the_rules(void **state) {
    (void)state;
    for_random_nests(600, check_nest);
}

static void check_text_and_name_agree(const struct random_contraction *random,
                                      const struct tcplan_algorithm *algorithm) {
    char *text = nest_text(random->contraction, algorithm, random->problem.dtype);
    char *name = tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
    const bool has_temporary = strstr(text, "~") != NULL;
    const bool has_apostrophe = strchr(name, '\'') != NULL;
    if (has_temporary != has_apostrophe)
        fail_msg("%s: %s is\n%s", random_contraction_describe(random), name, text);
    size_t lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    assert_true(lines > algorithm->loop_count);
    free(text);
    free(name);
}

static void an_apostrophe_in_the_name_means_a_temporary_in_the_nest(void **state) {
    (void)state;
    for_random_nests(100, check_text_and_name_agree);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_xab=A_iai*B_ibx", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, "x-dgemm", NULL), TCPLAN_OK);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (long successes = 0; status == TCPLAN_NO_MEMORY; successes++) {
        error.status = TCPLAN_OK;
        base_alloc_fail_after(successes);
        status = tcplan_nest_build(&nest, contraction, &algorithm, &error);
        base_alloc_fail_after(-1);
        if (status == TCPLAN_OK) break;
        assert_null(nest);
        assert_int_equal(error.status, TCPLAN_NO_MEMORY);
    }
    assert_int_equal(status, TCPLAN_OK);
    base_alloc_fail_after(0);
    char *text = tcplan_nest_text(nest, NULL, TCPLAN_DOUBLE);
    base_alloc_fail_after(-1);
    assert_null(text);
    tcplan_nest_free(nest);
    tcplan_nest_free(NULL);
    tcplan_contraction_free(contraction);
}

#define PLAIN .copy = {{.depth = -1}, {.depth = -1}, {.depth = -1}}, .parallel = -1

/** C_abc = A_ai * B_ibc; the numbers of the indices are a 0, b 1, c 2, i 3. */
static void invalid_algorithms_are_refused(void **state) {
    (void)state;
    static const struct {
        struct tcplan_algorithm algorithm;
        const char *why;
    } refused[] = {
        {{0}, "index 'a' is neither in the kernel nor a loop"},
        {{.kernel = TCPLAN_GEMV, .group = {0, 2, 8}, .loop_count = 2, .loop = {0, 0}, PLAIN},
         "loop 1 of the algorithm is over index 'a' again"},
        {{.kernel = TCPLAN_GEMM, .group = {1, 2, 8}, .loop_count = 1, .loop = {9}, PLAIN},
         "is over index number 9; expected 0 to 3"},
        {{.kernel = TCPLAN_GEMM, .group = {1, 2, 8}, .loop_count = 200, PLAIN},
         "has 200 loops; expected at most 4"},
        {{.kernel = TCPLAN_GEMM, .group = {1, 2, 8}, PLAIN},
         "index 'c' is neither in the kernel nor a loop"},
        {{.kernel = TCPLAN_GEMM, .group = {1, 2, 8}, .loop_count = 2, .loop = {2, 1}, PLAIN},
         "index 'b' is in the kernel and a loop"},
        {{.kernel = TCPLAN_GEMM,
          .group = {1, 2, (uint64_t)1 << 37},
          .loop_count = 1,
          .loop = {2},
          PLAIN},
         "the kernel's k has index number 37; expected 0 to 3"},
        {{.kernel = TCPLAN_GEMM, .group = {1, 2, 4}, .loop_count = 1, .loop = {3}, PLAIN},
         "index 'c' cannot be the kernel's k"},
        {{.kernel = TCPLAN_GEMV, .group = {1, 2, 8}, .loop_count = 1, .loop = {2}, PLAIN},
         "indices have roles that the kernel does not have"},
        {{.kernel = TCPLAN_DOT, .loop_count = 4, .loop = {0, 1, 2, 3}, PLAIN},
         "indices have roles that the kernel does not have"},
        {{.kernel = TCPLAN_GEMM,
          .group = {1, 2, 8},
          .loop_count = 1,
          .loop = {2},
          .split_count = 99,
          PLAIN},
         "has 99 loops over tiles; expected at most 8"},
        {{.kernel = TCPLAN_GEMM,
          .group = {1, 2, 8},
          .loop_count = 3,
          .loop = {4, 5, 2},
          .split_count = 2,
          .split = {{0, 8}, {0, 12}},
          PLAIN},
         "the steps of 'a' have the lengths 12 and 8; expected the first to be a multiple of the second"},
        {{.kernel = TCPLAN_GEMM,
          .group = {1, 2, 8},
          .loop_count = 3,
          .loop = {4, 5, 2},
          .split_count = 2,
          .split = {{0, 2}, {0, 8}},
          PLAIN},
         "the loop over 'a' is outside of that over its longer steps"},
        {{.kernel = TCPLAN_GEMM,
          .group = {1, 2, 8},
          .loop_count = 1,
          .loop = {2},
          .provider = (enum tcplan_provider)77,
          PLAIN},
         "its provider does not have the kernel"},
        {{.kernel = TCPLAN_BRGEMM,
          .group = {1, 2, 8, 0, 8},
          .loop_count = 1,
          .loop = {2},
          .provider = TCPLAN_PROVIDER_LIBXSMM,
          PLAIN},
         "index 'i' is the kernel's k and r; expected one of the two"},
        {{.kernel = TCPLAN_BRGEMM,
          .group = {1, 2, 8, 0, 16},
          .loop_count = 2,
          .loop = {2, 4},
          .split_count = 1,
          .split = {{3, 4}},
          .provider = TCPLAN_PROVIDER_LIBXSMM,
          PLAIN},
         "index 'i' is in the kernel and a loop"},
        {{.kernel = TCPLAN_BRGEMM,
          .group = {1, 2, 8, 0, 16},
          .loop_count = 2,
          .loop = {2, 5},
          .split_count = 2,
          .split = {{3, 8}, {3, 4}},
          .provider = TCPLAN_PROVIDER_LIBXSMM,
          PLAIN},
         "the kernel sums over the steps of 'i' of length 8; expected the elements of a step in the kernel's k"},
        {{.kernel = TCPLAN_BRGEMM,
          .group = {1, 2, 8, 0, 16},
          .loop_count = 1,
          .loop = {2},
          .provider = TCPLAN_PROVIDER_LIBXSMM,
          PLAIN},
         "the kernel's r has index number 4; expected 0 to 3"},
        {{.kernel = TCPLAN_BRGEMM,
          .group = {1, 2, 8, 0, 16},
          .loop_count = 1,
          .loop = {2},
          .split_count = 1,
          .split = {{2, 4}},
          .provider = TCPLAN_PROVIDER_LIBXSMM,
          PLAIN},
         "index 'c' cannot be the kernel's r"},
        {{.kernel = TCPLAN_BRGEMM, .group = {1, 2, 0, 0, 8}, .loop_count = 1, .loop = {2}, PLAIN},
         "its provider does not have the kernel"},
        {{.kernel = TCPLAN_GER,
          .group = {1, 2},
          .loop_count = 2,
          .loop = {2, 3},
          .starts = true,
          PLAIN},
         "but the kernel has no beta"},
    };
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        struct tcplan_nest *nest = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(tcplan_nest_build(&nest, contraction, &refused[r].algorithm, &error),
                         TCPLAN_INVALID);
        if (!strstr(error.message, refused[r].why))
            fail_msg("case %zu: '%s' does not say '%s'", r, error.message, refused[r].why);
        assert_null(nest);
        assert_null(tcplan_algorithm_name(&refused[r].algorithm, contraction, TCPLAN_DOUBLE));
    }
    tcplan_contraction_free(contraction);
}

static void steps_outside_of_their_points_are_required(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, "c:8.c-dgemm", NULL),
        TCPLAN_OK);
    const uint8_t outer = algorithm.loop[0];
    algorithm.loop[0] = algorithm.loop[1];
    algorithm.loop[1] = outer;
    assert_int_equal(tcplan_nest_build(&nest, contraction, &algorithm, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "is outside of that over its steps; expected it inside"));
    tcplan_contraction_free(contraction);
}

/** The size of each temporary fits in 64 bits, but not their sum. */
static void a_workspace_beyond_64_bits_is_as_large_as_can_be(void **state) {
    static const char *const sizes[] = {"a=512,b=32,c=16,i=j=33554432",
                                        "a=128,b=32,c=16,i=j=33554432"};
    (void)state;
    for (int s = 0; s < 2; s++) {
        struct random_contraction given;
        struct tcplan_algorithm algorithm;
        struct tcplan_nest *nest = NULL;
        struct tcplan_error error = {0};
        random_contraction_given(&given, "C_abc=A_aij*B_ijbc", sizes[s], TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, "'AB.c-dgemm",
                                   &error))
            fail_msg("%s", error.message);
        assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, &error),
                         TCPLAN_OK);
        const int64_t bytes = tcplan_nest_workspace_bytes(nest, &given.problem, 1);
        if (s == 0) assert_true(bytes == INT64_MAX);
        if (s == 1) assert_in_range(bytes, (int64_t)5 << 60, ((int64_t)5 << 60) + 4096);
        tcplan_nest_free(nest);
        random_contraction_free(&given);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_36_nests_of_the_first_contraction_are_known),
        cmocka_unit_test(the_8_nests_of_the_second_contraction_are_known),
        cmocka_unit_test(nests_of_the_third_contraction_are_known),
        cmocka_unit_test(nests_of_other_forms_are_known),
        cmocka_unit_test(nests_that_add_a_tensor_of_its_own_are_known),
        cmocka_unit_test(nests_of_the_full_space_are_known),
        cmocka_unit_test(nests_are_written_in_the_slice_notation_of_the_papers),
        cmocka_unit_test(the_result_is_zeroed_around_the_outermost_contracted_loop),
        cmocka_unit_test(the_result_is_scaled_where_it_cannot_be_by_the_kernel),
        cmocka_unit_test(a_result_without_unit_stride_goes_through_a_temporary),
        cmocka_unit_test(copies_scaling_and_beta_follow_the_rules),
        cmocka_unit_test(an_apostrophe_in_the_name_means_a_temporary_in_the_nest),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(invalid_algorithms_are_refused),
        cmocka_unit_test(steps_outside_of_their_points_are_required),
        cmocka_unit_test(a_workspace_beyond_64_bits_is_as_large_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
