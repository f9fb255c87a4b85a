/**
 * Describes results by tables of fields: one description of each field serves text, CSV, JSON and
 * XML.
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
    FIELD_SIZES,     /**< a text such as `a=4,b=5`; JSON has it as an object */
    FIELD_NAMES,     /**< a list of texts without blanks */
    FIELD_SENTENCES, /**< several texts, each of which is an element in XML */
    FIELD_NUMBERS,   /**< a list of numbers; omitted in CSV */
    FIELD_OBJECT,    /**< an object, whose fields are `fields` */
    FIELD_LIST,      /**< any number of objects */
    FIELD_GROUP      /**< fields of another record, which documents show as fields of this one */
};

/** Format of numbers in a column of text. */
enum field_format {
    FIELD_PLAIN,
    FIELD_TIME,      /**< a time in the common unit of the table */
    FIELD_SAME_UNIT, /**< like FIELD_TIME, but this column does not determine the unit */
    FIELD_INTERVAL, /**< an interval from `number` to `high`; both are printed as with FIELD_TIME */
    FIELD_SPEED,    /**< a number with two decimals; with one decimal if it is 10 or more */
    FIELD_THREE,    /**< a number with three significant digits */
    FIELD_DIGITS,   /**< a number with four significant digits */
    FIELD_SHARE,    /**< a share in per cent */
    FIELD_PERCENT,  /**< a share in per cent, with one decimal */
    FIELD_PERCENT_2, /**< a share in per cent, with two decimals */
    FIELD_SIGNED,    /**< a share in per cent, with two decimals and a sign */
    FIELD_RATIO,
    FIELD_RATIO_3,  /**< a ratio with three decimals */
    FIELD_EXPONENT, /**< a number in the form 1.5e-03 */
    FIELD_FACTOR,   /**< a factor in the form 1.50x */
    FIELD_SECONDS,  /**< a time with its own unit; the following formats have it, too */
    FIELD_SPAN,     /**< an interval, from `number` to `high` */
    FIELD_BYTES,
    FIELD_FLOPS
};

/** A value of a field. The member for its kind is set. */
struct field_value {
    bool known; /**< whether the value is known; otherwise documents omit it, CSV is empty, and text
                   has a dash */
    bool no_memory; /**< whether memory ran out */
    const char *text;
    int64_t integer; /**< value of an integer or a flag */
    double number, high;
    const char *const *names;
    const double *numbers;
    int count;   /**< number of names or numbers */
    char *owned; /**< memory to which `text` points, if it must be freed */
};

/** State of visiting the records of a list. */
struct field_visit {
    void (*use)(struct field_visit *visit, const void *record);
    struct writer *writer; /**< output, for a `use` that prints */
    struct table *table;   /**< table, for a `use` that adds rows */
    bool is_over;   /**< whether `use` ended the visit, because no more records can be written */
    bool no_memory; /**< whether memory ran out for some records; set by the visiting function */
};

/** A `use` that only sets `is_over`, to test whether a list has records. */
void field_visit_found(struct field_visit *visit, const void *record);

typedef struct field_value field_get_fn(const void *record);
typedef void field_each_fn(const void *record, struct field_visit *visit);

/** A field with several text columns, for example one for each level or platform of a result. */
struct field_spread {
    int (*count)(const void *result); /**< returns the number of columns; `result` is the record
                                         with the list */
    struct field_value (*heading)(const void *result, int of); /**< returns the heading of column
                                                                  `of`, counted from 0 */
    struct field_value (*value)(const void *record, int of);
};

/** A field of a record. Keys end with the unit, such as `_seconds`. A table of fields ends with a
 * field that has neither `get` nor `each`. */
struct field {
    const char *key; /**< name of the JSON and XML member, and of the CSV column; NULL: only in text
                      */
    enum field_kind kind;
    field_get_fn *get;
    const char *says;    /**< description for the documentation and the JSON schema */
    bool required;       /**< whether the value is always known */
    int csv;             /**< position of the CSV column, from 1; 0: no column */
    const char *csv_key; /**< heading of the CSV column; NULL: `key` */
    const char *columns; /**< prefix of the headings of additional CSV columns, one for each index
                            of the outer record's sizes; NULL: no such columns */
    int column;          /**< position of the text column, from 1; 0: no column */
    const char *heading; /**< heading of the text column; headings of times get the unit appended */
    const char *(*unit)(const void *record); /**< returns a unit that is appended to the heading of
                                                other numbers; NULL: none */
    enum field_format format;
    bool right;    /**< whether a column of texts is aligned to the right */
    char optional; /**< priority with which a narrow terminal omits the column, see struct table; 0:
                      never */
    const struct field_spread *spread; /**< columns of a field with several columns; NULL: it has
                                          one column */
    bool verbose;      /**< whether text has the column only with --verbose; pages always have it */
    const char *below; /**< on pages, key of the column under whose value this value is shown; NULL:
                          own column */
    bool code;         /**< whether pages format the value as code */
    bool (*applies)(const void *record); /**< returns whether a text table contains the field, or
                                            documents the list; NULL: always */
    field_get_fn *shown; /**< returns the text of a cell, on pages only if the value is unknown;
                            NULL: the value itself */
    const char *schema;  /**< JSON Schema of the value; NULL: the schema of its kind */
    const struct tcplan_word *words; /**< the words that the text may have; NULL: any text */
    bool hidden; /**< whether documents omit the field, or `write` writes it without an entry in the
                    schema */
    bool null;   /**< whether JSON contains null if the value is unknown */
    /* Fields of objects, lists and groups. A list that has `get` is omitted if the value of `get`
     * is unknown. */
    const struct field *fields;
    const char *item; /**< name of the XML element for each record or text */
    bool rows;        /**< whether CSV has lines for an object, as it has for lists */
    enum terminal_style (*style)(const void *record); /**< returns the style of the rows of a list,
                                                         or the style of a cell */
    field_each_fn *each; /**< visits the record of an object or group, or all records of a list */
    void (*write)(struct document *,
                  const void *record); /**< writes the field to a document; NULL: the kind
                                          determines how it is written */
};

/** Define functions for records of a type: a getter, a test, a unit, a style. In the expression
 * `value`, the record is `r`. */
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

/** Defines the function that visits the records of a list, an object or a group; `statement` calls
 * FIELD_VISIT() for each record. */
#define FIELD_EACH(type, name, statement)                                                          \
    static void name(const void *record, struct field_visit *visit) {                              \
        const type *r = record;                                                                    \
        (void)r;                                                                                   \
        statement;                                                                                 \
    }
#define FIELD_VISIT(...) visit->use(visit, __VA_ARGS__)
/** Visits several records; each is an expression of `i`. */
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

/** Does the same as FIELD_TABLE(), with external linkage. */
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

/** Returns the word for a number in a list of <tcplan/study/words.h>. */
#define FIELD_WORD(list, number) field_text(tcplan_word(tcplan_words_##list, (int)(number)))

/** Marks a field that every document has. */
#define ALWAYS .required = true
#define CSV(place) .csv = (place)
#define CSV_AS(place, name) .csv = (place), .csv_key = (name)
#define COLUMN(place, title) .column = (place), .heading = (title)

/** Constructors of values. */
struct field_value field_text(const char *text); /**< Returns a text value; unknown if the text is
                                                    NULL or empty. */
struct field_value field_word(const char *text); /**< Returns a text value that is known even if the
                                                    text is empty. */
struct field_value field_owned(char *text); /**< Returns a text value that owns the text; unknown if
                                               it is empty. NULL means that memory ran out. */
struct field_value field_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct field_value field_names(const char *const *names, int count);
struct field_value field_integer(int64_t integer);
struct field_value field_flag(bool flag);
struct field_value field_number(double number);
struct field_value field_positive(double number); /**< the value is known if the number is above 0
                                                   */
struct field_value field_interval(double low, double high);
struct field_value field_unknown(void);
struct field_value field_if(bool known, struct field_value value);

/** Writes the fields as members of the open object. */
void fields_document(struct document *document, const struct field *fields, const void *record);

/** Appends the headings of the CSV columns, including those of inner records. */
void fields_csv_headings(struct csv_line *line, const struct field *fields, const void *record);

/** Appends the CSV values of a record, but not those of inner records. */
void fields_csv(struct csv_line *line, const struct field *fields, const void *record);

/** Prints a line of CSV for each innermost record. The line includes the values of the records that
 * contain it. */
void fields_csv_print(struct writer *writer, const struct field *fields, const void *record);

/** Returns the field with a key, which must exist. */
const struct field *field_named(const struct field *fields, const char *key);

/** Returns the next text column after position `place`; NULL if there is none. */
const struct field *fields_next_column(const struct field *fields, int place);

enum { FIELD_COLUMNS = 40 };

/** Lists the text columns that apply to `record`; the list ends with NULL. Returns their number. */
int fields_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields, bool verbose,
                   const void *record);

/** Returns a value as text, which the caller frees, and frees the value's own memory; NULL if
 * memory runs out. */
char *field_value_text(const struct field *field, struct field_value value, struct time_unit unit);

/** State of a text table of records while rows are added. */
struct field_table {
    struct table table;
    struct time_unit unit;
    char alignment[FIELD_COLUMNS],
        optional[FIELD_COLUMNS]; /* one character for each column, then a terminator */
    const struct field *column[FIELD_COLUMNS]; /* NULL-terminated */
    int of[FIELD_COLUMNS]; /* for each column, its number among the columns of its field */
    int count;
};

/** Begins a table with the columns that apply to `record`. The struct must not be copied
 * afterwards. */
void fields_table_begin(struct field_table *table, const struct field *fields, bool verbose,
                        struct time_unit unit, const void *record);

/** Appends the columns of `fields` to a table. */
void fields_table_columns(struct field_table *table, const struct field *fields, bool verbose,
                          const void *record);

/** Adds the cells of the columns from `first` to before `end`. Set table.style before the call. */
void fields_table_cells(struct field_table *table, int first, int end, const void *record);

/** Adds the cells of all columns of a row. Set table.style before the call. */
void fields_table_row(struct field_table *table, const void *record);

/** Prints the records of a list that belongs to `record` as a table, with the columns that apply to
 * `record`. All times have the unit of the shortest one. */
void fields_print_list(struct writer *writer, const struct field *list, const void *record);

#endif
