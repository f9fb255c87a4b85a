#include "ast/nest/nest.h"
#include "gen/emit/extents.h"
#include "gen/emit/parts.h"
#include "gen/emit/runtime_text.h"

enum {
    ALIGNMENT = 64,         /* alignment of temporaries: a cache line, which suits vector units */
    STORED_BYTES = 32 << 10 /* least size of a temporary that is stored for the next call. glibc's
                               free() returns memory to the system if more than 128 KiB at the end
                               of the heap are free; the next call then waits for a page fault on
                               each page. Three smaller temporaries stay below that. */
};

struct sharing emit_sharing(const struct emitter *emitter) {
    if (!emitter->takes_extents)
        return sharing_of(emitter->nest, emitter->refined, emitter->threads);
    return sharing_of_any(emitter->nest, emitter->threads);
}

static size_t temporary_bytes(const struct emitter *emitter, enum tcplan_operand operand) {
    return (size_t)emitter->refined->temporary_elems[operand] * emitter->problem->element_bytes;
}

void emit_thread_elems(const struct emitter *emitter, enum tcplan_operand operand) {
    const int page = SHARING_PAGE_BYTES / (int)emitter->problem->element_bytes;
    if (emitter->takes_extents) {
        strbuf_add(emitter->out, "(");
        emit_given_elems(emitter, operand);
        strbuf_add(emitter->out, " + %d) / %d * %d", page - 1, page, page);
    } else {
        const size_t bytes = sharing_stride_bytes(temporary_bytes(emitter, operand));
        strbuf_add(emitter->out, "%zu", bytes / emitter->problem->element_bytes);
    }
}

bool emit_memory_stays(double bytes) {
    return bytes >= STORED_BYTES;
}

/** Returns whether the memory of a temporary, for all threads together, is stored for the next
 * call; depends on the planned extents. */
static bool is_pooled(const struct emitter *emitter, enum tcplan_operand operand) {
    const struct sharing sharing = sharing_of(emitter->nest, emitter->refined, emitter->threads);
    const double bytes = (double)temporary_bytes(emitter, operand);
    return nest_has_temporary(emitter->nest, operand) &&
           emit_memory_stays(bytes * (sharing.is_private[operand] ? sharing.threads : 1));
}

bool emit_keeps_memory(const struct emitter *emitter) {
    const struct refined_problem refined =
        problem_refine(emitter->problem, emitter->nest->refinement);
    struct emitter inside = *emitter;
    bool any = false;
    inside.refined = &refined;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        any = any || is_pooled(&inside, (enum tcplan_operand)t);
    return any;
}

void emit_memory_functions(struct strbuf *out) {
    strbuf_add(
        out,
        "#ifndef TCPLAN_POOL /* emitted files may be concatenated */\n#define TCPLAN_POOL\n\n%s\n#endif\n\n",
        pool_text);
}

/** Adds `aligned_alloc(64, `, or `pool_take(0, `. */
static void begin_allocation(const struct emitter *emitter, enum tcplan_operand operand,
                             int alignment) {
    if (is_pooled(emitter, operand)) {
        strbuf_add(emitter->out, "pool_take(%d, ", (int)operand);
    } else {
        strbuf_add(emitter->out, "aligned_alloc(%d, ", alignment);
    }
}

/** Prints the bytes of a temporary if extents are arguments: whole pages for each thread, or whole
 * cache lines if there is one thread. */
static void add_given_bytes(const struct emitter *emitter, enum tcplan_operand operand,
                            const struct sharing *sharing) {
    const int line = ALIGNMENT / (int)emitter->problem->element_bytes;
    if (sharing->is_private[operand]) {
        strbuf_add(emitter->out, "%d * (size_t)(", sharing->threads);
        emit_thread_elems(emitter, operand);
        strbuf_add(emitter->out, ") * sizeof(%s)", emit_type(emitter->problem->dtype));
    } else {
        strbuf_add(emitter->out, "(size_t)(");
        emit_given_elems(emitter, operand);
        strbuf_add(emitter->out, " + %d) / %d * %d", line - 1, line, ALIGNMENT);
    }
}

/** Emits the allocation of one temporary, or of one for each thread. */
static void add_allocation(const struct emitter *emitter, enum tcplan_operand operand) {
    const struct sharing sharing = emit_sharing(emitter);
    const size_t bytes = temporary_bytes(emitter, operand);
    const bool is_private = sharing.is_private[operand];
    strbuf_add(emitter->out, "    %s *%s_%s = ", emit_type(emitter->problem->dtype),
               emit_operand(emitter, operand), is_private ? "copies" : "copy");
    begin_allocation(emitter, operand, is_private ? SHARING_PAGE_BYTES : ALIGNMENT);
    if (emitter->takes_extents) {
        add_given_bytes(emitter, operand, &sharing);
    } else if (is_private) {
        strbuf_add(emitter->out, "%d * (size_t)%zu", sharing.threads, sharing_stride_bytes(bytes));
    } else {
        strbuf_add(emitter->out, "%zu", (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }
    strbuf_add(emitter->out, ");\n");
}

static void add_name(const struct emitter *emitter, int operand) {
    strbuf_add(emitter->out, "%s_%s", emit_operand(emitter, (enum tcplan_operand)operand),
               emit_sharing(emitter).is_private[operand] ? "copies" : "copy");
}

static void add_ends_name(const struct emitter *emitter) {
    strbuf_add(emitter->out, emit_sharing(emitter).is_private[TCPLAN_C] ? "C_all_ends" : "C_ends");
}

void emit_releases(const struct emitter *emitter, const char *indentation) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!nest_has_temporary(emitter->nest, (enum tcplan_operand)t)) continue;
        strbuf_add(emitter->out, "%s", indentation);
        if (is_pooled(emitter, (enum tcplan_operand)t)) {
            strbuf_add(emitter->out, "pool_give(%d, ", t);
        } else {
            strbuf_add(emitter->out, "free(");
        }
        add_name(emitter, t);
        strbuf_add(emitter->out, ");\n");
    }
    if (!emit_has_ends(emitter)) return;
    strbuf_add(emitter->out, "%sfree(", indentation);
    add_ends_name(emitter);
    strbuf_add(emitter->out, ");\n");
}

void emit_allocations(const struct emitter *emitter) {
    bool any = false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!nest_has_temporary(emitter->nest, (enum tcplan_operand)t)) continue;
        add_allocation(emitter, (enum tcplan_operand)t);
        any = true;
    }
    if (!any) return;
    const struct sharing sharing = emit_sharing(emitter);
    if (emit_has_ends(emitter))
        emit_ends_allocation(emitter, sharing.is_private[TCPLAN_C] ? sharing.threads : 1);
    const char *between = "    if (!";
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!nest_has_temporary(emitter->nest, (enum tcplan_operand)t)) continue;
        strbuf_add(emitter->out, "%s", between);
        add_name(emitter, t);
        between = " || !";
    }
    if (emit_has_ends(emitter)) {
        strbuf_add(emitter->out, "%s", between);
        add_ends_name(emitter);
    }
    strbuf_add(emitter->out, ") {\n");
    emit_releases(emitter, "        ");
    strbuf_add(emitter->out, "        return ENOMEM;\n    }\n");
}
