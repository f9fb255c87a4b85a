#include <string.h>

#include "ast/algorithm.h"
#include "ast/choices.h"
#include "ast/refine.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/name_parts.h"

/** The place in a name. */
struct reader {
    const struct tcplan_contraction *contraction;
    struct tcplan_algorithm *out;
    const char *at;
    uint64_t seen; /* numbers of the loops so far */
    struct tcplan_error *why;
};

#define REFUSE(reader, ...) (error_set((reader)->why, TCPLAN_INVALID, __VA_ARGS__), false)

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_in_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static bool accept(struct reader *reader, char c) {
    if (*reader->at != c) return false;
    reader->at++;
    return true;
}

/* copies = { ( "A" | "B" ) [ "t" ] } [ "C" [ "t" ] [ "s" ] ] ; at least one */
static bool read_copies(struct reader *reader) {
    struct tcplan_choices *choices = &reader->out->choices;
    const char *first = reader->at;
    int last = -1;
    for (; *reader->at >= 'A' && *reader->at <= 'C'; reader->at++) {
        const int operand = *reader->at - 'A';
        if (operand <= last) return REFUSE(reader, "'%c' cannot follow '%c': copies stand as A, B, C", *reader->at, 'A' + last);
        if (choices->copy_depth[operand] >= 0) return REFUSE(reader, "%c is copied twice", *reader->at);
        last = operand;
        choices->copy_depth[operand] = (int8_t)reader->out->loop_count;
        choices->turned[operand] = reader->at[1] == 't';
        if (choices->turned[operand]) reader->at++;
        if (operand != TCPLAN_C || reader->at[1] != 's') continue;
        choices->streamed = true;
        reader->at++;
    }
    return reader->at > first || REFUSE(reader, "expected what is copied - A, B, C - after the apostrophe");
}

/* index = ( letter | digit | "_" ) { letter | digit | "_" } */
static bool read_index(struct reader *reader, int *index) {
    const struct tcplan_contraction *contraction = reader->contraction;
    size_t length = 0;
    while (is_in_name(reader->at[length])) length++;
    for (*index = 0; *index < contraction->index_count; ++*index) {
        const char *name = contraction->index[*index].name;
        if (strlen(name) != length || memcmp(name, reader->at, length) != 0) continue;
        reader->at += length;
        return true;
    }
    if (length == 0) return REFUSE(reader, "expected an index, found '%.20s'", reader->at);
    return REFUSE(reader, "there is no index '%.*s'", length < 40 ? (int)length : 40, reader->at);
}

/* step = digit { digit } ; makes a split of an index, whose steps get the number `number` */
static bool read_step(struct reader *reader, int index, int *number) {
    struct tcplan_choices *choices = &reader->out->choices;
    int64_t step = 0;
    const char *first = reader->at;
    for (; is_digit(*reader->at) && step <= INT32_MAX; reader->at++) step = 10 * step + (*reader->at - '0');
    const char *name = reader->contraction->index[index].name;
    if (reader->at == first) return REFUSE(reader, "expected the length of a step after '%.40s:'", name);
    if (step < 1 || step > INT32_MAX) return REFUSE(reader, "steps of '%.40s' are 1 to %d long", name, (int)INT32_MAX);
    for (int s = 0; s < choices->split_count; s++) {
        if (choices->split[s].index == index) return REFUSE(reader, "there are two loops over steps of '%.40s'", name);
    }
    if (choices->split_count == TCPLAN_MAX_TILES) return REFUSE(reader, "there are steps of more than %d indices", TCPLAN_MAX_TILES);
    *number = reader->contraction->index_count + choices->split_count;
    choices->split[choices->split_count++] = (struct tcplan_split){.index = (uint8_t)index, .step = (int32_t)step};
    return true;
}

static bool read_parallel(struct reader *reader) {
    struct tcplan_choices *choices = &reader->out->choices;
    if (!accept(reader, '|')) return true;
    if (choices->parallel >= 0) return REFUSE(reader, "there are two parallel loops");
    choices->parallel = (int8_t)reader->out->loop_count;
    return true;
}

/* loop = index [ ":" step ] [ "=" ] [ "|" ] [ "'" copies ] */
static bool read_loop(struct reader *reader) {
    int index = -1;
    if (!read_index(reader, &index)) return false;
    int number = index;
    const char *name = reader->contraction->index[index].name;
    const bool contracted = reader->contraction->index[index].kind == TCPLAN_CONTRACTED;
    if (accept(reader, ':') && !read_step(reader, index, &number)) return false;
    if ((unsigned)number >= TCPLAN_MAX_INDICES) {
        return REFUSE(reader, "expected at most %d indices and steps of them together", TCPLAN_MAX_INDICES);
    }
    if (indexset_has(reader->seen, number)) return REFUSE(reader, "there are two loops over '%.40s'", name);
    reader->seen |= indexset_of(number);
    if (accept(reader, '=') != contracted) {
        return REFUSE(
            reader, contracted ? "'=' is missing after the contracted index '%.40s'" : "'=' after '%.40s', which is not contracted", name);
    }
    if (!read_parallel(reader)) return false;
    reader->out->loop[reader->out->loop_count++] = (uint8_t)number;
    return !accept(reader, '\'') || read_copies(reader);
}

/* loops = [ "'" copies [ "." ] ] [ loop { "." loop } [ "." ] ] ; up to the hyphen */
static bool read_loops(struct reader *reader) {
    if (accept(reader, '\'')) {
        if (!read_copies(reader)) return false;
        if (*reader->at != '-' && !accept(reader, '.')) return REFUSE(reader, "expected '.' or '-', found '%.20s'", reader->at);
    }
    while (*reader->at != '-') {
        if (!read_loop(reader)) return false;
        if (*reader->at != '-' && !accept(reader, '.')) return REFUSE(reader, "expected '.' or '-', found '%.20s'", reader->at);
    }
    reader->at++;
    return true;
}

static bool read_provider(struct reader *reader) {
    return tcplan_provider_find(&reader->out->choices.provider, reader->at) ||
           REFUSE(reader, "no provider of kernels is called '%.40s'", reader->at);
}

/* kernel = letter name [ "@" provider ] */
static bool read_kernel(struct reader *reader, enum tcplan_dtype dtype) {
    const char *at = strchr(reader->at, '@');
    const size_t length = at ? (size_t)(at - reader->at) : strlen(reader->at);
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
        const char *name = tcplan_kernel_name((enum tcplan_kernel)kernel, dtype);
        if (reader->at[0] != tcplan_dtype_letter(dtype) || strlen(name) + 1 != length || memcmp(reader->at + 1, name, length - 1) != 0) {
            continue;
        }
        reader->out->kernel = (enum tcplan_kernel)kernel;
        reader->at += length;
        return !accept(reader, '@') || read_provider(reader);
    }
    return REFUSE(reader, "there is no kernel '%.*s'", length < 40 ? (int)length : 40, reader->at);
}

/** Indices without a loop are in the kernel, in the role of their kind. */
static bool assign_groups(struct reader *reader) {
    static const int role_of_kind[] = {
        [TCPLAN_FREE_A] = TCPLAN_M, [TCPLAN_FREE_B] = TCPLAN_N, [TCPLAN_CONTRACTED] = TCPLAN_K, [TCPLAN_BATCH] = -1};
    for (int i = 0; i < reader->contraction->index_count; i++) {
        if (indexset_has(reader->seen, i)) continue;
        const int role = role_of_kind[reader->contraction->index[i].kind];
        if (role < 0) return REFUSE(reader, "the batch index '%.40s' has no loop", reader->contraction->index[i].name);
        reader->out->choices.group[role] |= indexset_of(i);
    }
    return true;
}

static bool has_hyphen(struct reader *reader) {
    return strchr(reader->at, '-') || REFUSE(reader, "expected '-' and a kernel after the loops");
}

/* name = loops "-" kernel | kernel */
enum tcplan_status name_read_choices(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction, enum tcplan_dtype dtype,
                                     const char *name, struct tcplan_error *why) {
    *out = (struct tcplan_algorithm){.choices = {.made = true, .copy_depth = {-1, -1, -1}, .parallel = -1}};
    struct reader reader = {.contraction = contraction, .out = out, .at = name, .why = why};
    const bool bare = !strpbrk(name, "'.:=|-");
    if (!bare && (!has_hyphen(&reader) || !read_loops(&reader))) return TCPLAN_INVALID;
    if (!read_kernel(&reader, dtype) || !assign_groups(&reader)) return TCPLAN_INVALID;
    enum tcplan_status status = choices_check(out, contraction, why);
    if (status == TCPLAN_OK) choices_canonical(out, contraction);
    return status;
}

bool name_has_choices(const struct tcplan_contraction *contraction, const char *name) {
    if (strpbrk(name, contraction->long_names ? ":=|@" : ":=|@.")) return true;
    for (const char *at = strchr(name, '\''); at; at = strchr(at + 1, '\'')) {
        if (at[1] >= 'A' && at[1] <= 'C') return true;
    }
    return false;
}
