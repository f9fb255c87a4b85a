/*
 * Loops over any indices, with extents and strides as arguments, see gen/emitted/general.h and
 * gen/templates/general/loops.c.
 *
 * Vectors lie along the loop in which the result is contiguous. A factor that is contiguous along
 * another loop is copied in blocks that stay in the first cache, transposed in registers. Sums stay
 * in a strip in the first cache.
 */
#include <stdio.h>

#include "gen/emit/runtime_text.h"
#include "gen/emit/template.h"
#include "gen/emit/template_text.h"
#include "gen/emitted/general.h"
#include "gen/emitted/general_tiles.h"
#include "gen/emitted/loops.h"
#include "gen/emitted/numbers.h"
#include "gen/emitted/tile.h"

enum {
    LENGTH_BYTES = 512, /* bytes of a copied block along the first loop and along the second */
    WIDTH_BYTES = 256,
    FEW = 8, /* rows read in place that are summed at once; each is a separate stream from memory */
    FEWEST_ROW_BYTES = 2048,
    NEAR_BYTES = 512 << 10, /* bytes of a small result: such a call takes microseconds, for which
                               compiling a kernel is seldom worthwhile */
    FEWEST_NEAR_ROW_BYTES = 512
};

struct writer {
    struct template_values values;
    struct emitted_numbers numbers;
    int elems;
};

static struct strbuf *value(struct writer *writer, const char *name) {
    return template_value(&writer->values, name);
}

static int vector_numbers(const struct writer *writer) {
    return writer->elems * writer->numbers.parts;
}

static void set_transpose(struct writer *writer) {
    struct strbuf *out = value(writer, "transpose");
    for (int e = 0; e < writer->elems; e++) {
        char at[32];
        snprintf(at, sizeof at, "from + from_step * %d", e);
        emitted_begin_transpose(out, &writer->numbers, writer->elems, e, at);
        strbuf_add(out, ";\n");
    }
    emitted_add_transpose(out, &writer->numbers, writer->elems, "to", "to_step");
}

/** Sets the text of `x * y`. For complex numbers: x times the real parts of y, plus i x times the
 * imaginary parts. */
static void set_times(struct writer *writer) {
    int from[3][32];
    struct strbuf *out = value(writer, "times");
    if (writer->numbers.parts == 1) {
        strbuf_add(out, "    return x * y;\n");
        return;
    }
    for (int n = 0; n < vector_numbers(writer); n++) {
        from[0][n] = n & ~1;
        from[1][n] = n ^ 1;
        from[2][n] = n | 1;
    }
    strbuf_add(out, "    return x * ");
    emitted_add_mix(out, &writer->numbers, vector_numbers(writer), "y", "y", from[0]);
    strbuf_add(out, " + ");
    emitted_add_mix(out, &writer->numbers, vector_numbers(writer), "x", "x", from[1]);
    strbuf_add(out, " * ");
    emitted_add_alternating(out, &writer->numbers, writer->elems, -1, 1);
    strbuf_add(out, " * ");
    emitted_add_mix(out, &writer->numbers, vector_numbers(writer), "y", "y", from[2]);
    strbuf_add(out, ";\n");
}

static void set_elements(struct writer *writer) {
    struct strbuf *out = value(writer, "all");
    strbuf_add(out, "    return (");
    emitted_add_type(out, &writer->numbers, writer->elems);
    strbuf_add(out, "){");
    for (int n = 0; n < vector_numbers(writer); n++)
        strbuf_add(out, "%sx[%d]", n > 0 ? ", " : "", n % writer->numbers.parts);
    strbuf_add(out, "};\n");
    out = value(writer, "copy");
    for (int part = 0; part < writer->numbers.parts; part++)
        strbuf_add(out, "            to[%d] = at[%d];\n", part, part);
    strbuf_add(value(writer, "stream"), "KERNEL_LINE_%c%d", writer->numbers.letter,
               vector_numbers(writer));
}

void general_add_loops(struct strbuf *out, const char *name, enum tcplan_dtype dtype,
                       enum emitted_set set) {
    struct writer writer = {.numbers = emitted_numbers_of(dtype),
                            .elems = emitted_vector_elems(dtype, set)};
    const int bytes = (int)tcplan_dtype_bytes(dtype);
    strbuf_add(value(&writer, "name"), "%s", name);
    strbuf_add(value(&writer, "target"), "%s", emitted_set_text[set].macro);
    strbuf_add(value(&writer, "number"), "%s", writer.numbers.type);
    emitted_add_type(value(&writer, "vector"), &writer.numbers, writer.elems);
    template_number(&writer.values, "vector_numbers", vector_numbers(&writer));
    template_number(&writer.values, "parts", writer.numbers.parts);
    template_number(&writer.values, "elems", writer.elems);
    template_number(&writer.values, "length", LENGTH_BYTES / bytes);
    template_number(&writer.values, "width", WIDTH_BYTES / bytes);
    template_number(&writer.values, "few", FEW);
    template_number(&writer.values, "sums_step", LENGTH_BYTES / bytes * writer.numbers.parts);
    set_transpose(&writer);
    set_times(&writer);
    set_elements(&writer);
    template_add(out, &writer.values, general_loops_text);
    template_free(&writer.values);
}

/** Returns the second loop: a loop along which a factor is contiguous that is not contiguous along
 * the first loop. If there is none, returns a summed loop, or else any other loop. */
static int second_loop(const struct emitted_loops *loops, int first) {
    int second = -1;
    for (int part = 0; part < 2; part++) {
        const int own = general_contiguous_loop(loops, part);
        if (loops->loop[first].stride[part] > 1 && own >= 0 && second < 0) second = own;
    }
    for (int l = loops->count - 1; l >= 0 && second < 0; l--) {
        if (l != first && loops->loop[l].stride[2] == 0) second = l;
    }
    for (int l = 0; l < loops->count && second < 0; l++) {
        if (l != first) second = l;
    }
    return second;
}

static void add_loop(struct kernel_loops *out, const struct blas_call_loop *loop, int parts) {
    out->extent[out->count] = loop->extent;
    for (int part = 0; part < 3; part++) out->stride[out->count][part] = parts * loop->stride[part];
    out->count++;
}

static enum kernel_way way_of(const struct kernel_loops *loops, int part, int parts) {
    if (loops->stride[0][part] == 0 && part == 1) return KERNEL_SAME;
    if (loops->stride[0][part] == parts) return KERNEL_STRAIGHT;
    return loops->stride[1][part] == parts ? KERNEL_TRANSPOSED : KERNEL_GATHERED;
}

bool general_takes_loops(const struct emitted_loops *loops) {
    return general_contiguous_loop(loops, 2) >= 0 && loops->tile.vectors == 0 &&
           loops->tile.unroll == 0 && loops->count <= KERNEL_LOOPS - 1;
}

/** Returns whether a factor is read in place, in rows along the first loop. */
static bool reads_rows(const struct emitted_loops *loops, int first, int part) {
    return loops->loop[first].stride[part] == 1 || loops->loop[first].stride[part] == 0;
}

/** Returns whether a tensor varies with all loops. */
static bool has_all_loops(const struct emitted_loops *loops, int part) {
    for (int l = 0; l < loops->count; l++) {
        if (loops->loop[l].stride[part] == 0) return false;
    }
    return true;
}

bool general_suffices_for_loops(const struct emitted_loops *loops) {
    const int first = general_contiguous_loop(loops, 2);
    if (!general_takes_loops(loops) || !has_all_loops(loops, 2) || !reads_rows(loops, first, 0) ||
        !reads_rows(loops, first, 1) || (!has_all_loops(loops, 0) && !has_all_loops(loops, 1)))
        return false;
    const double element = (double)tcplan_dtype_bytes(loops->dtype);
    const double row_bytes = (double)loops->loop[first].extent * element;
    double bytes = element;
    for (int l = 0; l < loops->count; l++) bytes *= (double)loops->loop[l].extent;
    return row_bytes >= (bytes <= NEAR_BYTES ? FEWEST_NEAR_ROW_BYTES : FEWEST_ROW_BYTES);
}

void general_loops_of(struct kernel_loops *out, bool *exchanged,
                      const struct emitted_loops *given) {
    const int parts = emitted_reals(given->dtype), first = general_contiguous_loop(given, 2);
    *exchanged = given->loop[first].stride[0] == 0;
    const struct emitted_loops own = *exchanged ? general_exchanged(given) : *given;
    const struct emitted_loops *loops = &own;
    const int second = second_loop(loops, first);
    const struct blas_call_loop none = {.extent = 1};
    *out = (struct kernel_loops){
        .alpha = {loops->alpha.re, loops->alpha.im},
        .beta = {loops->beta.re, loops->beta.im},
        .sign = {loops->conjugated[0] ? -1 : 1, loops->conjugated[1] ? -1 : 1},
        .streamed = loops->streamed};
    add_loop(out, &loops->loop[first], parts);
    add_loop(out, second >= 0 ? &loops->loop[second] : &none, parts);
    out->sums_second = second >= 0 && loops->loop[second].stride[2] == 0;
    out->sums = out->sums_second;
    for (int is_summed = 0; is_summed < 2; is_summed++) {
        for (int l = 0; l < loops->count; l++) {
            if (l == first || l == second || (loops->loop[l].stride[2] == 0) != is_summed) continue;
            add_loop(out, &loops->loop[l], parts);
            out->sums |= is_summed;
        }
        if (!is_summed) out->results = out->count;
    }
    for (int part = 0; part < 3; part++) {
        out->offset[part] = parts * loops->offset[part];
        if (part < 2) out->way[part] = way_of(out, part, parts);
    }
}
