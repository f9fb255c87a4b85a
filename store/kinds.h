/** The kinds of entries. */
#ifndef STORE_KINDS_H
#define STORE_KINDS_H

#include <stdbool.h>

#include "store/fields.h"
#include "tcplan/store.h"

struct tcplan_experience;

/** A kind of entries. Its content is lines of text, described by a table of fields or read and
 * written by functions. */
struct store_kind {
    const char *name;
    const char *former; /**< its name in version 0.1.0, also accepted; NULL: the same */
    int version;        /**< of its content; other versions are not read */
    int days;           /**< the age after which an entry expires */
    int parts;          /**< the number of leading fingerprint parts that it depends on */
    int alike;          /**< how many of them suffice for a part of the value; 0: all are needed */
    bool is_expensive;  /**< so expensive to make that it is never removed to make room */
    bool many; /**< its entries have a separate limit: they do not count when others make room */

    size_t size;                    /**< of a value, which is read into zeros */
    const struct fields_line *line; /**< NULL: `write` and `read` */

    /* For kinds in a log (store/log.h), a line for each observation: the table has that one
     * line, of a struct tcplan_experience; value, size, reading and freeing are those of the log.
     */

    /** Whether the values of an observation are possible. */
    bool (*can_be)(const void *observation);

    /** Adds an observation to its summary; on TCPLAN_NO_MEMORY the summary is unchanged. Folding
     * a summary yields the same summary. NULL: the kind is not in a log. */
    enum tcplan_status (*fold)(struct tcplan_experience *experience, const void *observation);

    /** Completes and checks a value after its lines were read; NULL: nothing to do. */
    enum tcplan_status (*finish)(void *value, struct tcplan_error *error);

    /** Prints a value for people. */
    void (*print)(struct strbuf *out, const void *value);

    /** Frees a value; NULL: base_free(). */
    void (*free)(void *value);

    /** In place of the table: appends the content for a value. */
    void (*write)(struct strbuf *out, const void *value);

    /** In place of the table: reads content into a value; TCPLAN_OK, TCPLAN_INVALID with the
     * line, TCPLAN_NO_MEMORY. */
    enum tcplan_status (*read)(void *value, const char *content, size_t length,
                               struct tcplan_error *error);
};

/** Appends the content for a value. */
void kind_write(struct strbuf *out, const struct store_kind *kind, const void *value);

/** Reads content into a value; TCPLAN_OK, TCPLAN_INVALID with the line, TCPLAN_NO_MEMORY. */
enum tcplan_status kind_read(void *value, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error);

/** Reads content and prints it for people; `out` may be NULL. Status as above. */
enum tcplan_status kind_show(struct strbuf *out, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error);

/* Values are structs of kind_ceilings.h, tcplan/costs.h, tcplan/blas_cores.h, kind_models.h, plan.h
 * and code_stored.h; of observations a struct tcplan_experience. */
extern const struct store_kind store_kind_ceilings, store_kind_costs, store_kind_blas,
    store_kind_models, store_kind_samples, store_kind_plans, store_kind_code,
    store_kind_evaluations, store_kind_kernels, store_kind_winners, store_kind_errors;

/** All kinds, ended by NULL. */
extern const struct store_kind *const store_kinds[];

/** Returns the kind with this name, or former name, of `length` bytes; NULL if there is none. */
const struct store_kind *store_kind_find(const char *name, size_t length);

#endif
