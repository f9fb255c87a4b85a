#include "ast/algorithm/kernel_class.h"
#include "ast/scalar.h"
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/kernels/kernel_code.h"
#include "gen/providers/provider_code.h"

bool emit_is_complex(const struct emitter *emitter) {
    return tcplan_dtype_is_complex(emitter->problem->dtype);
}

void emit_scalar(const struct emitter *emitter, struct tcplan_scalar scalar) {
    emit_constant(emitter->out, emitter->problem->dtype, scalar);
}

void emit_times(const struct emitter *emitter, struct tcplan_scalar scalar) {
    if (scalar_is(scalar, 1)) return;
    emit_scalar(emitter, scalar);
    strbuf_add(emitter->out, " * ");
}

struct tcplan_slice emit_slice(const struct emit_call *call, int part) {
    const enum tcplan_operand operand[] = {call->blas.first, call->blas.second, TCPLAN_C};
    return call->node->slice[operand[part]];
}

void emit_part_step(const struct emitter *emitter, const struct emit_call *call, int part) {
    if (emitter->takes_extents) {
        emit_given_step(emitter, call, part);
    } else {
        strbuf_add(emitter->out, "%d", call->blas.ld[part]);
    }
}

void emit_array(const struct emitter *emitter, const struct emit_call *call, int part) {
    strbuf_add(emitter->out, ", ");
    emit_pointer(emitter, emit_slice(call, part));
    strbuf_add(emitter->out, ", ");
    emit_part_step(emitter, call, part);
}

void emit_routine(const struct emitter *emitter, const struct emit_call *call) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    strbuf_add(emitter->out, "cblas_%c%s", tcplan_dtype_letter(dtype),
               kernel_routine(call->blas.kernel, dtype, call->blas.conjugated[0],
                              call->blas.conjugated[1]));
}

static const struct tcplan_group *group_at(const struct emit_call *call, int place) {
    return &call->node->group[kernel_code_of(call->blas.kernel)->role_at(call, place)];
}

int emit_varying_index(const struct emitter *emitter, const struct emit_call *call, int place) {
    const struct tcplan_group *group = group_at(call, place);
    const int last = group->count > 0 ? group->index[group->count - 1] : -1;
    return last >= 0 && (emitter->takes_extents || emit_is_partial(emitter, last)) ? last : -1;
}

void emit_count_less(const struct emitter *emitter, const struct emit_call *call, int place,
                     int less) {
    const struct tcplan_group *group = group_at(call, place);
    const int varying = emit_varying_index(emitter, call, place);
    int64_t number = 1;
    if (emitter->takes_extents) {
        emit_given_count(emitter, group);
        if (less > 0) strbuf_add(emitter->out, " - %d", less);
        return;
    }
    for (int i = 0; i < group->count - (varying >= 0); i++)
        number *= emitter->refined->extent[group->index[i]];
    if (varying < 0) {
        strbuf_add(emitter->out, "%lld", (long long)number - less);
        return;
    }
    if (number != 1) strbuf_add(emitter->out, "%lld * ", (long long)number);
    emit_extent(emitter, varying);
    if (less > 0) strbuf_add(emitter->out, " - %d", less);
}

void emit_count(const struct emitter *emitter, const struct emit_call *call, int place) {
    emit_count_less(emitter, call, place, 0);
}

void emit_next_count(const struct emitter *emitter, const struct emit_call *call, int place) {
    strbuf_add(emitter->out, ", ");
    emit_count(emitter, call, place);
}

void emit_break(const struct emitter *emitter) {
    strbuf_add(emitter->out, ",\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "            ");
}

void emit_alpha_argument(const struct emitter *emitter, const struct emit_call *call) {
    if (emit_is_complex(emitter)) {
        strbuf_add(emitter->out, "&alpha");
    } else {
        emit_scalar(emitter, call->blas.alpha);
    }
}

void emit_beta_argument(const struct emitter *emitter, const struct emit_call *call) {
    if (emit_is_complex(emitter) || call->node->update.first_of) {
        strbuf_add(emitter->out, emit_is_complex(emitter) ? "&beta" : "beta");
    } else {
        emit_scalar(emitter, call->blas.beta);
    }
}

void emit_beta_by_visit(const struct emitter *emitter, const struct emit_call *call) {
    if (!call->node->update.first_of) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s beta = ", emit_type(emitter->problem->dtype));
    emit_factor(emitter, call->blas.beta, call->node->update.first_of);
    strbuf_add(emitter->out, ";\n");
}

/** Returns whether alpha must be multiplied with a complex element before it is passed. */
static bool has_element_factor(const struct emitter *emitter, const struct emit_call *call) {
    return emit_is_complex(emitter) &&
           (!scalar_is(call->blas.alpha, 1) || call->blas.conjugated[1]);
}

void emit_element_setup(const struct emitter *emitter, const struct emit_call *call) {
    if (!has_element_factor(emitter, call)) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s factor = ", emit_type(emitter->problem->dtype));
    emit_times(emitter, call->blas.alpha);
    emit_begin_conjugate(emitter, call->blas.conjugated[1]);
    emit_element(emitter, emit_slice(call, 1), 0);
    emit_end_conjugate(emitter, call->blas.conjugated[1]);
    strbuf_add(emitter->out, ";\n");
}

void emit_element_argument(const struct emitter *emitter, const struct emit_call *call) {
    if (!emit_is_complex(emitter)) {
        emit_times(emitter, call->blas.alpha);
        emit_element(emitter, emit_slice(call, 1), 0);
    } else if (!has_element_factor(emitter, call)) {
        emit_pointer(emitter, emit_slice(call, 1));
    } else {
        strbuf_add(emitter->out, "&factor");
    }
}

/** Returns `CblasNoTrans`, `CblasTrans` or `CblasConjTrans` for the first or second factor. */
static const char *transposition(const struct emit_call *call, int factor) {
    const bool conjugated = call->blas.conjugated[factor];
    return !call->blas.transposed[factor] ? "CblasNoTrans"
           : conjugated                   ? "CblasConjTrans"
                                          : "CblasTrans";
}

void emit_matrix_call(const struct emitter *emitter, const struct emit_call *call,
                      int transpositions, int counts) {
    emit_beta_by_visit(emitter, call);
    emit_indent(emitter);
    emit_routine(emitter, call);
    strbuf_add(emitter->out, "(CblasColMajor");
    for (int factor = 0; factor < transpositions; factor++)
        strbuf_add(emitter->out, ", %s", transposition(call, factor));
    for (int place = 0; place < counts; place++) emit_next_count(emitter, call, place);
    emit_break(emitter);
    emit_alpha_argument(emitter, call);
    emit_array(emitter, call, 0);
    emit_array(emitter, call, 1);
    emit_break(emitter);
    emit_beta_argument(emitter, call);
    emit_array(emitter, call, 2);
    strbuf_add(emitter->out, ");\n");
}

static void add_factor_setup(const struct emitter *emitter, const char *name,
                             struct tcplan_scalar scalar) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "const %s %s = ", emit_type(emitter->problem->dtype), name);
    emit_scalar(emitter, scalar);
    strbuf_add(emitter->out, ";\n");
}

void emit_alpha_setup(const struct emitter *emitter, const struct emit_call *call) {
    if (emit_is_complex(emitter)) add_factor_setup(emitter, "alpha", call->blas.alpha);
}

void emit_beta_setup(const struct emitter *emitter, const struct emit_call *call) {
    if (emit_is_complex(emitter) && !call->node->update.first_of)
        add_factor_setup(emitter, "beta", call->blas.beta);
}

void emit_factor_setup(const struct emitter *emitter, const struct emit_call *call) {
    emit_alpha_setup(emitter, call);
    emit_beta_setup(emitter, call);
}

bool emit_is_own(const struct tcplan_nest *nest) {
    return kernel_class_of(emit_find_kernel(nest)->kernel)->is_own;
}

bool emit_calls_cblas(const struct tcplan_nest *nest) {
    const struct tcplan_kernel_call *call = emit_find_kernel(nest);
    return !kernel_class_of(call->kernel)->is_own && provider_code_of(call->provider)->calls_cblas;
}

void emit_kernel_functions(const struct emitter *emitter) {
    const struct kernel_code *code = kernel_code_of(emit_find_kernel(emitter->nest)->kernel);
    if (code->emit_functions) code->emit_functions(emitter);
}

void emit_kernel(const struct emitter *emitter, const struct emit_call *call) {
    const struct provider_code *provider = provider_code_of(call->blas.provider);
    (provider->emit ? provider->emit : kernel_code_of(call->blas.kernel)->emit)(emitter, call);
}

void emit_kernel_setup(const struct emitter *emitter, const struct emit_call *call) {
    const struct provider_code *provider = provider_code_of(call->blas.provider);
    const struct kernel_code *code = kernel_code_of(call->blas.kernel);
    if (provider->emit) {
        if (provider->emit_setup) provider->emit_setup(emitter, call);
    } else if (code->emit_setup) {
        code->emit_setup(emitter, call);
    }
}
