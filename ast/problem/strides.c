#include "tcplan/strides.h"

#include <stdio.h>
#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/contraction/namesakes.h"
#include "ast/scan.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/strbuf.h"

/** The state of the parser. */
struct reader {
    struct scan scan;
    struct tcplan_contraction changed; /* the contraction with the strides read so far */
    int named[TCPLAN_TENSORS]; /* number of times each name occurred, stored at the first tensor of
                                  that name */
};

static bool is_name_start(char c) {
    return scan_is_letter(c) || c == '_';
}

/** Returns whether a character may be meant as part of a number, so that `1.5` or `10x` is
 * rejected as a whole. */
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

/** Reads a whole number; returns false if it does not fit. */
static bool value_of(struct word word, int64_t *out) {
    const int64_t sign = word.text[0] == '-' ? -1 : 1;
    *out = 0;
    for (size_t i = scan_is_digit(word.text[0]) ? 0 : 1; i < word.length; i++) {
        if (!checked_mul_i64(*out, 10, out) ||
            !checked_add_i64(*out, sign * (word.text[i] - '0'), out))
            return false;
    }
    return true;
}

/* stride = whole ; of 64 bits */
static bool read_stride(struct reader *reader, int64_t *out) {
    const struct word word = scan_run(&reader->scan, belongs_to_number);
    if (word.length == 0) return scan_expected(&reader->scan, "a stride");
    if (!is_whole(word))
        return scan_refuse(&reader->scan, word, "expected a stride as a whole number, found %s",
                           scan_excerpt(word).text);
    if (value_of(word, out)) return true;
    return scan_refuse(&reader->scan, word, "%s is beyond the largest stride",
                       scan_excerpt(word).text);
}

/* list = stride { "," stride } ; one for each index of the tensor */
static bool read_list(struct reader *reader, const struct tcplan_tensor *tensor,
                      int64_t stride[TCPLAN_MAX_RANK]) {
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
    return scan_refuse(&reader->scan, scan_since(&reader->scan, start),
                       "expected %d stride%s, one for each index of %s, found %d", tensor->rank,
                       tensor->rank == 1 ? "" : "s", scan_excerpt(word_of(tensor->name)).text,
                       count);
}

/** Reads the name of a tensor. A name that occurs again means all tensors of that name except the
 * first. */
static bool read_name(struct reader *reader, struct namesakes *out) {
    struct namesakes called = {0};
    struct word name = {NULL, 0};
    if (!namesakes_read(&called, &name, &reader->changed, &reader->scan)) return false;
    const int before = reader->named[called.tensor[0]]++;
    if (before >= called.count)
        return scan_refuse(&reader->scan, name, "tensor %s has its strides already",
                           scan_excerpt(name).text);
    *out = (struct namesakes){.count = called.count - before};
    memcpy(out->tensor, called.tensor + before, (size_t)out->count * sizeof *out->tensor);
    return true;
}

static bool set(struct reader *reader, const struct namesakes *called, const int64_t *stride) {
    for (int t = 0; t < called->count && reader->scan.status == TCPLAN_OK; t++) {
        reader->scan.status = tcplan_contraction_set_strides(&reader->changed, called->tensor[t],
                                                             stride, reader->scan.error);
    }
    return reader->scan.status == TCPLAN_OK;
}

/* group = name "=" ( "dense" | list ) */
static bool read_group(struct reader *reader) {
    struct namesakes called = {0};
    int64_t stride[TCPLAN_MAX_RANK];
    if (!read_name(reader, &called)) return false;
    if (!scan_accept(&reader->scan, "=")) return scan_expected(&reader->scan, "'=' and strides");
    const bool is_dense = scan_accept(&reader->scan, "dense");
    const struct tcplan_tensor *tensor =
        &reader->changed.tensor[called.tensor[0]]; /* tensors of one name have the same rank */
    if (!is_dense && !read_list(reader, tensor, stride)) return false;
    return set(reader, &called, is_dense ? NULL : stride);
}

/* strides = [ group { [ ";" ] group } ] */
static bool read_strides(struct reader *reader) {
    if (scan_peek(&reader->scan) == '\0') return true;
    do {
        if (!read_group(reader)) return false;
    } while (scan_accept(&reader->scan, ";") || is_name_start(scan_peek(&reader->scan)));
    return scan_peek(&reader->scan) == '\0' || scan_expected(&reader->scan, "',', ';' or the end");
}

enum tcplan_status tcplan_strides_parse(struct tcplan_contraction *contraction, const char *text,
                                        struct tcplan_error *error) {
    struct reader reader = {.changed = *contraction};
    if (!scan_init(&reader.scan, text, error) || !read_strides(&reader)) return reader.scan.status;
    memcpy(contraction->tensor, reader.changed.tensor, sizeof contraction->tensor);
    return TCPLAN_OK;
}

static void print_list(struct strbuf *out, const struct tcplan_tensor *tensor) {
    strbuf_add(out, "%s%s=", out->length > 0 ? ";" : "", tensor->name);
    if (!tensor->strided) strbuf_add(out, "dense");
    for (int d = 0; d < tensor->rank && tensor->strided; d++)
        strbuf_add(out, "%s%lld", d > 0 ? "," : "", (long long)tensor->stride[d]);
}

/** Returns whether a tensor, or another tensor of the same name, is strided. */
static bool is_listed(const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    const struct namesakes called =
        namesakes_of(contraction, word_of(contraction->tensor[operand].name));
    bool strided = false;
    for (int t = 0; t < called.count; t++)
        strided = strided || contraction->tensor[called.tensor[t]].strided;
    return strided;
}

char *tcplan_strides_text(const struct tcplan_contraction *contraction) {
    struct strbuf out = {0};
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = contraction_tensors(contraction, tensor);
    for (int t = 0; t < count; t++) {
        if (is_listed(contraction, tensor[t])) print_list(&out, &contraction->tensor[tensor[t]]);
    }
    return strbuf_finish(&out);
}
