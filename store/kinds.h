/** The kinds of entries. */
#ifndef STORE_KINDS_H
#define STORE_KINDS_H

#include <stdbool.h>

#include "store/fields.h"
#include "tcplan/store.h"

struct tcplan_experience;

/** A kind of entries. The content of an entry is lines of text, which a table of fields
 * describes, or which functions read and write. */
struct store_kind {
    const char *name;
    const char *former; /**< name of the kind in version 0.1.0, which is also accepted; NULL: the
                           same name */
    int version;        /**< version of the content; content of other versions is not read */
    int days;           /**< days after which an entry expires */
    int parts;          /**< number of leading parts of the fingerprint on which entries depend */
    int alike; /**< smaller number of these parts: if only these agree, a part of the value can be
                  used; 0: all must agree */
    bool is_exact;     /**< whether only entries of this machine matter, so that finding none is no
                          reason to search those of other machines for differences */
    bool is_expensive; /**< whether making a value takes so long that entries are never removed to
                          save space */
    bool many; /**< whether entries of this kind have a limit of their own, and do not count towards
                  the common limit */

    size_t size;                    /**< bytes of a value, which is zeroed before reading */
    const struct fields_line *line; /**< table of lines; NULL: `write` and `read` are used */

    /* Whether observations of this kind are lines of a log (store/log.h), not entries of their
     * own. Such a kind has exactly one element in `line`, for a list in struct tcplan_experience;
     * `size`, `finish`, `read` and `free` are not used. */

    /** Returns whether the values of an observation are possible. */
    bool (*can_be)(const void *observation);

    /** Adds an observation to its summary; on TCPLAN_NO_MEMORY the summary is unchanged. Adding
     * all observations of a summary to an empty one yields the same summary. NULL: the kind is not
     * in a log. */
    enum tcplan_status (*fold)(struct tcplan_experience *experience, const void *observation);

    /** Completes and checks a value after its lines were read by the table; NULL if that is not
     * needed. */
    enum tcplan_status (*finish)(void *value, struct tcplan_error *error);

    /** Prints a description of a value for users. */
    void (*print)(struct strbuf *out, const void *value);

    /** Frees a value; NULL: base_free(). */
    void (*free)(void *value);

    /** Appends the content for a value; NULL: the table `line` is used. */
    void (*write)(struct strbuf *out, const void *value);

    /** Reads content into a value; NULL: the table `line` is used. Returns TCPLAN_OK;
     * TCPLAN_INVALID with the number of the line; TCPLAN_NO_MEMORY. */
    enum tcplan_status (*read)(void *value, const char *content, size_t length,
                               struct tcplan_error *error);
};

/** Appends the content for a value. */
void kind_write(struct strbuf *out, const struct store_kind *kind, const void *value);

/** Reads content into a value. Returns TCPLAN_OK; TCPLAN_INVALID with the number of the line;
 * TCPLAN_NO_MEMORY. */
enum tcplan_status kind_read(void *value, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error);

/** Reads content and prints a description of it for users; if `out` is NULL, only reads it. Returns
 * the same status as kind_read(). */
enum tcplan_status kind_show(struct strbuf *out, const struct store_kind *kind, const char *content,
                             size_t length, struct tcplan_error *error);

/* Kinds of entries. Their values are structs from kind_ceilings.h, tcplan/costs.h,
 * tcplan/blas_cores.h, kind_models.h, plan.h and code_stored.h; for observations, a struct
 * tcplan_experience. */
extern const struct store_kind store_kind_ceilings, store_kind_costs, store_kind_blas,
    store_kind_models, store_kind_samples, store_kind_plans, store_kind_code,
    store_kind_evaluations, store_kind_kernels, store_kind_winners, store_kind_errors,
    store_kind_communication, store_kind_machine, store_kind_orders, store_kind_blocks;

/** All kinds, ended by NULL. */
extern const struct store_kind *const store_kinds[];

/** Returns the kind with this name, or former name, of `length` bytes; NULL if there is none. */
const struct store_kind *store_kind_find(const char *name, size_t length);

#endif
