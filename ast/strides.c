#include "tcplan/strides.h"

#include <stdio.h>
#include <string.h>

#include "ast/scan.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/strbuf.h"

/** A parser of strides at work. */
struct reader {
    struct scan scan;
    struct tcplan_contraction changed; /* what becomes of the contraction */
    int named[TCPLAN_OPERANDS];        /* how often a name was there, by the first tensor that has it */
};

static bool is_name_start(char c) {
    return scan_is_letter(c) || c == '_';
}

/** What may be meant as a number, so that `1.5` or `10x` is refused as a whole. */
static bool belongs_to_number(char c) {
    return scan_is_name(c) || c == '.' || c == '-' || c == '+';
}

/* whole = [ "-" | "+" ] digit { digit } */
static bool is_whole(struct word word) {
    const size_t sign = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+') ? 1 : 0;
    for (size_t i = sign; i < word.length; i++) {
        if (!scan_is_digit(word.text[i])) return false;
    }
    return word.length > sign;
}

/** The value of a whole number; false where it does not fit. */
static bool value_of(struct word word, int64_t *out) {
    const int64_t sign = word.text[0] == '-' ? -1 : 1;
    *out = 0;
    for (size_t i = scan_is_digit(word.text[0]) ? 0 : 1; i < word.length; i++) {
        if (!checked_mul_i64(*out, 10, out) || !checked_add_i64(*out, sign * (word.text[i] - '0'), out)) return false;
    }
    return true;
}

/* stride = whole ; of 64 bits */
static bool read_stride(struct reader *reader, int64_t *out) {
    const struct word word = scan_run(&reader->scan, belongs_to_number);
    if (word.length == 0) return scan_expected(&reader->scan, "a stride");
    if (!is_whole(word)) return scan_refuse(&reader->scan, word, "expected a stride as a whole number, found %s", scan_excerpt(word).text);
    if (value_of(word, out)) return true;
    return scan_refuse(&reader->scan, word, "%s is beyond the largest stride", scan_excerpt(word).text);
}

/* list = stride { "," stride } ; one for each index of the tensor */
static bool read_list(struct reader *reader, const struct tcplan_tensor *tensor, int64_t stride[TCPLAN_MAX_RANK]) {
    int count = 0;
    scan_peek(&reader->scan);
    const struct word start = {reader->scan.at, 0};
    do {
        int64_t own = 0;
        if (!read_stride(reader, &own)) return false;
        if (count < TCPLAN_MAX_RANK) stride[count] = own;
        count++;
    } while (scan_accept(&reader->scan, ","));
    if (count == tensor->rank) return true;
    return scan_refuse(&reader->scan, scan_since(&reader->scan, start), "expected %d stride%s, one for each index of %s, found %d",
                       tensor->rank, tensor->rank == 1 ? "" : "s", scan_excerpt(word_of(tensor->name)).text, count);
}

/** The first tensor of this name. */
static int find_tensor(const struct reader *reader, struct word name) {
    int operand = 0;
    while (operand < TCPLAN_OPERANDS && !word_equal(word_of(reader->changed.tensor[operand].name), name)) operand++;
    return operand;
}

/** Whether both factors have this name. */
static bool is_of_both(const struct reader *reader, struct word name) {
    return word_equal(word_of(reader->changed.tensor[TCPLAN_A].name), name) &&
           word_equal(word_of(reader->changed.tensor[TCPLAN_B].name), name);
}

/* name = ( letter | "_" ) { letter | digit | "_" } ; one of the contraction's tensors */
static bool read_name(struct reader *reader, struct word *name, int *operand) {
    const struct tcplan_tensor *tensor = reader->changed.tensor;
    if (!is_name_start(scan_peek(&reader->scan))) return scan_expected(&reader->scan, "the name of a tensor");
    *name = scan_run(&reader->scan, scan_is_name);
    *operand = find_tensor(reader, *name);
    if (*operand == TCPLAN_OPERANDS) {
        return scan_refuse(&reader->scan, *name, "the contraction has no tensor %s; its tensors: %.60s, %.60s and %.60s",
                           scan_excerpt(*name).text, tensor[TCPLAN_A].name, tensor[TCPLAN_B].name, tensor[TCPLAN_C].name);
    }
    const int before = reader->named[*operand]++;
    const bool is_second = before == 1 && is_of_both(reader, *name);
    if (is_second) *operand = TCPLAN_B;
    if (before == 0 || is_second) return true;
    return scan_refuse(&reader->scan, *name, "tensor %s has its strides already", scan_excerpt(*name).text);
}

static bool set(struct reader *reader, int operand, const int64_t *stride) {
    reader->scan.status = tcplan_contraction_set_strides(&reader->changed, (enum tcplan_operand)operand, stride, reader->scan.error);
    return reader->scan.status == TCPLAN_OK;
}

/* group = name "=" ( "dense" | list ) */
static bool read_group(struct reader *reader) {
    struct word name = {NULL, 0};
    int operand = 0;
    int64_t stride[TCPLAN_MAX_RANK];
    if (!read_name(reader, &name, &operand)) return false;
    if (!scan_accept(&reader->scan, "=")) return scan_expected(&reader->scan, "'=' and strides");
    const bool is_dense = scan_accept(&reader->scan, "dense");
    const struct tcplan_tensor *tensor = &reader->changed.tensor[operand];
    if (!is_dense && !read_list(reader, tensor, stride)) return false;
    const bool both = operand == TCPLAN_A && is_of_both(reader, name); /* of the same rank, too */
    return set(reader, operand, is_dense ? NULL : stride) && (!both || set(reader, TCPLAN_B, is_dense ? NULL : stride));
}

/* strides = [ group { [ ";" ] group } ] */
static bool read_strides(struct reader *reader) {
    if (scan_peek(&reader->scan) == '\0') return true;
    do {
        if (!read_group(reader)) return false;
    } while (scan_accept(&reader->scan, ";") || is_name_start(scan_peek(&reader->scan)));
    return scan_peek(&reader->scan) == '\0' || scan_expected(&reader->scan, "',', ';' or the end");
}

enum tcplan_status tcplan_strides_parse(struct tcplan_contraction *contraction, const char *text, struct tcplan_error *error) {
    struct reader reader = {.changed = *contraction};
    if (!scan_init(&reader.scan, text, error) || !read_strides(&reader)) return reader.scan.status;
    memcpy(contraction->tensor, reader.changed.tensor, sizeof contraction->tensor);
    return TCPLAN_OK;
}

static void print_list(struct strbuf *out, const struct tcplan_tensor *tensor) {
    strbuf_add(out, "%s%s=", out->length > 0 ? ";" : "", tensor->name);
    if (!tensor->strided) strbuf_add(out, "dense");
    for (int d = 0; d < tensor->rank && tensor->strided; d++) strbuf_add(out, "%s%lld", d > 0 ? "," : "", (long long)tensor->stride[d]);
}

char *tcplan_strides_text(const struct tcplan_contraction *contraction) {
    const struct tcplan_tensor *tensor = contraction->tensor;
    const bool same_name = strcmp(tensor[TCPLAN_A].name, tensor[TCPLAN_B].name) == 0;
    struct strbuf out = {0};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool with_peer = same_name && t != TCPLAN_C && (tensor[TCPLAN_A].strided || tensor[TCPLAN_B].strided);
        if (tensor[t].strided || with_peer) print_list(&out, &tensor[t]);
    }
    return strbuf_finish(&out);
}
