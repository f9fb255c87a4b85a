/**
 * The table of what can be kept.
 */
#ifndef STORE_KINDS_H
#define STORE_KINDS_H

#include <stdbool.h>

#include "store/fields.h"

/** A kind of entries. Its content is lines of text: those of a table of fields, or what functions
 * write and read. */
struct store_kind {
    const char *name;
    int version; /**< of its content; others are not read */
    int days;    /**< after which an entry is too old */
    int parts;   /**< of the fingerprint that it depends on: the first ones */
    int alike;   /**< so many of them are enough for a part of a value; 0: all are needed */
    bool dear;   /**< takes so long to make that it is never removed to make room */
    bool many;   /**< its entries have a bound of their own: they are not looked at to make room for
                    others */

    bool logged; /**< its content is lines of a log (store/log.h); it has no `write` */

    size_t size;                    /**< of a value, which is read into zeros */
    const struct fields_line *line; /**< NULL: `write` and `read` */
    const char *nothing;            /**< the message where there is no line */

    /** Completes and checks what lines were read into; NULL: nothing is to be done. */
    enum tcplan_status (*finish)(void *value, struct tcplan_error *error);

    /** Appends what a value says, for people. */
    void (*print)(struct strbuf *out, const void *value);

    /** Frees a value; NULL: base_free(). */
    void (*free)(void *value);

    /** Instead of the table: appends the content for a value. */
    void (*write)(struct strbuf *out, const void *value);

    /** Instead of the table: reads content into a value; TCPLAN_OK, TCPLAN_INVALID with the line,
     * TCPLAN_NO_MEMORY. */
    enum tcplan_status (*read)(void *value, const char *content, size_t length,
                               struct tcplan_error *error);

    /** Instead of reading and `print`: as kind_show(). */
    enum tcplan_status (*show)(struct strbuf *out, const char *content, size_t length,
                               struct tcplan_error *error);
};

/** Appends the content for a value. */
void kind_write(struct strbuf *out, const struct store_kind *kind, const void *value);

/** Reads content into a value; TCPLAN_OK, TCPLAN_INVALID with the line, TCPLAN_NO_MEMORY. */
enum tcplan_status kind_read(void *value, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error);

/** Reads content and appends what it says, for people; `out` may be NULL. Status as above. */
enum tcplan_status kind_show(struct strbuf *out, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error);

/** Ceilings of a roofline, see kind_ceilings.h. */
extern const struct store_kind store_kind_ceilings;

/** What lines, pages and copies cost: a struct tcplan_costs. */
extern const struct store_kind store_kind_costs;

/** Observations: looks at algorithms, times of kernels, times of winners. A struct
 * tcplan_experience is read into. */
extern const struct store_kind store_kind_looks, store_kind_kernels, store_kind_winners;

/** Performance models and their samples, see kind_models.h. */
extern const struct store_kind store_kind_models;
extern const struct store_kind store_kind_samples;

/** Stored plans, see plan.h. */
extern const struct store_kind store_kind_plans;

/** Compiled kernels, see code_kept.h. */
extern const struct store_kind store_kind_code;

/** Trials of core types of BLAS libraries: a struct tcplan_blas_trials. */
extern const struct store_kind store_kind_blas;

/** All kinds, ended by NULL. */
extern const struct store_kind *const store_kinds[];

/** The kind with this name of `length` bytes, or NULL. */
const struct store_kind *store_kind_find(const char *name, size_t length);

#endif
