#include "ast/problem/shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ast/problem/extent.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"

static struct word extent_word(struct scan *scan) {
    scan_peek(scan);
    struct word word = {scan->at, 0};
    while (extent_belongs(*scan->at) && *scan->at != 'x') scan->at++;
    return scan_since(scan, word);
}

/* extents = extent { ( "," | "x" ) extent } [ "," ] ; the last comma within brackets only, as in a
 * tuple of one */
static bool read_extents(struct shape *shape, struct scan *scan, char close) {
    do {
        const struct word word = extent_word(scan);
        int64_t value;
        if (word.length == 0 && close && shape->rank > 0 && *scan->at == close) return true;
        if (!extent_read(&value, scan, word, "an extent", 0)) return false;
        if (shape->rank == TCPLAN_MAX_RANK) {
            return scan_refuse(scan, word,
                               "extent %s is one too many: a tensor has at most %d indices",
                               scan_excerpt(word).text, TCPLAN_MAX_RANK);
        }
        shape->extent[shape->rank++] = (struct shape_extent){
            .value = value, .offset = (size_t)(word.text - scan->text), .length = word.length};
    } while (scan_accept(scan, ",") || scan_accept(scan, "x"));
    return true;
}

/* shape = extents | "(" [ extents ] ")" | "[" [ extents ] "]" */
static bool read_shape(struct shape *shape, struct scan *scan) {
    const char open = scan_peek(scan);
    const char close = open == '(' ? ')' : open == '[' ? ']' : '\0';
    const struct word start = {scan->at, 0};
    if (close) scan->at++;
    if (!(close && scan_peek(scan) == close) && !read_extents(shape, scan, close)) return false;
    if (close && scan_peek(scan) != close)
        return scan_expected(scan, close == ')' ? "',' or ')'" : "',' or ']'");
    if (close) scan->at++;
    shape->offset = (size_t)(start.text - scan->text);
    shape->length = scan_since(scan, start).length;
    return true;
}

/* shapes = [ shape [ [ "," ] shape ] ] ; the comma only after a bracket: elsewhere it continues
 * the shape */
static bool read_shapes(struct shape shape[], int count, struct scan *scan) {
    char end[48] = "the end after two shapes";
    for (int s = 0; s < count; s++) {
        if (scan_peek(scan) == '\0') {
            shape[s].offset = (size_t)(scan->at - scan->text);
            continue;
        }
        if (!read_shape(&shape[s], scan)) return false;
        if (s + 1 < count) scan_accept(scan, ",");
    }
    if (count != SHAPES) snprintf(end, sizeof end, "the end after %d shapes", count);
    return scan_peek(scan) == '\0' || scan_expected(scan, end);
}

enum tcplan_status shapes_read(struct shape shape[], int count, const char *text,
                               struct tcplan_error *error) {
    struct scan scan;
    if (!scan_init(&scan, text, error)) return scan.status;
    for (int s = 0; s < count; s++) shape[s] = (struct shape){0};
    return read_shapes(shape, count, &scan) ? TCPLAN_OK : scan.status;
}

enum tcplan_status tcplan_shapes_parse(struct tcplan_shapes **out, const char *text,
                                       struct tcplan_error *error) {
    struct tcplan_shapes *shapes = base_alloc(sizeof *shapes);
    if (!shapes) return error_no_memory(error);
    const enum tcplan_status status = shapes_read(shapes->shape, SHAPES, text, error);
    if (status == TCPLAN_OK) *out = shapes;
    if (status != TCPLAN_OK) tcplan_shapes_free(shapes);
    return status;
}

void tcplan_shapes_free(struct tcplan_shapes *shapes) {
    base_free(shapes);
}

enum tcplan_status shapes_check_rank(const struct shape *shape, const char *tensor, int rank,
                                     struct tcplan_error *error) {
    if (rank == shape->rank) return TCPLAN_OK;
    return error_at(error, TCPLAN_INVALID, shape->offset, shape->length,
                    "expected %d extent%s, one for each index of '%.40s', found %d%s", rank,
                    rank == 1 ? "" : "s", tensor, shape->rank,
                    shape->rank > rank ? " (a space ends the extents of a tensor)" : "");
}

enum tcplan_status shapes_note(int64_t *known, const struct shape *shape, int d, const char *index,
                               struct tcplan_error *error) {
    const struct shape_extent *found = &shape->extent[d];
    if (*known >= 0 && *known != found->value) {
        return error_at(error, TCPLAN_INVALID, found->offset, found->length,
                        "expected the extent %" PRId64
                        ", which index '%.40s' has already, found %" PRId64,
                        *known, index, found->value);
    }
    *known = found->value;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_shapes_sizes(struct tcplan_sizes **out,
                                       const struct tcplan_shapes *shapes,
                                       const struct tcplan_contraction *contraction,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    int64_t extent[TCPLAN_MAX_INDICES];
    for (int i = 0; i < contraction->index_count; i++) extent[i] = -1;
    for (int s = 0; s < SHAPES && status == TCPLAN_OK; s++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[s];
        status = shapes_check_rank(&shapes->shape[s], tensor->name, tensor->rank, error);
        for (int d = 0; d < tensor->rank && status == TCPLAN_OK; d++)
            status = shapes_note(&extent[tensor->dims[d]], &shapes->shape[s], d,
                                 contraction->index[tensor->dims[d]].name, error);
    }
    if (status != TCPLAN_OK) return status;
    struct strbuf text = {0};
    for (int i = 0; i < contraction->index_count; i++) {
        strbuf_add(&text, "%s%s=%" PRId64, i > 0 ? "," : "", contraction->index[i].name, extent[i]);
    }
    char *sizes = strbuf_finish(&text);
    if (!sizes) return error_no_memory(error);
    status = tcplan_sizes_parse(out, contraction, sizes, error);
    free(sizes);
    return status;
}
