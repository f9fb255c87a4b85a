#include "gen/emitted/sums.h"

#include "ast/scalar.h"

/** Prints `KERNEL_SWAP_d4(x)`, which exchanges real and imaginary parts. */
static void add_swapped(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                        const char *name, int number) {
    strbuf_add(out, "KERNEL_SWAP_%c%d(%s%d)", numbers->letter, emitted_lanes(numbers, elems), name,
               number);
}

/** Emits the loads of column p of A. For complex numbers, also emits the column times i, conjugated
 * if the product with B needs that. */
static void add_loads(struct strbuf *out, const struct emitted_sums *sums) {
    static const char indent[] = "        ";
    for (int v = 0; v < sums->vectors; v++) {
        const int elems = sums->elems[v];
        strbuf_add(out, "%sconst ", indent);
        emitted_add_type(out, &sums->numbers, elems);
        strbuf_add(out, " a%d = ", v);
        emitted_begin_load(out, &sums->numbers, elems);
        strbuf_add(out, "a");
        emitted_add_step(out, &sums->numbers, sums->step, "p");
        emitted_add_offset(out, &sums->numbers, sums->place[v], 0);
        emitted_end_load(out, &sums->numbers, elems);
        if (sums->gemm->conjugated[0]) {
            strbuf_add(out, " * ");
            emitted_add_alternating(out, &sums->numbers, elems, 1, -1);
        }
        strbuf_add(out, ";\n");
        if (sums->numbers.parts == 1) continue;
        strbuf_add(out, "%sconst ", indent);
        emitted_add_type(out, &sums->numbers, elems);
        strbuf_add(out, " i%d = ", v);
        add_swapped(out, &sums->numbers, elems, "a", v);
        strbuf_add(out, " * ");
        emitted_add_alternating(out, &sums->numbers, elems, -1, 1);
        strbuf_add(out, ";\n");
    }
}

/** Adds `const double b1 = b[8 + p];`. */
static void add_factor(struct strbuf *out, const struct emitted_sums *sums, const char *name,
                       int column, int part) {
    strbuf_add(out, "        const %s %s%d = *(b", sums->numbers.type, name, column);
    emitted_add_step(out, &sums->numbers, sums->gemm->strides[1][0], "p");
    emitted_add_offset(out, &sums->numbers, sums->gemm->strides[1][1] * column, part);
    strbuf_add(out, ");\n");
}

/** Emits the products of the loaded column of A with row p of B. */
static void add_products(struct strbuf *out, const struct emitted_sums *sums) {
    static const char indent[] = "        ";
    for (int c = 0; c < sums->columns; c++) {
        add_factor(out, sums, "b", c, 0);
        if (sums->numbers.parts == 2) add_factor(out, sums, "d", c, 1);
        for (int v = 0; v < sums->vectors; v++)
            strbuf_add(out, "%sc%d_%d += a%d * b%d;\n", indent, v, c, v, c);
        for (int v = 0; v < sums->vectors && sums->numbers.parts == 2; v++) {
            strbuf_add(out, "%sc%d_%d %c= i%d * d%d;\n", indent, v, c,
                       sums->gemm->conjugated[1] ? '-' : '+', v, c);
        }
    }
}

/** Emits the declaration of a column's sums: `kernel_d4 c0_1 = {0}, c1_1 = {0};`. */
static void add_column(struct strbuf *out, const struct emitted_sums *sums, int column) {
    for (int v = 0; v < sums->vectors; v++) {
        const bool is_same = v > 0 && sums->elems[v] == sums->elems[v - 1];
        if (!is_same) {
            strbuf_add(out, v > 0 ? ";\n    " : "    ");
            emitted_add_type(out, &sums->numbers, sums->elems[v]);
        }
        strbuf_add(out, "%s c%d_%d = {0}", is_same ? "," : "", v, column);
    }
    strbuf_add(out, ";\n");
}

void emitted_add_sums(struct strbuf *out, const struct emitted_sums *sums) {
    for (int c = 0; c < sums->columns; c++) add_column(out, sums, c);
    strbuf_add(out, "    KERNEL_UNROLL(%d)\n    for (ptrdiff_t p = 0; p < %d; p++) {\n",
               sums->unroll, sums->gemm->k);
    add_loads(out, sums);
    add_products(out, sums);
    strbuf_add(out, "    }\n");
}

void emitted_add_times(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                       struct tcplan_scalar factor, const char *name, int number) {
    if (scalar_is(factor, 1)) {
        strbuf_add(out, "%s%d", name, number);
        return;
    }
    strbuf_add(out, "%s%d * ", name, number);
    emitted_add_number(out, numbers, factor.re);
    if (factor.im == 0) return;
    strbuf_add(out, " + ");
    add_swapped(out, numbers, elems, name, number);
    strbuf_add(out, " * ");
    emitted_add_alternating(out, numbers, elems, -factor.im, factor.im);
}

void emitted_add_packed_sums(struct strbuf *out, const struct emitted_numbers *numbers,
                             const char *indent, int elems, int vectors, int columns) {
    for (int c = 0; c < columns * numbers->parts; c++) {
        strbuf_add(out, "%s", indent);
        emitted_add_type(out, numbers, elems);
        for (int v = 0; v < vectors; v++)
            strbuf_add(out, "%s c%d_%d = {0}", v > 0 ? "," : "", v, c);
        strbuf_add(out, ";\n");
    }
}

void emitted_add_packed_products(struct strbuf *out, const struct emitted_numbers *numbers,
                                 const char *indent, int elems, int vectors, int columns) {
    for (int v = 0; v < vectors; v++) {
        strbuf_add(out, "%sconst ", indent);
        emitted_add_type(out, numbers, elems);
        strbuf_add(out, " a%d = *(const ", v);
        emitted_add_type(out, numbers, elems);
        strbuf_add(out, " *)(a + %d);\n", v * elems * numbers->parts);
    }
    for (int c = 0; c < columns * numbers->parts; c++) {
        strbuf_add(out, "%s", indent);
        for (int v = 0; v < vectors; v++)
            strbuf_add(out, "%sc%d_%d += a%d * b[%d];", v > 0 ? " " : "", v, c, v, c);
        strbuf_add(out, "\n");
    }
}
