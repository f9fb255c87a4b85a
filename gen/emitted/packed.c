/*
 * Kernels of large products, see gen/emitted/emitted.h: the general kernel (gen/emitted/general.h)
 * for one product, with the tiles that this product needs.
 */
#include "ast/scalar.h"
#include "gen/emitted/blocks.h"
#include "gen/emitted/general.h"
#include "gen/emitted/numbers.h"
#include "gen/emitted/tile.h"

enum {
    MOST_ASPECT = 8,       /* a result with this many times more columns than rows is transposed,
                              whichever       dimension is contiguous, */
    FEWEST_ROW_BYTES = 256 /* unless rows have as many bytes, and all of A stays packed */
};

bool emitted_packs(const struct emitted_gemm *gemm) {
    if (emitted_goes_by_lines(gemm) || emitted_transposes(gemm)) return false;
    if (blocks_is_split(gemm, ROLE_ROWS) || blocks_is_split(gemm, ROLE_COLUMNS) ||
        blocks_is_split(gemm, ROLE_CONTRACTED))
        return true;
    return gemm->k > EMITTED_MAX_K || (gemm->strides[2][0] != 1 && gemm->strides[2][1] != 1);
}

bool emitted_turns(const struct emitted_gemm *gemm) {
    const bool is_contiguous[2] = {gemm->strides[2][0] == 1, gemm->strides[2][1] == 1};
    const int transposes = emitted_transposes(gemm);
    if (transposes) return transposes == 2;
    if (!emitted_packs(gemm)) return !is_contiguous[0] && is_contiguous[1];
    if (is_contiguous[0] == is_contiguous[1]) return gemm->n > gemm->m;
    const int rows = is_contiguous[0] ? gemm->m : gemm->n;
    const int columns = is_contiguous[0] ? gemm->n : gemm->m;
    const int64_t bytes = (int64_t)rows * (int64_t)tcplan_dtype_bytes(gemm->dtype);
    const bool keeps = bytes >= FEWEST_ROW_BYTES && bytes * gemm->k <= BLOCKS_KEPT_BYTES;
    return is_contiguous[0] == (!keeps && columns / MOST_ASPECT > rows);
}

/** Prints `{1, 2}`. */
static void add_list(struct strbuf *out, const ptrdiff_t *numbers, int count) {
    for (int x = 0; x < count; x++)
        strbuf_add(out, "%s%lld", x > 0 ? ", " : "{", (long long)numbers[x]);
    strbuf_add(out, "}");
}

static void add_role(struct strbuf *out, const char *name, const struct kernel_role *role) {
    strbuf_add(out, "    .%s = {%d, ", name, role->count);
    add_list(out, role->extent, role->count);
    strbuf_add(out, ", {");
    add_list(out, role->stride[0], role->count);
    strbuf_add(out, ", ");
    add_list(out, role->stride[1], role->count);
    strbuf_add(out, "}},\n");
}

/** Prints `.alpha = {1.0, 0.0}, `. */
static void add_pair(struct strbuf *out, const char *name, const double pair[2]) {
    const struct emitted_numbers numbers = emitted_numbers_of(TCPLAN_DOUBLE);
    strbuf_add(out, ".%s = {", name);
    emitted_add_number(out, &numbers, pair[0]);
    strbuf_add(out, ", ");
    emitted_add_number(out, &numbers, pair[1]);
    strbuf_add(out, "}, ");
}

static void add_arguments(struct strbuf *out, const char *name, const char *set,
                          const struct kernel_gemm *gemm) {
    strbuf_add(out,
               "static const struct kernel_gemm %s_%s_gemm = {\n"
               "    .m = %lld, .n = %lld, .k = %lld,\n",
               name, set, (long long)gemm->m, (long long)gemm->n, (long long)gemm->k);
    add_role(out, "rows", &gemm->rows);
    add_role(out, "columns", &gemm->columns);
    add_role(out, "contracted", &gemm->contracted);
    strbuf_add(out, "    ");
    add_pair(out, "alpha", gemm->alpha);
    add_pair(out, "beta", gemm->beta);
    add_pair(out, "sign", gemm->sign);
    strbuf_add(out, ".apart = ");
    add_list(out, gemm->apart, 2);
    strbuf_add(
        out, ",\n    .vectors = %d, .tile_columns = %d, .panel_rows = %lld, .block_k = %lld,\n",
        gemm->vectors, gemm->tile_columns, (long long)gemm->panel_rows, (long long)gemm->block_k);
    strbuf_add(out,
               "    .block_columns = %lld, .near_columns = %lld, .keeps = %d, .in_place = %d, "
               ".by_rows = %d};\n\n",
               (long long)gemm->block_columns, (long long)gemm->near_columns, gemm->keeps,
               gemm->in_place, gemm->by_rows);
}

void emitted_add_packed(struct strbuf *out, const char *name, const struct emitted_packed *packed) {
    struct kernel_gemm gemm;
    general_blocks_of(&gemm, packed->gemm, packed->set);
    add_arguments(out, name, emitted_set_text[packed->set].name, &gemm);
    general_add_set(out, name, packed->gemm, packed->set, &gemm);
}
