/**
 * Results as tables of fields: each field is described once, and text, CSV, JSON and XML are
 * written from the description.
 */
#ifndef CLI_RENDER_FIELDS_H
#define CLI_RENDER_FIELDS_H

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"

enum field_kind {
    FIELD_TEXT,
    FIELD_INTEGER,
    FIELD_NUMBER,
    FIELD_FLAG,
    FIELD_DATE,      /**< an integer: seconds since 1970 */
    FIELD_SIZES,     /**< a text like `a=4,b=5`, in JSON an object */
    FIELD_NAMES,     /**< texts without blanks */
    FIELD_SENTENCES, /**< texts; in XML an element each */
    FIELD_NUMBERS,   /**< not in CSV */
    FIELD_OBJECT,    /**< an object, whose fields are `fields` */
    FIELD_LIST,      /**< likewise, any number of them */
    FIELD_GROUP      /**< fields of another record, as if they were fields of this one */
};

/** How a column of text shows a number. */
enum field_format {
    FIELD_PLAIN,
    FIELD_TIME,      /**< in the unit of the table */
    FIELD_SAME_UNIT, /**< likewise, but the unit is chosen for others */
    FIELD_INTERVAL,  /**< likewise, from `number` to `high` */
    FIELD_SPEED,     /**< two decimals, one from 10 on */
    FIELD_THREE,     /**< three digits */
    FIELD_DIGITS,    /**< four digits */
    FIELD_SHARE,     /**< in per cent */
    FIELD_PERCENT,   /**< likewise, with a decimal */
    FIELD_PERCENT_2, /**< with two */
    FIELD_SIGNED,    /**< likewise, and a sign */
    FIELD_RATIO,
    FIELD_RATIO_3,  /**< with three decimals */
    FIELD_EXPONENT, /**< as 1.5e-03 */
    FIELD_FACTOR,   /**< as 1.50x */
    FIELD_SECONDS,  /**< in a unit of its own, as are the others below */
    FIELD_SPAN,     /**< from `number` to `high` */
    FIELD_BYTES,
    FIELD_FLOPS
};

/** A value; the member of its kind is set. */
struct field_value {
    bool known;     /**< else documents leave it out, CSV has nothing, and text a dash */
    bool no_memory; /**< it could not be made */
    const char *text;
    int64_t integer; /**< of flags, too */
    double number, high;
    const char *const *names;
    const double *numbers;
    int count;   /**< of names and numbers */
    char *owned; /**< `text`, if it has to be freed */
};

/** Something is done with each record of a list. */
struct field_visit {
    void (*use)(struct field_visit *visit, const void *record);
    struct writer *writer; /**< where `use` prints, if it does */
    struct table *table;   /**< that it adds to, if it does */
    bool is_over;          /**< set by `use`: no more records can be written */
    bool no_memory;        /**< set by who visits: not all records could be made */
};

/** A `use` that finds out whether there is any record: it sets `is_over`. */
void field_visit_found(struct field_visit *visit, const void *record);

typedef struct field_value field_get_fn(const void *record);
typedef void field_each_fn(const void *record, struct field_visit *visit);

/** A field that is several columns of text: one of each level, platform or so of a result. */
struct field_spread {
    int (*count)(const void *result); /**< of the record that has the list */
    struct field_value (*heading)(const void *result, int of); /**< likewise, of a column, from 0 */
    struct field_value (*value)(const void *record, int of);
};

/** A field of a kind of record. Keys end in their unit, as `_seconds`. A table of fields ends with
 * one that has neither `get` nor `each`. */
struct field {
    const char *key; /**< member of JSON and XML, column of CSV; NULL: only in text */
    enum field_kind kind;
    field_get_fn *get;
    const char *says;    /**< what it is: a phrase of the documentation and the JSON schema */
    bool required;       /**< always known */
    int csv;             /**< place among the columns of CSV, from 1; 0: none */
    const char *csv_key; /**< its heading there; NULL: `key` */
    const char *columns; /**< of sizes of the outermost record: CSV ends with a column for each
                              index, whose heading begins so; NULL: none */
    int column;          /**< place among the columns of text, from 1; 0: none */
    const char *heading; /**< of text; the unit of times follows it */
    const char *(*unit)(const void *record); /**< likewise, of other numbers; NULL: none */
    enum field_format format;
    bool right;    /**< a column of texts is aligned right */
    char optional; /**< on narrow terminals, see struct table; 0: always shown, as are the first
                        and the last one of several columns */
    const struct field_spread *spread; /**< NULL: it is one column */
    bool verbose;                      /**< in text only with --verbose; on pages always */
    const char *below; /**< on pages it is a line below the value of the column with this key */
    bool code;         /**< on pages it is set as code is */
    bool (*applies)(const void *record); /**< to a table of text, or, of a list, to documents; NULL:
                                            always */
    field_get_fn *shown;                 /**< the text of a cell, on pages if the value is not
                                            known; NULL: the value */
    const char *schema;                  /**< of its value in JSON Schema; NULL: by its kind */
    const struct tcplan_word *words;     /**< a text is one of these; NULL: any */
    bool hidden; /**< documents do not have it, or what `write` writes is not in their schema */
    bool null;   /**< JSON has null where it is not known */
    /* Of objects, lists and groups. Lists that have `get` are left out where that is not known. */
    const struct field *fields;
    const char *item; /**< of lists and sentences: the element of XML */
    bool rows;        /**< CSV has lines for the object, as for those of lists */
    enum terminal_style (*style)(const void *record); /**< of the rows of a list, or of a cell */
    field_each_fn *each;                              /**< visits the record or records */
    void (*write)(struct document *, const void *record); /**< writes it; NULL: by its kind */
};

/** Defines a getter for records of a type; in `value` the record is `r`. */
#define FIELD_GETTER(type, name, value)                                                            \
    static struct field_value name(const void *record) {                                           \
        const type *r = record;                                                                    \
        (void)r;                                                                                   \
        return value;                                                                              \
    }

/** Likewise, what visits the records of a list, an object or a group: a statement with
 * FIELD_VISIT() for each of them. */
#define FIELD_EACH(type, name, statement)                                                          \
    static void name(const void *record, struct field_visit *visit) {                              \
        const type *r = record;                                                                    \
        (void)r;                                                                                   \
        statement;                                                                                 \
    }
#define FIELD_VISIT(...) visit->use(visit, __VA_ARGS__)

/**
 * Defines the table `T_fields` for records of type `struct record`. LIST(F, T) is a macro with a
 * line for each field:
 *
 *     F(T, key, KIND, value, "what it is", .member = ...)
 *
 * `value` is that of a getter; of a LIST, an OBJECT or a GROUP, the statement of FIELD_EACH().
 */
#define FIELD_TABLE(T, record, LIST)                                                               \
    typedef struct record T##_record;                                                              \
    LIST(FIELD_FUNCTION_, T) static const struct field T##_fields[] = {LIST(FIELD_LINE_, T){0}}

/** The same for other files. */
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

/** Where a field is shown, besides documents. */
#define ALWAYS .required = true
#define CSV(place) .csv = (place)
#define CSV_AS(place, name) .csv = (place), .csv_key = (name)
#define COLUMN(place, title) .column = (place), .heading = (title)

/** Constructors of values. */
struct field_value field_text(const char *text); /**< known unless it is NULL or empty */
struct field_value field_word(const char *text); /**< known, also if it is empty */
struct field_value field_owned(char *text);      /**< as field_text(); NULL: memory is out */
struct field_value field_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct field_value field_names(const char *const *names, int count);
struct field_value field_integer(int64_t integer);
struct field_value field_flag(bool flag);
struct field_value field_number(double number);
struct field_value field_positive(double number); /**< known if it is above 0 */
struct field_value field_interval(double low, double high);
struct field_value field_unknown(void);
struct field_value field_if(bool known, struct field_value value);

/** Writes the fields as members of the object that is open. */
void fields_document(struct document *document, const struct field *fields, const void *record);

/** Adds the headings of CSV, also those of nested records. */
void fields_csv_headings(struct csv_line *line, const struct field *fields, const void *record);

/** Adds the values of a record without nested ones. */
void fields_csv(struct csv_line *line, const struct field *fields, const void *record);

/** Prints a line of CSV for each of the innermost records that have columns, with the values of the
 * records around it. */
void fields_csv_print(struct writer *writer, const struct field *fields, const void *record);

/** Finds a field by its key; it is there. */
const struct field *field_named(const struct field *fields, const char *key);

/** The first column of text behind a place; NULL: there are no more. */
const struct field *fields_next_column(const struct field *fields, int place);

enum { FIELD_COLUMNS = 32 };

/** Lists the columns of text that apply to `record`, with an end; returns their number. */
int fields_columns(const struct field *out[FIELD_COLUMNS], const struct field *fields, bool verbose,
                   const void *record);

/** A value as text, to be freed; NULL: memory is out. Frees what the value owns. */
char *field_value_text(const struct field *field, struct field_value value, struct time_unit unit);

/** A table of text in the making. */
struct field_table {
    struct table table;
    struct time_unit unit;
    char alignment[FIELD_COLUMNS], optional[FIELD_COLUMNS]; /* and an end */
    const struct field *column[FIELD_COLUMNS];              /* and an end */
    int of[FIELD_COLUMNS]; /* which of a field's several columns it is */
    int count;
};

/** Begins a table, whose columns are those that apply to `record`. The table must not move. */
void fields_table_begin(struct field_table *table, const struct field *fields, bool verbose,
                        struct time_unit unit, const void *record);

/** Adds further columns behind those that it has. */
void fields_table_columns(struct field_table *table, const struct field *fields, bool verbose,
                          const void *record);

/** Adds the cells of columns `first` to in front of `end`; set table.style before. */
void fields_table_cells(struct field_table *table, int first, int end, const void *record);

/** Adds the cells of all columns; set table.style before. */
void fields_table_row(struct field_table *table, const void *record);

/** Prints a table of the records of a list: columns that apply to `record`, which has the list.
 * Times are in the unit of the shortest. */
void fields_print_list(struct writer *writer, const struct field *list, const void *record);

#endif
