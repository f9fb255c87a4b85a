#include <stdlib.h>

#include "base/error.h"
#include "blocks/emit.h"
#include "blocks/library.h"
#include "gen/emit/interface.h"

enum tcplan_status block_library_source(char **out, const struct tcplan_block_plan *plan,
                                        const char *function, struct tcplan_error *error) {
    const struct tcplan_block_emit_options options = {
        .function = function,
        .header = tcplan_emit_library_file_name(TCPLAN_EMIT_LIBRARY_HEADER),
        .with_main = true};
    return block_emit_guarded(out, plan, &options, "CONTRACTIONS_MAIN", error);
}

static void add_header(struct strbuf *out, const char *facts, const char *function,
                       const char *type) {
    strbuf_add(out, "\n");
    emit_comment(out, facts);
    block_add_prototypes(out, function, type);
}

/** Adds the interface of NAME_buffers, whose arguments are arrays. */
static void add_fortran(struct strbuf *out, const char *facts, const char *function,
                        enum tcplan_dtype dtype) {
    const char *type = tcplan_dtype_is_complex(dtype) ? "complex" : "real";
    const char *kind = emit_fortran_kind(dtype);
    struct strbuf name = {0};
    strbuf_add(&name, "%s_buffers", function);
    strbuf_add(out, "\n  interface\n");
    emit_fortran_remark(out, facts, "    ");
    strbuf_add(out, "    function ");
    emit_fortran_name(out, function, "_buffers");
    strbuf_add(out, "(A, B, C) &\n");
    emit_fortran_binding(out, name.text ? name.text : "");
    strbuf_add(out,
               "      import :: c_int, %s\n      integer(c_int) :: status\n"
               "      %s(%s), intent(in) :: A(*), B(*)\n"
               "      %s(%s), intent(inout) :: C(*)\n"
               "    end function\n  end interface\n",
               kind, type, kind, type, kind);
    out->failed = out->failed || name.failed;
    strbuf_free(&name);
}

enum tcplan_status block_library_function(char **out, enum tcplan_emit_library_file file,
                                          const struct tcplan_block_plan *plan,
                                          const char *function, const char *remark,
                                          struct tcplan_error *error) {
    const enum tcplan_dtype dtype = plan->product->dtype;
    struct strbuf text = {0}, facts = {0};
    block_add_facts(&facts, plan, function);
    strbuf_add(&facts, "%s\n", remark);
    char *comment = strbuf_finish(&facts);
    text.failed = !comment;
    if (comment && file == TCPLAN_EMIT_LIBRARY_HEADER)
        add_header(&text, comment, function, emit_library_type(dtype));
    if (comment && file == TCPLAN_EMIT_LIBRARY_FORTRAN)
        add_fortran(&text, comment, function, dtype);
    if (file == TCPLAN_EMIT_LIBRARY_CMAKE) strbuf_add(&text, "    %s\n", function);
    if (file == TCPLAN_EMIT_LIBRARY_TEST) strbuf_add(&text, "%s", "");
    free(comment);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}
