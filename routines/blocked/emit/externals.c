/*
 * Writes the emitted text outside of the function: declarations of LAPACK's routines, functions
 * for routines that no library has, work memory.
 */
#include <stdio.h>
#include <string.h>

#include "gen/emit/text.h"
#include "routines/blocked/emit/emission.h"

int emission_level(const struct signature *signature) {
    static const char *const routine[][24] = {
        {"copy", "swap", "scal", "axpy"},
        {"gemv", "symv", "hemv", "trmv", "trsv", "ger", "geru", "gerc", "syr", "her", "syr2",
         "her2"},
        {"gemm", "symm", "hemm", "trmm", "trsm", "syrk", "herk", "syr2k", "her2k"},
    };
    for (int level = 0; level < 3; level++) {
        for (int r = 0; routine[level][r]; r++) {
            if (strcmp(signature->base, routine[level][r]) == 0) return level + 1;
        }
    }
    return 0;
}

enum tcplan_dtype emission_scalar_type(const struct signature *signature, int argument) {
    const bool is_single =
        signature->dtype == TCPLAN_FLOAT || signature->dtype == TCPLAN_FLOAT_COMPLEX;
    if (signature_is_complex(signature, argument)) return signature->dtype;
    return is_single ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
}

bool emission_is_letter(const struct signature_argument *argument) {
    return argument->class == SIGNATURE_FLAG && argument->elements == SIGNATURE_CHARACTER;
}

char emission_trans(const struct blocked_statement *statement) {
    const int trans = signature_argument(statement->signature, "trans");
    return trans >= 0 ? (char)statement->value[trans] : 'N';
}

void emission_adder(char out[EMISSION_NAME], enum tcplan_dtype dtype, char trans) {
    snprintf(out, EMISSION_NAME, "%cadd%s", tcplan_dtype_letter(dtype),
             trans == 'N'   ? ""
             : trans == 'T' ? "_transposed"
                            : "_adjoint");
}

/** Writes a parameter such as `const double *A`. */
static void add_parameter(struct strbuf *out, const struct signature *signature, int argument) {
    const struct signature_argument *of = &signature->argument[argument];
    const bool is_written = of->class == SIGNATURE_INFO || of->class == SIGNATURE_WORK ||
                            (of->class == SIGNATURE_DATA && (of->access & SIGNATURE_WRITTEN));
    const char *type = emission_is_letter(of) ? "char" : "int";
    if (of->class == SIGNATURE_DATA || of->class == SIGNATURE_WORK ||
        of->class == SIGNATURE_SCALAR) {
        type = of->elements == SIGNATURE_INTEGER
                   ? "int"
                   : emit_type(emission_scalar_type(signature, argument));
    }
    strbuf_add(out, "%s%s *%s", is_written ? "" : "const ", type, of->name);
}

void emission_declare(struct emission *emission, const struct signature *signature) {
    struct emission_arguments arguments = {.count = 0};
    char name[SIGNATURE_NAME + 2];
    snprintf(name, sizeof name, "%s_", signature->name);
    for (int a = 0; a < signature->count; a++)
        add_parameter(emission_argument(&arguments), signature, a);
    for (int a = 0; a < signature->count; a++) {
        if (emission_is_letter(&signature->argument[a]))
            strbuf_add(emission_argument(&arguments), "size_t");
    }
    emission_write_call(emission, "void ", name, &arguments, ";");
}

static void add_adder(struct emission *emission, char trans) {
    const enum tcplan_dtype dtype = emission->blocked->dtype;
    const char *type = emit_type(dtype), *conjugate = trans != 'C'                     ? ""
                                                      : dtype == TCPLAN_FLOAT_COMPLEX  ? "conjf"
                                                      : dtype == TCPLAN_DOUBLE_COMPLEX ? "conj"
                                                                                       : "";
    char name[EMISSION_NAME];
    emission_adder(name, dtype, trans);
    strbuf_add(emission->out,
               "\n#ifndef HAS_%s /* emitted files may be concatenated */\n#define HAS_%s\n/* B := "
               "B + alpha A%s. */\n",
               name, name,
               trans == 'N'   ? ""
               : trans == 'T' ? "^T"
                              : "^H");
    strbuf_add(emission->out,
               "static void %s(int m, int n, %s alpha, const %s *A, int ldA, %s *B, int ldB) {\n",
               name, type, type, type);
    strbuf_add(
        emission->out,
        "    for (ptrdiff_t j = 0; j < n; j++) {\n        for (ptrdiff_t i = 0; i < m; i++) B[i + j * ldB] += alpha * %s(A[%s]);\n    }\n}\n#endif\n",
        conjugate, trans == 'N' ? "i + j * ldA" : "j + i * ldA");
}

static bool is_first_of_kind(const struct emission *emission, int s) {
    const struct blocked_statement *statement = &emission->blocked->statement[s];
    for (int other = 0; other < s; other++) {
        const struct blocked_statement *earlier = &emission->blocked->statement[other];
        if (earlier->signature == statement->signature &&
            (!statement->signature->is_own || emission_trans(earlier) == emission_trans(statement)))
            return false;
    }
    return true;
}

void emission_externals(struct emission *emission) {
    bool any = false;
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct signature *signature = emission->blocked->statement[s].signature;
        if (signature->is_own || emission_level(signature) > 0 || !is_first_of_kind(emission, s))
            continue;
        if (!any)
            strbuf_add(emission->out,
                       "\n/* LAPACK routines, with the lengths of character arguments after the "
                       "other arguments. */\n");
        any = true;
        emission_declare(emission, signature);
    }
    for (int s = 0; s < emission->blocked->statement_count; s++) {
        const struct blocked_statement *statement = &emission->blocked->statement[s];
        if (strcmp(statement->signature->base, "addop") == 0 && is_first_of_kind(emission, s))
            add_adder(emission, emission_trans(statement));
    }
}

/** Appends the largest value of the size to which an extent is equal; returns false, and appends
 * nothing, if the extent is not a size. */
static bool add_extent(const struct emission *emission, struct strbuf *out,
                       const struct blocked_statement *statement, int argument, bool columns) {
    const int size = signature_size_of(statement->signature, statement->value, argument, columns);
    char bound[EMISSION_NAME];
    for (int s = 0; s < statement->size_count; s++) {
        if (size < 0 || statement->size[s].argument != size) continue;
        emission_bound(emission, bound, statement->size[s].range);
        strbuf_add(out, "%s(size_t)%s", columns ? " * " : "", bound);
        return true;
    }
    return false;
}

bool emission_work(struct emission *emission, struct strbuf *out,
                   const struct blocked_statement *statement) {
    for (int a = 0; a < statement->signature->count; a++) {
        const struct signature_argument *of = &statement->signature->argument[a];
        if (of->class != SIGNATURE_WORK) continue;
        const bool known = add_extent(emission, out, statement, a, false) &&
                           (!of->columns || add_extent(emission, out, statement, a, true));
        if (!known)
            emission_refuse(emission, "the size of %s of %s does not follow from the sizes",
                            of->name, statement->signature->name);
        return true;
    }
    return false;
}
