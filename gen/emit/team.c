/*
 * Emits functions with a parallel loop (gen/runtime/team.h). The work is a separate function that
 * every thread runs; it gets its inputs in a struct.
 */
#include <stdio.h>

#include "ast/contraction/contraction.h"
#include "ast/nest/nest.h"
#include "gen/emit/parts.h"
#include "gen/emit/runtime_text.h"
#include "gen/emit/strides.h"

void emit_team_functions(struct strbuf *out) {
    strbuf_add(out,
               "#ifndef TCPLAN_TEAM /* emitted files may be concatenated */\n#define "
               "TCPLAN_TEAM\n\n%s\n%s\n#endif\n\n",
               places_text, team_text);
}

/* How a shared value is emitted: as a member of the struct, as its initial value, or as a variable
 * of each thread. */

enum form { FIELD, VALUE, VARIABLE };

/** Emits one shared value in the given form. The value's name is `name` followed by `end`. */
static void add_shared(const struct emitter *emitter, enum form form, const char *type,
                       const char *name, const char *end) {
    switch (form) {
    case FIELD: strbuf_add(emitter->out, "    %s%s%s;\n", type, name, end); break;
    case VALUE: strbuf_add(emitter->out, "        .%s%s = %s%s,\n", name, end, name, end); break;
    case VARIABLE:
        strbuf_add(emitter->out, "    %sconst %s%s = team_operands->%s%s;\n", type, name, end, name,
                   end);
        break;
    }
}

/** Emits an argument of the function, which the work may leave unused: only the checks before the
 * work may read it. */
static void add_argument(const struct emitter *emitter, enum form form, const char *type,
                         const char *name, const char *end) {
    add_shared(emitter, form, type, name, end);
    if (form == VARIABLE) strbuf_add(emitter->out, "    (void)%s%s;\n", name, end);
}

static void add_arguments(const struct emitter *emitter, enum form form) {
    const struct tcplan_contraction *contraction = emitter->problem->contraction;
    for (int i = 0; emitter->takes_extents && i < contraction->index_count; i++) {
        add_argument(emitter, form, "int64_t ", "n_", contraction->index[i].name);
    }
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (operand == TCPLAN_ADDEND && !tcplan_contraction_has_addend(contraction)) continue;
        if (emit_takes_strides(emitter, operand))
            add_argument(emitter, form, "const int64_t *", "strides_",
                         emit_operand(emitter, operand));
    }
}

static void add_tensors(const struct emitter *emitter, enum form form) {
    const struct tcplan_contraction *contraction = emitter->problem->contraction;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        char type[32];
        if (t == TCPLAN_ADDEND && (!tcplan_contraction_has_addend(contraction) ||
                                   contraction_added(contraction) != TCPLAN_ADDEND))
            continue;
        snprintf(type, sizeof type, "%s%s *", t == TCPLAN_C ? "" : "const ",
                 emit_type(emitter->problem->dtype));
        add_shared(emitter, form, type, emit_operand(emitter, (enum tcplan_operand)t), "");
    }
}

static void add_temporaries(const struct emitter *emitter, enum form form) {
    const struct sharing sharing = emit_sharing(emitter);
    char type[32];
    snprintf(type, sizeof type, "%s *", emit_type(emitter->problem->dtype));
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (!nest_has_temporary(emitter->nest, operand)) continue;
        add_shared(emitter, form, type, emit_operand(emitter, operand),
                   sharing.is_private[t] ? "_copies" : "_copy");
    }
    if (!emit_has_ends(emitter)) return;
    snprintf(type, sizeof type, "struct copy_%c_end *",
             tcplan_dtype_letter(emitter->problem->dtype));
    add_shared(emitter, form, type, sharing.is_private[TCPLAN_C] ? "C_all_ends" : "C_ends", "");
}

static void add_all(const struct emitter *emitter, enum form form) {
    add_arguments(emitter, form);
    add_tensors(emitter, form);
    add_temporaries(emitter, form);
}

void emit_begin_team_function(const struct emitter *emitter) {
    strbuf_add(emitter->out, "/* Operands that the threads share. */\nstruct %s_operands {\n",
               emitter->function);
    add_all(emitter, FIELD);
    strbuf_add(emitter->out,
               "};\n\n/* Runs the share of one thread. */\nstatic void %s_team(struct team_member "
               "*team_member, void *team_context) {\n",
               emitter->function);
    strbuf_add(emitter->out, "    const struct %s_operands *const team_operands = team_context;\n",
               emitter->function);
    add_all(emitter, VARIABLE);
}

void emit_team_run(const struct emitter *emitter) {
    strbuf_add(emitter->out, "    struct %s_operands team_operands = {\n", emitter->function);
    add_all(emitter, VALUE);
    strbuf_add(emitter->out, "    };\n    team_run(%d, %s_team, &team_operands);\n",
               emit_sharing(emitter).threads, emitter->function);
}
