/**
 * The fields of results, in the order in which documents have them: from which the XML of a
 * document, its reader, CSV and JSON are derived. A field is one line of a table, and one that
 * follows from others has a function.
 */
#ifndef TCPLAN_RESULT_FIELDS_H
#define TCPLAN_RESULT_FIELDS_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a field is written. */
enum { TCPLAN_FIELD_XML = 1, TCPLAN_FIELD_CSV = 2, TCPLAN_FIELD_JSON = 4 };

/** The type of a field and its storage. */
enum tcplan_field_kind {
    TCPLAN_FIELD_TEXT,    /**< a const char *; "" if it is unknown */
    TCPLAN_FIELD_MAYBE,   /**< a const char *; NULL if it is unknown */
    TCPLAN_FIELD_SIZES,   /**< likewise "a=4,b=5", in JSON an object with a member for each index */
    TCPLAN_FIELD_ID,      /**< a char [TCPLAN_RESULT_ID_SIZE] */
    TCPLAN_FIELD_DTYPE,   /**< an enum tcplan_dtype, told by its letter */
    TCPLAN_FIELD_ORDER,   /**< an enum tcplan_order, told as `row-major` or `column-major` */
    TCPLAN_FIELD_FLAG,    /**< a bool */
    TCPLAN_FIELD_INTEGER, /**< an int64_t */
    TCPLAN_FIELD_COUNT,   /**< an int64_t that older documents may have as a decimal number */
    TCPLAN_FIELD_NUMBER,  /**< a double */
    TCPLAN_FIELD_CACHES   /**< the caches of a provenance: a text */
};

/** The value of a field in a record. */
struct tcplan_field_value {
    bool known;
    const char *text; /**< of texts, sizes, ids, types, orders and caches; else NULL */
    double number;    /**< of numbers */
    int64_t integer;  /**< of integers, counts and flags */
    char *owned;      /**< `text`, if it was made for this; to be freed with free() */
    bool no_memory;
};

struct tcplan_field {
    const char *name;      /**< NULL ends a table */
    const char *elsewhere; /**< its name in CSV and JSON; NULL: the same */
    enum tcplan_field_kind kind;
    unsigned formats;
    bool optional;   /**< XML leaves it out if it is unknown */
    size_t offset;   /**< in its struct */
    size_t known_by; /**< of numbers, integers and counts: offset of the one that is above 0 if it
                        is known; 0: its own */
    struct tcplan_field_value (*derive)(const void *record); /**< NULL: it is stored */
    const char *says; /**< what it is: a phrase of the JSON schema */
};

/** Fields of struct tcplan_result. */
extern TCPLAN_API const struct tcplan_field tcplan_result_fields[];
/** Fields of struct tcplan_result_algorithm. */
extern TCPLAN_API const struct tcplan_field tcplan_algorithm_fields[];
/** Fields of struct tcplan_provenance. */
extern TCPLAN_API const struct tcplan_field tcplan_provenance_fields[];

/** The value of a field; `record` is the struct of its table. */
TCPLAN_API struct tcplan_field_value tcplan_field_value(const struct tcplan_field *field,
                                                        const void *record);

#ifdef __cplusplus
}
#endif

#endif
