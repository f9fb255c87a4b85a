/**
 * Views: the output of a command in all formats. A view has a table of fields, which defines CSV,
 * JSON, XML and their schema, and a function that prints text.
 */
#ifndef CLI_RENDER_VIEW_H
#define CLI_RENDER_VIEW_H

#include "cli/render/fields.h"

struct named_view;

struct view {
    const char *element; /**< name of the XML root element */
    const char *says;    /**< description for the schema */
    const char *list; /**< name of the XML root element if there are several results; NULL: there is
                         always one result */
    const struct field *fields;
    void (*text)(struct writer *writer,
                 const void *record); /**< prints text; NULL: the table of the list is printed */
    void (*schema)(struct strbuf *out,
                   const struct named_view *named); /**< appends the schema; NULL: the schema is
                                                       derived from `fields` */
};

/** Defines `NAME_view` with the table of fields `T_fields`. */
#define VIEW(name, T, root, print, about)                                                          \
    const struct view name##_view = {                                                              \
        .element = (root), .says = (about), .fields = T##_fields, .text = (print)}

/** A view, and the name of its JSON schema. */
struct named_view {
    const char *name;
    const struct view *view;
};

/* clang-format off */
/** All views, as ENTRY("name of the schema", view). */
#define VIEW_LIST(ENTRY) \
    ENTRY("advise", advice) \
    ENTRY("blocked-cache", blocked_cache) \
    ENTRY("blocked-check", blocked_check) \
    ENTRY("blocked-list", blocked_list) \
    ENTRY("blocked-measure", blocked_measure) \
    ENTRY("blocked-models", blocked_models) \
    ENTRY("blocked-operations", blocked_operations) \
    ENTRY("blocked-predict", blocked_predict) \
    ENTRY("blocked-rank", blocked_rank) \
    ENTRY("blocked-trace", blocked_trace) \
    ENTRY("blocked-windows", blocked_windows) \
    ENTRY("blocks", blocks) \
    ENTRY("blocks-order", block_order) \
    ENTRY("check", conformance) \
    ENTRY("compare", compared) \
    ENTRY("distributed", distributed) \
    ENTRY("distributed-order", distributed_order) \
    ENTRY("explain", explained) \
    ENTRY("experiment", evaluation) \
    ENTRY("list", listing) \
    ENTRY("machine", host) \
    ENTRY("merge", winners) \
    ENTRY("model", models) \
    ENTRY("model-check", models_check) \
    ENTRY("model-generate", generation) \
    ENTRY("model-study", study) \
    ENTRY("order", order) \
    ENTRY("plans", plans) \
    ENTRY("portability", portability) \
    ENTRY("portability-programs", programs) \
    ENTRY("rank", ranking) \
    ENTRY("report", digests) \
    ENTRY("results", results) \
    ENTRY("roofline", roofline) \
    ENTRY("roofline-kernels", roofline_kernels) \
    ENTRY("roofline-points", roofline_points) \
    ENTRY("roofline-regions", roofline_regions) \
    ENTRY("roofline-series", roofline_series) \
    ENTRY("sample", samples) \
    ENTRY("selftest", selftest) \
    ENTRY("store", store) \
    ENTRY("trace", trace) \
    ENTRY("tune", tuning)
/* clang-format on */

#define VIEW_DECLARE(name, T) extern const struct view T##_view;
VIEW_LIST(VIEW_DECLARE)

/** All views, ended by an entry without a name. */
extern const struct named_view views[];

/** Appends the JSON schema for the documents of a view. */
void view_add_schema(struct strbuf *out, const struct named_view *named);

#endif
