/**
 * The fields of results, in the order of the documents. Writing and reading of XML, CSV and JSON
 * are derived from these tables. Each field is a line of a table; fields that follow from others
 * are computed by a function.
 */
#ifndef TCPLAN_RESULT_FIELDS_H
#define TCPLAN_RESULT_FIELDS_H

#include "tcplan/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a field is written. */
enum { TCPLAN_FIELD_XML = 1, TCPLAN_FIELD_CSV = 2, TCPLAN_FIELD_JSON = 4 };

/** The type of a field, which determines its storage. */
enum tcplan_field_kind {
    TCPLAN_FIELD_TEXT,    /**< a const char *; "" if unknown */
    TCPLAN_FIELD_MAYBE,   /**< a const char *; NULL if unknown */
    TCPLAN_FIELD_SIZES,   /**< a const char * such as "a=4,b=5", NULL if unknown; in JSON an object
                             with a member for each index */
    TCPLAN_FIELD_ID,      /**< a char [TCPLAN_RESULT_ID_SIZE] */
    TCPLAN_FIELD_DTYPE,   /**< an enum tcplan_dtype, written as its letter */
    TCPLAN_FIELD_ORDER,   /**< an enum tcplan_order, written as `row-major` or `column-major` */
    TCPLAN_FIELD_FLAG,    /**< the member is a bool */
    TCPLAN_FIELD_INTEGER, /**< the member is an int64_t */
    TCPLAN_FIELD_COUNT,   /**< an int64_t; older documents may have a decimal number */
    TCPLAN_FIELD_NUMBER,  /**< the member is a double */
    TCPLAN_FIELD_CACHES   /**< the caches of a provenance, written as a text */
};

/** The value of a field in a record. */
struct tcplan_field_value {
    bool known;
    const char *text; /**< value of a text, size, id, type, order or cache field; otherwise NULL */
    double number;    /**< value of a number */
    int64_t integer;  /**< value of an integer, count or flag */
    char *owned;      /**< `text` if it was allocated, to be freed with free(); otherwise NULL */
    bool no_memory;
};

struct tcplan_field {
    const char *name;      /**< name of the field; NULL: end of the table */
    const char *elsewhere; /**< name in CSV and JSON; NULL: the same as `name` */
    enum tcplan_field_kind kind;
    unsigned formats;
    bool optional;   /**< whether XML omits the field if it is unknown */
    size_t offset;   /**< offset of the value in the record, in bytes */
    size_t known_by; /**< for numbers, integers and counts: offset of the member that is above 0 if
                        the field is known; 0: that of the field itself */
    struct tcplan_field_value (*derive)(const void *record); /**< computes the value; NULL: it is
                                                                stored */
    const char *says; /**< description of the field in the JSON schema */
};

/** Fields of struct tcplan_result. */
extern TCPLAN_API const struct tcplan_field tcplan_result_fields[];
/** Fields of struct tcplan_result_algorithm. */
extern TCPLAN_API const struct tcplan_field tcplan_algorithm_fields[];
/** Fields of struct tcplan_provenance. */
extern TCPLAN_API const struct tcplan_field tcplan_provenance_fields[];

/** Returns the value of a field in a record, a struct of the field's table. */
TCPLAN_API struct tcplan_field_value tcplan_field_value(const struct tcplan_field *field,
                                                        const void *record);

#ifdef __cplusplus
}
#endif

#endif
