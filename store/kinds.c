/* The table of kinds, and the functions that all kinds share, driven by their tables of lines. */
#include "store/kinds.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/log.h"

const struct store_kind *const store_kinds[] = {
    &store_kind_ceilings, &store_kind_costs,  &store_kind_evaluations, &store_kind_kernels,
    &store_kind_winners,  &store_kind_errors, &store_kind_models,      &store_kind_samples,
    &store_kind_plans,    &store_kind_code,   &store_kind_blas,        &store_kind_communication,
    &store_kind_machine,  &store_kind_orders, &store_kind_blocks,      NULL,
};

static bool is_name(const char *own, const char *name, size_t length) {
    return own && strlen(own) == length && memcmp(own, name, length) == 0;
}

const struct store_kind *store_kind_find(const char *name, size_t length) {
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        if (is_name((*kind)->name, name, length) || is_name((*kind)->former, name, length))
            return *kind;
    }
    return NULL;
}

void kind_write(struct strbuf *out, const struct store_kind *kind, const void *value) {
    if (kind->write) {
        kind->write(out, value);
    } else {
        fields_write_lines(out, kind->line, value);
    }
}

enum tcplan_status kind_read(void *value, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error) {
    if (kind->fold) return log_read_content(value, content, length, error);
    if (kind->read) return kind->read(value, content, length, error);
    const enum tcplan_status status = fields_read_lines(value, kind->line, content, length, error);
    return status == TCPLAN_OK && kind->finish ? kind->finish(value, error) : status;
}

enum tcplan_status kind_show(struct strbuf *out, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error) {
    void *value = kind->fold ? tcplan_experience_new() : base_alloc_zero(1, kind->size);
    if (!value) return error_no_memory(error);
    const enum tcplan_status status = kind_read(value, kind, content, length, error);
    if (status == TCPLAN_OK && out) kind->print(out, value);
    if (kind->fold) {
        tcplan_experience_free(value);
    } else if (kind->free) {
        kind->free(value);
    } else {
        base_free(value);
    }
    return status;
}
