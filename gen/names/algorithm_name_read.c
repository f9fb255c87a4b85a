#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/names/algorithm_name.h"

/** State of reading a name. */
struct reader {
    const struct tcplan_contraction *contraction;
    struct tcplan_algorithm *out;
    const char *at;
    uint64_t seen;    /* set of the loops read so far */
    uint64_t started; /* set of the loops with "=", which start with beta */
    uint64_t bare;    /* set of the depths with a bare apostrophe */
    bool lettered;    /* whether letters for copied tensors follow some apostrophe, as in k'AB */
    bool streamed;    /* whether the kernel writes the result by non-temporal stores */
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

/* Reads a number from 1 to `most`; returns -1 if there is none. */
static int64_t read_number(struct reader *reader, int64_t most) {
    int64_t number = 0;
    const char *first = reader->at;
    for (; is_digit(*reader->at); reader->at++) {
        if (number <= most) number = 10 * number + (*reader->at - '0');
    }
    return reader->at == first || number < 1 || number > most ? -1 : number;
}

/* layout = [ "t" ] [ "p" ] [ "+" padding ] */
static bool read_layout(struct reader *reader, struct tcplan_operand_copy *copy) {
    copy->transposed = accept(reader, 't');
    copy->panels = accept(reader, 'p');
    if (!accept(reader, '+')) return true;
    const int64_t padding = read_number(reader, TCPLAN_MAX_PADDING);
    if (padding < 1)
        return REFUSE(reader, "expected the padding of a temporary in elements after '+', 1 to %d",
                      TCPLAN_MAX_PADDING);
    copy->padding = (uint16_t)padding;
    return true;
}

/*
 * copies = { ( "A" | "B" ) layout } [ "C" layout [ "r" ] [ "s" ] ]
 *
 * If it is empty, rules decide what is copied.
 */
static bool read_copies(struct reader *reader) {
    const char *first = reader->at;
    const int depth = reader->out->loop_count;
    int last = -1;
    for (; *reader->at >= 'A' && *reader->at <= 'C';) {
        const int operand = *reader->at++ - 'A';
        struct tcplan_operand_copy *copy = &reader->out->copy[operand];
        if (operand <= last)
            return REFUSE(reader, "'%c' cannot follow '%c': expected copies in the order A, B, C",
                          'A' + operand, 'A' + last);
        if (copy->depth >= 0) return REFUSE(reader, "%c is copied twice", 'A' + operand);
        last = operand;
        copy->depth = (int8_t)depth;
        if (!read_layout(reader, copy)) return false;
        copy->read = operand == TCPLAN_C && accept(reader, 'r');
        copy->streamed = operand == TCPLAN_C && accept(reader, 's');
    }
    reader->lettered = reader->lettered || reader->at > first;
    if (reader->at == first) reader->bare |= indexset_of(depth);
    return true;
}

/* index = ( letter | digit | "_" ) { letter | digit | "_" } */
static bool read_index(struct reader *reader, int *index) {
    const struct tcplan_contraction *contraction = reader->contraction;
    size_t length = 0;
    while (is_in_name(reader->at[length]) && (contraction->long_names || length == 0)) length++;
    for (*index = 0; *index < contraction->index_count; ++*index) {
        const char *name = contraction->index[*index].name;
        if (strlen(name) != length || memcmp(name, reader->at, length) != 0) continue;
        reader->at += length;
        return true;
    }
    if (length == 0) return REFUSE(reader, "expected an index, found '%.20s'", reader->at);
    return REFUSE(reader, "there is no index '%.*s'", length < 40 ? (int)length : 40, reader->at);
}

/* step = digit { digit } ; divides an index into steps, which get the number `number` */
static bool read_step(struct reader *reader, int index, int *number) {
    struct tcplan_algorithm *out = reader->out;
    const char *name = reader->contraction->index[index].name;
    if (!is_digit(*reader->at))
        return REFUSE(reader, "expected the length of a step after '%.40s:'", name);
    const int64_t step = read_number(reader, INT32_MAX);
    if (step < 1) return REFUSE(reader, "steps of '%.40s' are 1 to %d long", name, (int)INT32_MAX);
    for (int s = 0; s < out->split_count; s++) {
        if (out->split[s].index != index ||
            (out->split[s].step > step && out->split[s].step % step == 0))
            continue;
        return REFUSE(
            reader,
            "steps of '%.40s' of length %d are inside steps of length %d; expected a shorter length that divides the outer one",
            name, (int)step, (int)out->split[s].step);
    }
    if (out->split_count == TCPLAN_MAX_TILES)
        return REFUSE(reader, "there are more than %d loops over tiles", TCPLAN_MAX_TILES);
    *number = reader->contraction->index_count + out->split_count;
    out->split[out->split_count++] =
        (struct tcplan_split){.index = (uint8_t)index, .step = (int32_t)step};
    return true;
}

static bool read_parallel(struct reader *reader) {
    if (!accept(reader, '|')) return true;
    if (reader->out->parallel < 0) {
        reader->out->parallel = (int8_t)reader->out->loop_count;
        return true;
    }
    if (reader->out->collapsed) return REFUSE(reader, "there are three parallel loops");
    if (reader->out->loop_count != reader->out->parallel + 1)
        return REFUSE(reader, "a loop lies between two parallel ones");
    reader->out->collapsed = true;
    return true;
}

/* index [ ":" step ] "+" */
static bool read_sum(struct reader *reader, int index, int number) {
    const struct tcplan_index *summed = &reader->contraction->index[index];
    if (summed->kind != TCPLAN_CONTRACTED)
        return REFUSE(reader, "'+' follows '%.40s', which is not a contracted index", summed->name);
    reader->out->group[TCPLAN_R] |= indexset_of(number);
    return true;
}

/* loop = index [ ":" step ] [ "=" ] [ "|" ] [ "'" [ copies ] ] | index [ ":" step ] "+" */
static bool read_loop(struct reader *reader) {
    int index = -1;
    if (!read_index(reader, &index)) return false;
    int number = index;
    const char *name = reader->contraction->index[index].name;
    if (accept(reader, ':') && !read_step(reader, index, &number)) return false;
    if ((unsigned)number >= TCPLAN_MAX_INDICES) {
        return REFUSE(reader, "expected at most %d indices and tiles in total", TCPLAN_MAX_INDICES);
    }
    if (indexset_has(reader->seen, number))
        return REFUSE(reader, "there are two loops over '%.40s'", name);
    if (!indexset_has(contraction_run(reader->contraction), index)) {
        return REFUSE(reader,
                      "there is a loop over '%.40s', but the copy of its tensor sums over this "
                      "index",
                      name);
    }
    reader->seen |= indexset_of(number);
    if (accept(reader, '+')) return read_sum(reader, index, number);
    if (reader->out->group[TCPLAN_R])
        return REFUSE(reader, "there is a loop over '%.40s' inside the sum marked by '+'", name);
    if (accept(reader, '=')) {
        if (reader->contraction->index[index].kind != TCPLAN_CONTRACTED) {
            return REFUSE(reader, "'=' follows '%.40s', which is not a contracted index", name);
        }
        reader->started |= indexset_of(number);
    }
    if (!read_parallel(reader)) return false;
    reader->out->loop[reader->out->loop_count++] = (uint8_t)number;
    return !accept(reader, '\'') || read_copies(reader);
}

/** Reads the dot between two loops. It is optional if index names are single letters and the first
 * loop is only an index and an apostrophe. */
static bool read_separator(struct reader *reader) {
    if (*reader->at == '-' || accept(reader, '.')) return true;
    const char before = reader->at[-1];
    const bool plain =
        before == '\'' || (is_in_name(before) && is_in_name(*reader->at) && !reader->lettered);
    return (plain && !reader->contraction->long_names) ||
           REFUSE(reader, "expected '.' or '-', found '%.20s'", reader->at);
}

/* loops = [ "'" [ copies ] [ "." ] ] [ loop { [ "." ] loop } [ "." ] ] "-" */
static bool read_loops(struct reader *reader) {
    if (accept(reader, '\'')) {
        if (!read_copies(reader)) return false;
        const bool bare = reader->bare != 0;
        if (*reader->at != '-' && !accept(reader, '.') && !bare)
            return REFUSE(reader, "expected '.' or '-', found '%.20s'", reader->at);
    }
    while (*reader->at != '-') {
        if (!read_loop(reader) || !read_separator(reader)) return false;
    }
    reader->at++;
    return true;
}

/* vectors "x" columns */
static bool read_tile(struct reader *reader) {
    const char *first = reader->at;
    const int64_t vectors = read_number(reader, TCPLAN_MAX_VECTORS);
    const int64_t columns = accept(reader, 'x') ? read_number(reader, TCPLAN_MAX_COLUMNS) : -1;
    if (vectors < 1 || columns < 1) {
        return REFUSE(
            reader, "expected a tile of 1 to %d vectors by 1 to %d columns, as 3x4, found '%.20s'",
            TCPLAN_MAX_VECTORS, TCPLAN_MAX_COLUMNS, first);
    }
    reader->out->tile.vectors = (uint8_t)vectors;
    reader->out->tile.columns = (uint8_t)columns;
    return true;
}

/* way = [ vectors "x" columns ] [ "u" products ] [ "s" ] ; at least one */
static bool read_way(struct reader *reader) {
    const char *first = reader->at;
    if (is_digit(*reader->at) && !read_tile(reader)) return false;
    if (accept(reader, 'u')) {
        const int64_t unroll = read_number(reader, TCPLAN_MAX_UNROLL);
        if (unroll < 1)
            return REFUSE(
                reader,
                "expected the number of products in a round of the innermost loop after 'u', 1 to %d",
                TCPLAN_MAX_UNROLL);
        reader->out->tile.unroll = (uint8_t)unroll;
    }
    reader->streamed = accept(reader, 's');
    if (reader->at > first && !*reader->at) return true;
    return REFUSE(
        reader,
        "expected a tile (3x4), an unrolling (u8) or \"s\" after the apostrophe that follows the provider, found "
        "'%.20s'",
        reader->at);
}

/* provider [ "'" way ] */
static bool read_provider(struct reader *reader) {
    char name[64];
    const size_t length = strcspn(reader->at, "'");
    if (length < sizeof name) {
        memcpy(name, reader->at, length);
        name[length] = '\0';
        if (tcplan_provider_find(&reader->out->provider, name)) {
            reader->at += length;
            return !accept(reader, '\'') || read_way(reader);
        }
    }
    return REFUSE(reader, "unknown provider of kernels '%.*s'", length < 40 ? (int)length : 40,
                  reader->at);
}

/* kernel = letter name [ "@" provider [ "'" way ] ] | "tapp@" library */
static bool read_kernel(struct reader *reader, enum tcplan_dtype dtype) {
    const char *at = strchr(reader->at, '@');
    const size_t length = at ? (size_t)(at - reader->at) : strlen(reader->at);
    if (at && strncmp(reader->at, "tapp@", 5) == 0) {
        reader->out->kernel = TCPLAN_LOOPS;
        reader->at += 5;
        return read_provider(reader) && (provider_traits_of(reader->out->provider)->is_whole ||
                                         REFUSE(reader, "'%s' is not a TAPP library", at + 1));
    }
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
        const char *name = tcplan_kernel_name((enum tcplan_kernel)kernel, dtype);
        if (reader->at[0] != tcplan_dtype_letter(dtype) || strlen(name) + 1 != length ||
            memcmp(reader->at + 1, name, length - 1) != 0) {
            continue;
        }
        reader->out->kernel = (enum tcplan_kernel)kernel;
        reader->at += length;
        return !accept(reader, '@') || read_provider(reader);
    }
    return REFUSE(reader, "unknown kernel '%.*s'", length < 40 ? (int)length : 40, reader->at);
}

/** Assigns indices without a loop to the kernel, in the role of their kind, except those that
 * copies sum over. */
static bool assign_groups(struct reader *reader) {
    for (uint64_t rest = contraction_run(reader->contraction) & ~reader->seen; rest;
         rest &= rest - 1) {
        const int i = indexset_first(rest);
        const int role = algorithm_role_of_kind(reader->contraction->index[i].kind);
        if (role == TCPLAN_H && !(kernel_roles(reader->out->kernel) >> role & 1U)) {
            return REFUSE(reader, "the batch index '%.40s' has no loop",
                          reader->contraction->index[i].name);
        }
        reader->out->group[role] |= indexset_of(i);
    }
    return true;
}

/** Checks that either all contracted loops have "=", or none. */
static bool check_starts(struct reader *reader) {
    const uint64_t contracted =
        algorithm_contracted_loops(reader->out, reader->contraction, 0, reader->out->loop_count);
    reader->out->starts = reader->started != 0;
    return !reader->started || reader->started == contracted ||
           REFUSE(reader, "'=' must follow all contracted indices or none; one lacks it");
}

static uint64_t depths_of_copies(const struct tcplan_algorithm *algorithm) {
    uint64_t depths = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (algorithm->copy[t].depth >= 0) depths |= indexset_of(algorithm->copy[t].depth);
    }
    return depths;
}

/** Sets the copies of bare apostrophes, which must be where the rules copy. */
static bool apply_rules(struct reader *reader) {
    struct tcplan_algorithm ruled = *reader->out;
    if (reader->lettered)
        return !reader->bare ||
               REFUSE(reader,
                      "expected the copied operands (A, B, C) after every apostrophe, or after no "
                      "apostrophe");
    if (reader->out->split_count == 0 && !reader->out->starts)
        algorithm_apply_rules(&ruled, reader->contraction);
    if (!algorithm_follows_rules(&ruled, reader->contraction)) {
        return !reader->bare ||
               REFUSE(reader, "expected the copied operands (A, B, C) after the apostrophe");
    }
    const uint64_t depths = depths_of_copies(&ruled);
    if (reader->bare && reader->bare != depths)
        return REFUSE(
            reader,
            "an apostrophe must mark each loop at which operands are copied, and no other loop");
    *reader->out = ruled;
    return true;
}

/* name = loops kernel | kernel ; a bare kernel may follow an apostrophe */
enum tcplan_status name_read(struct tcplan_algorithm *out,
                             const struct tcplan_contraction *contraction, enum tcplan_dtype dtype,
                             const char *name, struct tcplan_error *why) {
    *out = tcplan_algorithm_empty();
    struct reader reader = {.contraction = contraction, .out = out, .at = name, .why = why};
    if (strchr(name, '-')) {
        if (!read_loops(&reader)) return TCPLAN_INVALID;
    } else if (accept(&reader, '\'')) {
        reader.bare = indexset_of(0);
    } else if (strcspn(name, "'.:=|+") < strcspn(name, "@")) {
        return error_set(why, TCPLAN_INVALID, "expected '-' and a kernel after the loops");
    }
    if (!read_kernel(&reader, dtype) || !assign_groups(&reader) || !check_starts(&reader) ||
        !apply_rules(&reader))
        return TCPLAN_INVALID;
    out->copy[TCPLAN_C].streamed = out->copy[TCPLAN_C].streamed || reader.streamed;
    if (reader.streamed && algorithm_copies(out, TCPLAN_C)) {
        return error_set(why, TCPLAN_INVALID,
                         "the kernel streams the result, so the result cannot have a temporary");
    }
    enum tcplan_status status = algorithm_check(out, contraction, why);
    if (status == TCPLAN_OK) algorithm_canonical(out, contraction);
    return status;
}
