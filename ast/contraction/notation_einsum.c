#include <string.h>

#include "ast/contraction/notation.h"
#include "ast/problem/shapes.h"

/** Names for the indices of an ellipsis: the first letters that the text does not use. */
static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The ellipsis ("...") of an operand. */
struct ellipsis {
    struct word word; /* the ellipsis in the text; empty if there is none */
    int before;       /* number of letters before the ellipsis */
};

/** The state of the einsum parser. */
struct einsum {
    struct notation *out;
    struct scan *scan;
    struct tcplan_shapes *shapes; /* shapes of the factors; may be NULL */
    struct ellipsis ellipsis[TCPLAN_OPERANDS];
    bool has_result; /* whether the text has a result */
};

/* dots = "..." ; once in an operand */
static bool read_dots(struct einsum *einsum, enum tcplan_operand operand) {
    struct ellipsis *ellipsis = &einsum->ellipsis[operand];
    const struct word start = {einsum->scan->at, 0};
    if (!scan_accept(einsum->scan, "..."))
        return scan_expected(einsum->scan, "'...' or an index letter");
    const struct word word = scan_since(einsum->scan, start);
    if (ellipsis->word.length > 0)
        return scan_refuse(einsum->scan, word,
                           "expected one '...' in an operand, found a second one");
    *ellipsis = (struct ellipsis){.word = word, .before = einsum->out->tensor[operand].rank};
    return true;
}

/* operand = { letter | dots } */
static bool read_operand(struct einsum *einsum, enum tcplan_operand operand, const char *name) {
    struct scan *scan = einsum->scan;
    struct notation_tensor *out = &einsum->out->tensor[operand];
    scan_peek(scan);
    *out = (struct notation_tensor){.whole = {scan->at, 0}, .name = word_of(name)};
    for (char next = scan_peek(scan); scan_is_letter(next) || next == '.'; next = scan_peek(scan)) {
        const struct word letter = {scan->at, 1};
        if (next == '.' && !read_dots(einsum, operand)) return false;
        if (next != '.' && !notation_add_index(out, scan, letter)) return false;
        if (next != '.') scan->at++;
        out->whole = scan_since(scan, out->whole);
    }
    return true;
}

/** Returns how often the factors have a letter; `place` receives its last position. */
static int occurrences(const struct notation *notation, char letter, struct word *place) {
    int count = 0;
    for (int t = 0; t < SHAPES; t++) {
        for (int d = 0; d < notation->tensor[t].rank; d++) {
            if (*notation->tensor[t].index[d].text != letter) continue;
            *place = notation->tensor[t].index[d];
            count++;
        }
    }
    return count;
}

/** Derives an omitted result: the ellipsis, then the letters that appear once in the factors, in
 * ASCII order. */
static void imply_result(struct einsum *einsum) {
    struct notation_tensor *result = &einsum->out->tensor[TCPLAN_C];
    *result = (struct notation_tensor){.whole = {einsum->scan->at, 0}, .name = word_of("C")};
    for (int letter = 'A'; letter <= 'z'; letter++) {
        struct word place;
        if (occurrences(einsum->out, (char)letter, &place) == 1)
            /* the result has room, because at most 52 letters exist */
            result->index[result->rank++] = place;
    }
    const struct ellipsis *a = &einsum->ellipsis[TCPLAN_A], *b = &einsum->ellipsis[TCPLAN_B];
    einsum->ellipsis[TCPLAN_C] = (struct ellipsis){.word = a->word.length > 0 ? a->word : b->word};
}

/* einsum = operand "," operand [ "->" operand ] */
static bool read_operands(struct einsum *einsum) {
    struct scan *scan = einsum->scan;
    if (!read_operand(einsum, TCPLAN_A, "A")) return false;
    if (!scan_accept(scan, ","))
        return scan_expected(scan, "an index letter, or ',' and the second operand");
    if (!read_operand(einsum, TCPLAN_B, "B")) return false;
    if (scan_peek(scan) == ',') return scan_expected(scan, "two operands and then '->' or the end");
    einsum->has_result = scan_accept(scan, "->");
    if (!einsum->has_result && scan_peek(scan) != '\0')
        return scan_expected(scan, "an index letter, '->' and the result, or the end");
    if (einsum->has_result && !read_operand(einsum, TCPLAN_C, "C")) return false;
    if (!einsum->has_result) imply_result(einsum);
    return scan_peek(scan) == '\0' || scan_expected(scan, "an index letter or the end");
}

/* Expansion of ellipses. */

/** The dimensions of all ellipses, aligned at their last dimension. */
struct dots {
    int count;
    struct word index[TCPLAN_MAX_RANK];
    int of[SHAPES]; /* for each factor, how many of these dimensions it has, counted from the last
                       one */
    bool left_out[SHAPES][TCPLAN_MAX_RANK]; /* dimensions in which a factor has extent 1 and the
                                               other a larger one (broadcasting) */
};

/** Counts the dimensions of a factor's ellipsis. */
static bool count_dots(struct dots *dots, const struct einsum *einsum, int factor) {
    const struct ellipsis *ellipsis = &einsum->ellipsis[factor];
    const int letters = einsum->out->tensor[factor].rank, rank = einsum->shapes->shape[factor].rank;
    if (ellipsis->word.length == 0) return true;
    if (rank < letters) {
        return scan_refuse(einsum->scan, einsum->out->tensor[factor].whole,
                           "expected a shape of %d extents or more, found one of %d", letters,
                           rank);
    }
    dots->of[factor] = rank - letters;
    if (dots->of[factor] > dots->count) dots->count = dots->of[factor];
    return true;
}

/** Returns a factor's extent in a dimension of the ellipses; -1 if it lacks the dimension. */
static int64_t dots_extent(const struct dots *dots, const struct einsum *einsum, int factor,
                           int dimension) {
    const int place = dimension - (dots->count - dots->of[factor]);
    return place < 0 ? -1
                     : einsum->shapes->shape[factor]
                           .extent[einsum->ellipsis[factor].before + place]
                           .value;
}

static bool match_dots(struct dots *dots, const struct einsum *einsum) {
    for (int d = 0; d < dots->count; d++) {
        const long long a = dots_extent(dots, einsum, TCPLAN_A, d),
                        b = dots_extent(dots, einsum, TCPLAN_B, d);
        if (a == b || a < 0 || b < 0) continue;
        if (a != 1 && b != 1) {
            return scan_refuse(
                einsum->scan, einsum->ellipsis[TCPLAN_B].word,
                "expected the extent %lld or 1 in dimension %d of '...', counted from its last one, found %lld",
                a, dots->count - d, b);
        }
        dots->left_out[a == 1 ? TCPLAN_A : TCPLAN_B][d] = true;
    }
    return true;
}

static bool is_used(const struct notation *notation, char letter) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        for (int d = 0; d < notation->tensor[t].rank; d++) {
            if (*notation->tensor[t].index[d].text == letter) return true;
        }
    }
    return false;
}

static bool name_dots(struct dots *dots, const struct einsum *einsum, struct word where) {
    int named = 0;
    for (const char *letter = alphabet; *letter && named < dots->count; letter++) {
        if (!is_used(einsum->out, *letter)) dots->index[named++] = (struct word){letter, 1};
    }
    return named == dots->count ||
           scan_refuse(einsum->scan, where,
                       "'...' represents %d indices, but only %d letters are left for them",
                       dots->count, named);
}

/** Removes an extent from a shape. */
static void remove_extent(struct shape *shape, int at) {
    memmove(&shape->extent[at], &shape->extent[at + 1],
            (size_t)(shape->rank - at - 1) * sizeof *shape->extent);
    shape->rank--;
}

/** Inserts the indices of an operand's ellipsis between its letters: all of the ellipses'
 * indices for the result; for a factor, the indices that it has. */
static void insert_dots(struct einsum *einsum, const struct dots *dots,
                        enum tcplan_operand operand) {
    struct notation_tensor *tensor = &einsum->out->tensor[operand];
    const struct notation_tensor letters = *tensor;
    const bool is_factor = operand != TCPLAN_C;
    const int before = einsum->ellipsis[operand].before;
    if (einsum->ellipsis[operand].word.length == 0) return;
    tensor->rank = before;
    for (int d = is_factor ? dots->count - dots->of[operand] : 0; d < dots->count; d++) {
        if (!is_factor || !dots->left_out[operand][d]) {
            tensor->index[tensor->rank++] = dots->index[d];
        } else {
            remove_extent(&einsum->shapes->shape[operand], tensor->rank);
        }
    }
    for (int d = before; d < letters.rank; d++) tensor->index[tensor->rank++] = letters.index[d];
}

/** Checks that a written result contains the ellipsis if it has dimensions. */
static bool check_result(const struct einsum *einsum, const struct dots *dots) {
    const struct notation_tensor *result = &einsum->out->tensor[TCPLAN_C];
    if (dots->count > 0 && einsum->ellipsis[TCPLAN_C].word.length == 0) {
        return scan_refuse(einsum->scan, result->whole,
                           "expected '...' in the result as well: it represents %d ind%s",
                           dots->count, dots->count == 1 ? "ex" : "ices");
    }
    return result->rank + dots->count <= TCPLAN_MAX_RANK ||
           scan_refuse(einsum->scan, result->whole, "the result has more than %d indices",
                       TCPLAN_MAX_RANK);
}

/** Replaces each "..." by indices. */
static bool resolve(struct einsum *einsum) {
    struct dots dots = {0};
    const struct word a = einsum->ellipsis[TCPLAN_A].word, b = einsum->ellipsis[TCPLAN_B].word,
                      first = a.length > 0 ? a : b;
    if (first.length == 0) return true;
    if (!einsum->shapes)
        return scan_refuse(einsum->scan, first,
                           "'...' needs the shapes of both operands; found none");
    for (int t = 0; t < SHAPES; t++) {
        if (!count_dots(&dots, einsum, t)) return false;
    }
    if (!match_dots(&dots, einsum) || !check_result(einsum, &dots) ||
        !name_dots(&dots, einsum, first))
        return false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) insert_dots(einsum, &dots, (enum tcplan_operand)t);
    return true;
}

bool notation_read_einsum(struct notation *out, struct scan *scan, struct tcplan_shapes *shapes) {
    struct einsum einsum = {.out = out, .scan = scan, .shapes = shapes};
    out->alpha = (struct tcplan_scalar){.re = 1};
    out->beta = (struct tcplan_scalar){0};
    return read_operands(&einsum) && resolve(&einsum);
}
