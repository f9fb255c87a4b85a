/**
 * Results as tables of fields: one description of each field serves text, CSV, JSON and XML.
 */
#ifndef CLI_RENDER_FIELDS_H
#define CLI_RENDER_FIELDS_H

#include "base/quantity.h"
#include "cli/render/format.h"
#include "cli/render/text/table.h"
#include "cli/render/text/values.h"

enum field_kind {
    FIELD_TEXT,
    FIELD_INTEGER,
    FIELD_NUMBER,
    FIELD_FLAG,
    FIELD_DATE,      /**< an integer: seconds since 1970 */
    FIELD_SIZES,     /**< a text like `a=4,b=5`, in JSON an object */
    FIELD_NAMES,     /**< texts without blanks */
    FIELD_SENTENCES, /**< texts; in XML one element each */
    FIELD_NUMBERS,   /**< not in CSV */
    FIELD_OBJECT,    /**< an object, whose fields are `fields` */
    FIELD_LIST,      /**< any number of objects */
    FIELD_GROUP      /**< fields of another record, merged into this one */
};

/** Format of numbers in a column of text. */
enum field_format {
    FIELD_PLAIN,
    FIELD_TIME,      /**< in the unit of the table */
    FIELD_SAME_UNIT, /**< as FIELD_TIME, but does not influence the unit */
    FIELD_INTERVAL,  /**< as FIELD_TIME, from `number` to `high` */
    FIELD_SPEED,     /**< two decimals, or one from 10 */
    FIELD_THREE,     /**< three digits */
    FIELD_DIGITS,    /**< four digits */
    FIELD_SHARE,     /**< in per cent */
    FIELD_PERCENT,   /**< in per cent with one decimal */
    FIELD_PERCENT_2, /**< with two decimals */
    FIELD_SIGNED,    /**< in per cent with two decimals and a sign */
    FIELD_RATIO,
    FIELD_RATIO_3,  /**< with three decimals */
    FIELD_EXPONENT, /**< as 1.5e-03 */
    FIELD_FACTOR,   /**< as 1.50x */
    FIELD_SECONDS,  /**< with its own unit, as the following formats */
    FIELD_SPAN,     /**< from `number` to `high` */
    FIELD_BYTES,
    FIELD_FLOPS
};

/** A value; the member of its kind is set. */
struct field_value {
    bool known;     /**< else documents omit it, CSV is empty, and text has a dash */
    bool no_memory; /**< out of memory */
    const char *text;
    int64_t integer; /**< also of flags */
    double number, high;
    const char *const *names;
    const double *numbers;
    int count;   /**< of names and numbers */
    char *owned; /**< `text`, if it must be freed */
};

/** A visit of each record of a list. */
struct field_visit {
    void (*use)(struct field_visit *visit, const void *record);
    struct writer *writer; /**< for a `use` that prints */
    struct table *table;   /**< for a `use` that adds rows */
    bool is_over;          /**< set by `use`: no more records can be written */
    bool no_memory;        /**< set by the visiting function: out of memory for some records */
};

/** A `use` that tests whether there is any record: sets `is_over`. */
void field_visit_found(struct field_visit *visit, const void *record);

typedef struct field_value field_get_fn(const void *record);
typedef void field_each_fn(const void *record, struct field_visit *visit);

/** A field with several columns of text, for example one for each level or platform of a result. */
struct field_spread {
    int (*count)(const void *result);                          /**< of the record with the list */
    struct field_value (*heading)(const void *result, int of); /**< of a column, from 0 */
    struct field_value (*value)(const void *record, int of);
};

/** A field of a kind of record. Keys end in their unit, as `_seconds`. The last field of a table
 * has neither `get` nor `each`. */
struct field {
    const char *key; /**< member of JSON and XML, column of CSV; NULL: only in text */
    enum field_kind kind;
    field_get_fn *get;
    const char *says;    /**< its description in the documentation and the JSON schema */
    bool required;       /**< always known */
    int csv;             /**< position among the columns of CSV, from 1; 0: none */
    const char *csv_key; /**< its heading there; NULL: `key` */
    const char *columns; /**< of sizes of the outer record: prefix of the headings of further CSV
                            columns, one for each index; NULL: none */
    int column;          /**< position among the columns of text, from 1; 0: none */
    const char *heading; /**< of text; the unit of times follows it */
    const char *(*unit)(const void *record); /**< follows the heading of other numbers; NULL: none
                                              */
    enum field_format format;
    bool right;    /**< a column of texts is aligned right */
    char optional; /**< on narrow terminals, see struct table; 0: always shown, as are the first and
                      last of several columns */
    const struct field_spread *spread; /**< NULL: one column */
    bool verbose;                      /**< in text only with --verbose; on pages always */
    const char *below; /**< on pages, a line below the value of the column with this key */
    bool code;         /**< on pages, set as code */
    bool (*applies)(const void *record); /**< to a table of text or, for a list, to documents; NULL:
                                            always */
    field_get_fn *shown; /**< the text of a cell, on pages only if the value is unknown; NULL: the
                            value */
    const char *schema;  /**< of its value in JSON Schema; NULL: from its kind */
    const struct tcplan_word *words; /**< a text is one of these; NULL: any */
    bool hidden; /**< not in documents, or written by `write` but not in their schema */
    bool null;   /**< JSON has null if it is unknown */
    /* Of objects, lists and groups. Lists with `get` are omitted if its value is unknown. */
    const struct field *fields;
    const char *item; /**< of lists and sentences: the element of XML */
    bool rows;        /**< CSV has lines for the object, as for lists */
    enum terminal_style (*style)(const void *record); /**< style of the rows of a list, or of a cell
                                                       */
    field_each_fn *each;                              /**< visits the record or records */
    void (*write)(struct document *, const void *record); /**< writes it; NULL: from its kind */
};

/** Define a getter, a test, a unit and a style for records of a type; in `value` the record is `r`.
 */
#define FIELD_OF_(result, type, name, value)                                                       \
    static result name(const void *record) {                                                       \
        const type *r = record;                                                                    \
        (void)r;                                                                                   \
        return value;                                                                              \
    }
#define FIELD_GETTER(type, name, value) FIELD_OF_(struct field_value, type, name, value)
#define FIELD_TEST(type, name, value) FIELD_OF_(bool, type, name, value)
#define FIELD_UNIT(type, name, value) FIELD_OF_(const char *, type, name, value)
#define FIELD_STYLE(type, name, value) FIELD_OF_(enum terminal_style, type, name, value)

/** Defines the visit of the records of a list, an object or a group: a statement with FIELD_VISIT()
 * for each of them. */
#define FIELD_EACH(type, name, statement)                                                          \
    static void name(const void *record, struct field_visit *visit) {                              \
        const type *r = record;                                                                    \
        (void)r;                                                                                   \
        statement;                                                                                 \
    }
#define FIELD_VISIT(...) visit->use(visit, __VA_ARGS__)
/** Visits several records, each an expression of `i`. */
#define FIELD_VISIT_ALL(count, ...)                                                                \
    for (int64_t i = 0; i < (int64_t)(count); i++) FIELD_VISIT(__VA_ARGS__)

/**
 * Defines the table `T_fields` for records of type `struct record`. LIST(F, T) is a macro with a
 * line for each field:
 *
 *     F(T, key, KIND, value, "description", .member = ...)
 *
 * `value` is the expression of FIELD_GET(), or for a LIST, an OBJECT or a GROUP the statement of
 * FIELD_EACH().
 */
#define FIELD_TABLE(T, record, LIST)                                                               \
    typedef struct record T##_record;                                                              \
    LIST(FIELD_FUNCTION_, T) static const struct field T##_fields[] = {LIST(FIELD_LINE_, T){0}}

/** The same with external linkage. */
#define FIELD_TABLE_SHARED(T, record, LIST)                                                        \
    typedef struct record T##_record;                                                              \
    LIST(FIELD_FUNCTION_, T) const struct field T##_fields[] = {LIST(FIELD_LINE_, T){0}}

#define FIELD_LINE_(T, key, kind, value, ...)                                                      \
    {#key, FIELD_##kind,                                                                           \
     _Generic(&T##_##key##_, field_get_fn *                                                        \
              : T##_##key##_, default                                                              \
              : NULL),                                                                             \
     __VA_ARGS__,                                                                                  \
     .each = _Generic(&T##_##key##_, field_each_fn *                                               \
                      : T##_##key##_, default                                                      \
                      : NULL)},
#define FIELD_FUNCTION_(T, key, kind, value, ...)                                                  \
    FIELD_FUNCTION_##kind(T##_record, T##_##key##_, value)
#define FIELD_FUNCTION_TEXT FIELD_GETTER
#define FIELD_FUNCTION_INTEGER FIELD_GETTER
#define FIELD_FUNCTION_NUMBER FIELD_GETTER
#define FIELD_FUNCTION_FLAG FIELD_GETTER
#define FIELD_FUNCTION_DATE FIELD_GETTER
#define FIELD_FUNCTION_SIZES FIELD_GETTER
#define FIELD_FUNCTION_NAMES FIELD_GETTER
#define FIELD_FUNCTION_SENTENCES FIELD_GETTER
#define FIELD_FUNCTION_NUMBERS FIELD_GETTER
#define FIELD_FUNCTION_OBJECT FIELD_EACH
#define FIELD_FUNCTION_LIST FIELD_EACH
#define FIELD_FUNCTION_GROUP FIELD_EACH

/** The word of a list of <tcplan/study/words.h> for a number. */
#define FIELD_WORD(list, number) field_text(tcplan_word(tcplan_words_##list, (int)(number)))

/** Columns of a field, in addition to documents. */
#define ALWAYS .required = true
#define CSV(place) .csv = (place)
#define CSV_AS(place, name) .csv = (place), .csv_key = (name)
#define COLUMN(place, title) .column = (place), .heading = (title)

/** Constructors of values. */
struct field_value field_text(const char *text); /**< known unless NULL or empty */
struct field_value field_word(const char *text); /**< known even if empty */
struct field_value field_owned(char *text);      /**< as field_text(); NULL: out of memory */
struct field_value field_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct field_value field_names(const char *const *names, int count);
struct field_value field_integer(int64_t integer);
struct field_value field_flag(bool flag);
struct field_value field_number(double number);
struct field_value field_positive(double number); /**< known if above 0 */
struct field_value field_interval(double low, double high);
struct field_value field_unknown(void);
struct field_value field_if(bool known, struct field_value value);

/** Writes the fields as members of the open object. */
void fields_document(struct document *document, const struct field *fields, const void *record);

/** Adds the headings of CSV, including those of nested records. */
void fields_csv_headings(struct csv_line *line, const struct field *fields, const void *record);

/** Adds the values of a record without nested ones. */
void fields_csv(struct csv_line *line, const struct field *fields, const void *record);

/** Prints a line of CSV for each innermost record with columns, with the values of the enclosing
 * records. */
void fields_csv_print(struct writer *writer, const struct field *fields, const void *record);

/** Finds a field by its key, which must exist. */
const struct field *field_named(const struct field *fields, const char *key);

/** Returns the next column of text after a position; NULL: no more. */
const struct field *fields_next_column(const struct field *fields, int place);

enum { FIELD_COLUMNS = 40 };

/** Lists the columns of text that apply to `record`, NULL-terminated; returns their number. */
int fields_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields, bool verbose,
                   const void *record);

/** Returns a value as text, which the caller frees; NULL: out of memory. Frees memory of the value.
 */
char *field_value_text(const struct field *field, struct field_value value, struct time_unit unit);

/** A table of text under construction. */
struct field_table {
    struct table table;
    struct time_unit unit;
    char alignment[FIELD_COLUMNS], optional[FIELD_COLUMNS]; /* with a terminator */
    const struct field *column[FIELD_COLUMNS];              /* NULL-terminated */
    int of[FIELD_COLUMNS];                                  /* index among the columns of a field */
    int count;
};

/** Begins a table with the columns that apply to `record`. The table must not move. */
void fields_table_begin(struct field_table *table, const struct field *fields, bool verbose,
                        struct time_unit unit, const void *record);

/** Appends columns. */
void fields_table_columns(struct field_table *table, const struct field *fields, bool verbose,
                          const void *record);

/** Adds the cells of columns `first` to `end`, exclusive; set table.style before. */
void fields_table_cells(struct field_table *table, int first, int end, const void *record);

/** Adds the cells of all columns; set table.style before. */
void fields_table_row(struct field_table *table, const void *record);

/** Prints a table of the records of a list, with the columns that apply to `record`, which has the
 * list. All times have the unit of the shortest. */
void fields_print_list(struct writer *writer, const struct field *list, const void *record);

#endif
