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
    FIELD_NAMES,   /**< texts without blanks */
    FIELD_NUMBERS, /**< not in CSV */
    FIELD_LIST     /**< objects, which `write` writes; in CSV the text of the value, if any */
};

/** How a column of text shows a number. */
enum field_format {
    FIELD_PLAIN,
    FIELD_TIME,     /**< in the unit of the table */
    FIELD_INTERVAL, /**< likewise, from `number` to `high` */
    FIELD_SPEED,    /**< three digits */
    FIELD_SHARE,    /**< in per cent */
    FIELD_RATIO,
    FIELD_FACTOR /**< as 1.50x */
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

/** A field of a kind of record. Keys end in their unit, as `_seconds`. A table of fields ends with
 * one that has no getter. */
struct field {
    const char *key; /**< member of JSON and XML, column of CSV; NULL: only in text */
    enum field_kind kind;
    struct field_value (*get)(const void *record);
    const char *says;    /**< what it is: a phrase of the documentation and the JSON schema */
    bool required;       /**< always known */
    unsigned part;       /**< of documents: which part of them has it; 0: none */
    int csv;             /**< place among the columns of CSV, from 1; 0: none */
    int column;          /**< place among the columns of text, from 1; 0: none */
    const char *heading; /**< of text; the unit of times follows it */
    enum field_format format;
    char optional; /**< on narrow terminals, see struct table; 0: always shown */
    bool verbose;  /**< in text only with --verbose */
    bool (*applies)(const void *record);             /**< to a table of text; NULL: always */
    struct field_value (*shown)(const void *record); /**< the text of a cell; NULL: the value */
    void (*write)(struct document *, const void *record); /**< of FIELD_LIST, where it is known */
    const char *schema; /**< of its value in JSON Schema; NULL: by its kind */
};

/** Defines a getter for records of a type; in `value` the record is `r`. */
#define FIELD_GETTER(type, name, value)                                                            \
    static struct field_value name(const void *record) {                                           \
        const type *r = record;                                                                    \
        return value;                                                                              \
    }

/** Constructors of values. */
struct field_value field_text(const char *text); /**< known unless it is NULL or empty */
struct field_value field_owned(char *text);      /**< likewise; NULL: memory is out */
struct field_value field_integer(int64_t integer);
struct field_value field_flag(bool flag);
struct field_value field_number(double number);
struct field_value field_positive(double number); /**< known if it is above 0 */
struct field_value field_interval(double low, double high);
struct field_value field_unknown(void);
struct field_value field_if(bool known, struct field_value value);

/** Writes the fields of one part, a bit, as members of the object that is open. */
void fields_document(struct document *document, const struct field *fields, unsigned part,
                     const void *record);

/** Adds the headings of CSV. */
void fields_csv_headings(struct csv_line *line, const struct field *fields);

/** Adds the values of a record. */
void fields_csv(struct csv_line *line, const struct field *fields, const void *record);

/** The first column of text behind a place; NULL: there are no more. */
const struct field *fields_next_column(const struct field *fields, int place);

enum { FIELD_COLUMNS = 32 };

/** A table of text in the making. */
struct field_table {
    struct table table;
    const struct field *fields;
    struct time_unit unit;
    char alignment[FIELD_COLUMNS], optional[FIELD_COLUMNS]; /* and an end */
    const struct field *column[FIELD_COLUMNS - 1];
    int count;
};

/** Begins a table, whose columns are those that apply to `record`. The table must not move. */
void fields_table_begin(struct field_table *table, const struct field *fields, bool verbose,
                        struct time_unit unit, const void *record);

/** Adds a row; set table.style before. */
void fields_table_row(struct field_table *table, const void *record);

#endif
