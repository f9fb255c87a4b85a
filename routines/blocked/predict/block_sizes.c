#include <stdlib.h>

#include "base/error.h"
#include "base/quantity.h"
#include "gen/emit/text.h"
#include "tcplan/blocked_predict.h"
#include "tcplan/version.h"

static void add_comment(struct strbuf *out, const struct tcplan_block_sizes *sizes) {
    struct strbuf text = {0};
    strbuf_add(&text, "Block sizes of %s by n, predicted from models.\n\n", sizes->algorithm);
    strbuf_add(&text, "type: %s\nthreads: %d\n", emit_type(sizes->dtype), sizes->threads);
    if (sizes->library && *sizes->library) strbuf_add(&text, "library: %s\n", sizes->library);
    strbuf_add(
        &text,
        "\nBetween sizes of the table, the block size of the nearer one is taken; beyond it, that "
        "of the last size. A block size above n means one block.\n");
    strbuf_add(&text, "\nEmitted by tcplan %s.", TCPLAN_VERSION_STRING);
    char *comment = strbuf_finish(&text);
    if (comment) {
        emit_comment(out, comment);
    } else {
        out->failed = true;
    }
    free(comment);
}

static void add_row(struct strbuf *out, const struct tcplan_block_sizes *sizes,
                    const struct tcplan_block_size *size) {
    strbuf_add(out, "    {%lld, %lld}, /* %s", (long long)size->n, (long long)size->block,
               quantity_seconds(size->seconds).text);
    if (sizes->default_block > 0 && size->gain >= 0)
        strbuf_add(out, ", %.1f %% less than with %lld", 100 * (1 - 1 / (1 + size->gain)),
                   (long long)sizes->default_block);
    strbuf_add(out, " */\n");
}

/** Writes a function that finds the block size for a size by binary search in the table. A size
 * between two rows takes the block size of the nearer row. */
static void add_function(struct strbuf *out, const char *name) {
    strbuf_add(out, "int %s(ptrdiff_t n) {\n", name);
    strbuf_add(out, "    size_t low = 0, high = sizeof %s_table / sizeof *%s_table - 1;\n", name,
               name);
    strbuf_add(out, "    while (low < high) {\n"
                    "        const size_t middle = low + (high - low) / 2;\n");
    strbuf_add(
        out,
        "        const ptrdiff_t below = %s_table[middle].n, above = %s_table[middle + 1].n;\n",
        name, name);
    strbuf_add(out, "        if (n < below || n - below <= above - n) {\n"
                    "            high = middle;\n"
                    "        } else {\n"
                    "            low = middle + 1;\n"
                    "        }\n"
                    "    }\n");
    strbuf_add(out, "    return %s_table[low].block;\n}\n", name);
}

enum tcplan_status tcplan_emit_block_sizes(char **out, const struct tcplan_block_sizes *sizes,
                                           const char *function, struct tcplan_error *error) {
    struct strbuf text = {0};
    const char *name = function ? function : "block_size";
    const enum tcplan_status status = emit_check_name(name, error);
    *out = NULL;
    if (status != TCPLAN_OK) return status;
    add_comment(&text, sizes);
    strbuf_add(&text, "#include <stddef.h>\n\nint %s(ptrdiff_t n);\n\n", name);
    strbuf_add(&text, "static const struct {\n    ptrdiff_t n;\n    int block;\n} %s_table[] = {\n",
               name);
    for (size_t s = 0; s < sizes->count; s++) add_row(&text, sizes, &sizes->size[s]);
    strbuf_add(&text, "};\n\n");
    add_function(&text, name);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}
