#include "routines/sampler/signatures/signature.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/hash.h"
#include "routines/sampler/signatures/formula.h"
#include "routines/sampler/signatures/routines.h"

enum { MOST_ROUTINES = 512, SLOTS = 1024 };

#define MOST_ELEMENTS                                                                              \
    9007199254740992.0 /* 2^53: formulas are exact up to this number, and no memory is as large */

struct reader {
    struct arena *arena;
    struct signature *out;
    const char *words[SIGNATURE_MAX_ARGUMENTS]; /* for each argument, the text of its formulas;
                                                   NULL: it has none */
    bool no_memory;
};

static bool is_complex(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT_COMPLEX || dtype == TCPLAN_DOUBLE_COMPLEX;
}

/** Advances past `text` if the word continues with it; returns whether it does. */
static bool take(const char **at, const char *text) {
    const size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) return false;
    *at += length;
    return true;
}

/** flag = name "=" ( letters | integer { "|" integer } ) */
static bool read_flag(struct signature_argument *argument, const char *at) {
    argument->class = SIGNATURE_FLAG;
    argument->elements = isalpha((unsigned char)*at) ? SIGNATURE_CHARACTER : SIGNATURE_INTEGER;
    while (*at && *at != ' ') {
        if (argument->values == SIGNATURE_LETTERS) return false;
        if (argument->elements == SIGNATURE_CHARACTER) {
            argument->value[argument->values++] = *at++;
        } else {
            char *end;
            argument->value[argument->values++] = (int)strtol(at, &end, 10);
            at = *end == '|' ? end + 1 : end;
        }
    }
    return argument->values > 0;
}

/** kinds = { "." ( "real" | "int" | "char" | "float" | "double" | "tri" | "sym" | "packed" | "band"
 * | "scalar" ) } */
static bool read_kinds(struct signature_argument *argument, const char **at) {
    while (take(at, ".")) {
        if (take(at, "real")) {
            argument->elements = SIGNATURE_REAL;
        } else if (take(at, "int")) {
            argument->elements = SIGNATURE_INTEGER;
        } else if (take(at, "char")) {
            argument->elements = SIGNATURE_CHARACTER;
            argument->class = SIGNATURE_STRING;
        } else if (take(at, "float")) {
            argument->elements = SIGNATURE_FLOAT;
        } else if (take(at, "double")) {
            argument->elements = SIGNATURE_DOUBLE;
        } else if (take(at, "tri")) {
            argument->storage = SIGNATURE_TRIANGLE;
        } else if (take(at, "sym")) {
            argument->storage = SIGNATURE_SYMMETRIC;
        } else if (take(at, "packed")) {
            argument->storage = SIGNATURE_PACKED;
        } else if (take(at, "band")) {
            argument->storage = SIGNATURE_BAND;
        } else if (take(at, "scalar")) {
            argument->class = SIGNATURE_SCALAR;
        } else {
            return false;
        }
    }
    return true;
}

/** Sets the class of an argument without extents from its name. */
static void classify(struct signature_argument *argument) {
    const char *name = argument->name;
    if (argument->class != SIGNATURE_DIM) return;
    if (strcmp(name, "alpha") == 0 || strcmp(name, "beta") == 0) {
        argument->class = SIGNATURE_SCALAR;
    } else if (strcmp(name, "info") == 0) {
        argument->class = SIGNATURE_INFO;
        argument->access = SIGNATURE_WRITTEN;
    } else if (strncmp(name, "lwork", 5) == 0) {
        argument->class = SIGNATURE_LWORK;
    } else if (strncmp(name, "ld", 2) == 0 && name[2]) {
        argument->class = SIGNATURE_LD;
    } else if (strncmp(name, "inc", 3) == 0 && name[3]) {
        argument->class = SIGNATURE_INC;
    }
}

/**
 * argument = [ "=" | "+" ] name ( "=" values | kinds [ "(" formula [ "," formula ] ")" | ":"
 * formula [ ":" formula ] ] )
 *
 * Formulas are read after all names are known.
 */
static bool read_argument(struct reader *reader, const char **at) {
    struct signature *out = reader->out;
    if (out->count == SIGNATURE_MAX_ARGUMENTS) return false;
    struct signature_argument argument = {
        .class = SIGNATURE_DIM, .access = SIGNATURE_READ, .of = -1, .stride = -1};
    if (take(at, "=")) {
        argument.access = SIGNATURE_WRITTEN;
    } else if (take(at, "+")) {
        argument.access = SIGNATURE_READ | SIGNATURE_WRITTEN;
    }
    size_t length = 0;
    while (isalnum((unsigned char)**at) && length + 1 < sizeof argument.name)
        argument.name[length++] = *(*at)++;
    if (length == 0) return false;
    if (take(at, "=")) {
        if (!read_flag(&argument, *at)) return false;
    } else {
        if (!read_kinds(&argument, at)) return false;
        if (**at == '(') {
            const bool is_work = strncmp(argument.name, "work", 4) == 0;
            argument.class = is_work ? SIGNATURE_WORK : SIGNATURE_DATA;
            if (is_work) argument.access = SIGNATURE_READ | SIGNATURE_WRITTEN;
            if (argument.storage == SIGNATURE_VECTOR)
                argument.storage =
                    SIGNATURE_GENERAL; /* set again when the number of extents is known */
        }
        classify(&argument);
        if (**at == '(' || **at == ':') reader->words[out->count] = *at + 1;
    }
    *at += strcspn(*at, " ");
    out->argument[out->count++] = argument;
    return true;
}

static const struct formula *read_formula(struct reader *reader, const char **at) {
    bool no_memory;
    const struct formula *out = formula_read(reader->arena, reader->out, at, &no_memory);
    reader->no_memory = reader->no_memory || no_memory;
    return out;
}

static bool read_extents(struct reader *reader, struct signature_argument *argument,
                         const char *at) {
    argument->rows = read_formula(reader, &at);
    if (!argument->rows) return false;
    if (take(&at, ",")) {
        argument->columns = read_formula(reader, &at);
        if (!argument->columns) return false;
    } else if (argument->storage == SIGNATURE_GENERAL) {
        argument->storage = SIGNATURE_VECTOR;
    }
    return take(&at, ")") && (*at == ' ' || *at == '\0');
}

/** Reads the minimum of a size or length and, after another colon, its fastest value. */
static bool read_bounds(struct reader *reader, struct signature_argument *argument,
                        const char *at) {
    argument->least = read_formula(reader, &at);
    if (!argument->least) return false;
    if (take(&at, ":") && !(argument->usual = read_formula(reader, &at))) return false;
    return *at == ' ' || *at == '\0';
}

/** Finds the data to which leading dimensions and increments belong, and the work memory of
 * lengths. */
static bool join(struct signature *signature) {
    for (int a = 0; a < signature->count; a++) {
        struct signature_argument *argument = &signature->argument[a];
        const char *of = argument->class == SIGNATURE_LD      ? argument->name + 2
                         : argument->class == SIGNATURE_INC   ? argument->name + 3
                         : argument->class == SIGNATURE_LWORK ? argument->name + 1
                                                              : NULL;
        if (!of) continue;
        argument->of = signature_argument(signature, of);
        if (argument->of < 0) return false;
        if (argument->class != SIGNATURE_LWORK) signature->argument[argument->of].stride = a;
    }
    return true;
}

static bool read_formulas(struct reader *reader) {
    struct signature *out = reader->out;
    for (int a = 0; a < out->count; a++) {
        struct signature_argument *argument = &out->argument[a];
        if (!reader->words[a]) continue;
        const bool has_extents =
            argument->class == SIGNATURE_DATA || argument->class == SIGNATURE_WORK;
        if (!(has_extents ? read_extents(reader, argument, reader->words[a])
                          : read_bounds(reader, argument, reader->words[a])))
            return false;
    }
    const char *at = out->flops;
    out->operations = read_formula(reader, &at);
    return out->operations && *at == '\0';
}

static bool read_arguments(struct reader *reader) {
    for (const char *at = reader->out->text; *at;) {
        if (!read_argument(reader, &at)) return false;
        at += *at == ' ';
    }
    return join(reader->out) && read_formulas(reader);
}

static enum signature_result result_of(enum signature_returns returns, enum tcplan_dtype dtype) {
    static const enum signature_result own[TCPLAN_DTYPES] = {
        SIGNATURE_RETURNS_FLOAT, SIGNATURE_RETURNS_DOUBLE, SIGNATURE_RETURNS_FLOAT_COMPLEX,
        SIGNATURE_RETURNS_DOUBLE_COMPLEX};
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    switch (returns) {
    case RETURNS_NOTHING: break;
    case RETURNS_OWN: return own[dtype];
    case RETURNS_REAL: return is_single ? SIGNATURE_RETURNS_FLOAT : SIGNATURE_RETURNS_DOUBLE;
    case RETURNS_INDEX: return SIGNATURE_RETURNS_INT;
    }
    return SIGNATURE_NOTHING;
}

struct known {
    char name[SIGNATURE_NAME];
    const struct routine_line *line;
    enum tcplan_dtype dtype;
    const struct signature *signature; /* the parsed signature; NULL: not read yet */
};

static struct known known[MOST_ROUTINES];
static int known_count;
static short slot[SLOTS]; /* number of the entry plus 1; 0: the slot is empty */
static struct arena arena;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex =
    PTHREAD_MUTEX_INITIALIZER; /* guards the signatures and their arena */

static enum tcplan_dtype dtype_of(const char *type, size_t length) {
    if (length == 2)
        return type[0] == 's' || type[0] == 'c' ? TCPLAN_FLOAT_COMPLEX : TCPLAN_DOUBLE_COMPLEX;
    return type[0] == 's'   ? TCPLAN_FLOAT
           : type[0] == 'd' ? TCPLAN_DOUBLE
           : type[0] == 'c' ? TCPLAN_FLOAT_COMPLEX
                            : TCPLAN_DOUBLE_COMPLEX;
}

static size_t slot_of(const char *name) {
    return (size_t)(hash_text(name) % SLOTS);
}

static void index_name(const struct routine_line *line, const char *type, size_t length) {
    assert(known_count < MOST_ROUTINES);
    struct known *entry = &known[known_count++];
    const size_t before = strcspn(line->name, "?");
    const char *behind = line->name[before] ? line->name + before + 1 : "";
    snprintf(entry->name, sizeof entry->name, "%.*s%.*s%s", (int)before, line->name,
             line->name[before] ? (int)length : 0, type, behind);
    entry->line = line;
    entry->dtype = dtype_of(type, length);
    size_t s = slot_of(entry->name);
    while (slot[s]) s = (s + 1) % SLOTS;
    slot[s] = (short)known_count;
}

static void index_names(void) {
    for (int l = 0; l < routine_line_count; l++) {
        for (const char *type = routine_lines[l].types; *type;) {
            const size_t length = strcspn(type, " ");
            index_name(&routine_lines[l], type, length);
            type += length + (type[length] == ' ');
        }
    }
}

/** Copies `name` without the question mark. */
static void base_name(char out[SIGNATURE_NAME], const char *name) {
    size_t length = 0;
    for (; *name; name++) {
        if (*name != '?' && length + 1 < SIGNATURE_NAME) out[length++] = *name;
    }
    out[length] = '\0';
}

static enum tcplan_status read_line(const struct signature **out, const struct known *entry,
                                    struct tcplan_error *error) {
    const struct routine_line *line = entry->line;
    struct signature *signature = arena_alloc(&arena, sizeof *signature);
    if (!signature) return error_no_memory(error);
    struct reader reader = {.arena = &arena, .out = signature};
    snprintf(signature->name, sizeof signature->name, "%s", entry->name);
    base_name(signature->base, line->name);
    signature->dtype = entry->dtype;
    signature->result = result_of(line->returns, entry->dtype);
    signature->is_own = line->is_own;
    signature->text = line->text;
    signature->flops = line->flops;
    signature->purpose = line->purpose;
    signature->degrees = line->degrees;
    if (!read_arguments(&reader)) {
        if (reader.no_memory) return error_no_memory(error);
        return error_set(error, TCPLAN_INVALID,
                         "the line of %s in the table of routines is malformed: %s; %s",
                         entry->name, line->text, line->flops);
    }
    *out = signature;
    return TCPLAN_OK;
}

enum tcplan_status signature_at(const struct signature **out, int number,
                                struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    pthread_once(&once, index_names);
    pthread_mutex_lock(&mutex);
    if (!known[number].signature)
        status = read_line(&known[number].signature, &known[number], error);
    *out = known[number].signature;
    pthread_mutex_unlock(&mutex);
    return status;
}

int signature_count(void) {
    pthread_once(&once, index_names);
    return known_count;
}

static enum tcplan_status refuse_name(const char *name, struct tcplan_error *error) {
    struct nearest nearest = {0};
    for (int k = 0; k < known_count; k++) nearest_consider(&nearest, name, known[k].name);
    return error_set(error, TCPLAN_INVALID,
                     nearest.name ? "unknown kernel '%.40s'; did you mean '%s'?"
                                  : "unknown kernel '%.40s'",
                     name, nearest.name);
}

enum tcplan_status signature_find(const struct signature **out, const char *name,
                                  struct tcplan_error *error) {
    char lower[SIGNATURE_NAME] = "";
    size_t length = 0;
    pthread_once(&once, index_names);
    for (; name[length] && length + 1 < sizeof lower; length++)
        lower[length] = (char)tolower((unsigned char)name[length]);
    if (name[length]) return refuse_name(name, error);
    for (size_t s = slot_of(lower); slot[s]; s = (s + 1) % SLOTS) {
        if (strcmp(known[slot[s] - 1].name, lower) == 0)
            return signature_at(out, slot[s] - 1, error);
    }
    return refuse_name(lower, error);
}

int signature_argument(const struct signature *signature, const char *name) {
    for (int a = 0; a < signature->count; a++) {
        if (strcmp(signature->argument[a].name, name) == 0) return a;
    }
    return -1;
}

const char *signature_class_name(enum signature_class class) {
    static const char *const names[SIGNATURE_CLASSES] = {
        "flag",      "size", "scalar",         "data", "leading dimension",
        "increment", "work", "length of work", "info", "text"};
    return names[class];
}

bool signature_has_value(const struct signature_argument *argument) {
    switch (argument->class) {
    case SIGNATURE_FLAG:
    case SIGNATURE_DIM:
    case SIGNATURE_LD:
    case SIGNATURE_INC:
    case SIGNATURE_LWORK: return true;
    case SIGNATURE_SCALAR:
    case SIGNATURE_DATA:
    case SIGNATURE_WORK:
    case SIGNATURE_INFO:
    case SIGNATURE_STRING:
    case SIGNATURE_CLASSES: break;
    }
    return false;
}

int signature_element_bytes(const struct signature *signature, int argument) {
    const struct signature_argument *of = &signature->argument[argument];
    const int own = (int)tcplan_dtype_bytes(signature->dtype);
    if (of->class == SIGNATURE_INFO || (signature_has_value(of) && of->class != SIGNATURE_FLAG))
        return (int)sizeof(int);
    switch (of->elements) {
    case SIGNATURE_OWN: return own;
    case SIGNATURE_REAL: return is_complex(signature->dtype) ? own / 2 : own;
    case SIGNATURE_INTEGER: return (int)sizeof(int);
    case SIGNATURE_CHARACTER: return 1;
    case SIGNATURE_FLOAT: return (int)sizeof(float);
    case SIGNATURE_DOUBLE: break;
    }
    return (int)sizeof(double);
}

bool signature_is_complex(const struct signature *signature, int argument) {
    return signature->argument[argument].elements == SIGNATURE_OWN && is_complex(signature->dtype);
}

static double value_of(const struct formula *formula, const struct signature *signature,
                       const int64_t value[]) {
    return formula_value(formula, signature, value);
}

/** Converts a number of elements or rows to an integer; INT64_MAX if it exceeds any memory. */
static int64_t counted(double value) {
    return value < 0 ? 0 : value < MOST_ELEMENTS ? (int64_t)value : INT64_MAX;
}

void signature_shape(const struct signature *signature, const int64_t value[], int argument,
                     int64_t *rows, int64_t *columns) {
    const struct signature_argument *of = &signature->argument[argument];
    *rows = of->rows ? counted(value_of(of->rows, signature, value)) : 1;
    *columns = of->columns ? counted(value_of(of->columns, signature, value))
               : of->storage == SIGNATURE_TRIANGLE || of->storage == SIGNATURE_SYMMETRIC ? *rows
                                                                                         : 1;
}

int signature_size_of(const struct signature *signature, const int64_t value[], int argument,
                      bool columns) {
    const struct signature_argument *of = &signature->argument[argument];
    const bool is_square = of->storage == SIGNATURE_TRIANGLE || of->storage == SIGNATURE_SYMMETRIC;
    const struct formula *extent = columns && !is_square ? of->columns : of->rows;
    while (extent && extent->kind == FORMULA_IF_EQUAL) {
        extent = (double)value[extent->argument] == extent->number ? extent->first : extent->second;
    }
    if (!extent || extent->kind != FORMULA_ARGUMENT) return -1;
    return signature->argument[extent->argument].class == SIGNATURE_DIM ? extent->argument : -1;
}

int64_t signature_least(const struct signature *signature, const int64_t value[], int argument) {
    const struct signature_argument *of = &signature->argument[argument];
    int64_t rows, columns;
    if (of->class == SIGNATURE_LD) {
        signature_shape(signature, value, of->of, &rows, &columns);
        return rows > 1 ? rows : 1;
    }
    const int64_t least = of->least ? counted(value_of(of->least, signature, value)) : 0;
    return of->class == SIGNATURE_LWORK && least < 1 ? 1 : least;
}

static bool is_query(const struct signature *signature, const int64_t value[], int work) {
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class == SIGNATURE_LWORK && signature->argument[a].of == work)
            return value[a] == -1;
    }
    return false;
}

int64_t signature_extent(const struct signature *signature, const int64_t value[], int argument) {
    const struct signature_argument *of = &signature->argument[argument];
    int64_t rows, columns;
    if (of->class != SIGNATURE_DATA && of->class != SIGNATURE_WORK) return 1;
    if (is_query(signature, value, argument)) return 1;
    signature_shape(signature, value, argument, &rows, &columns);
    if (rows == 0 || columns == 0) return 0;
    if (of->storage == SIGNATURE_PACKED) return counted((double)rows * ((double)rows + 1) / 2);
    const double stride = of->stride >= 0                   ? fabs((double)value[of->stride])
                          : of->storage == SIGNATURE_VECTOR ? 1
                                                            : (double)rows;
    if (of->storage == SIGNATURE_VECTOR) return counted(1 + ((double)rows - 1) * stride);
    return counted(((double)columns - 1) * stride + (double)rows);
}

double signature_stored(const struct signature *signature, const int64_t value[], int argument) {
    const struct signature_argument *of = &signature->argument[argument];
    int64_t rows, columns;
    signature_shape(signature, value, argument, &rows, &columns);
    if (of->storage == SIGNATURE_TRIANGLE || of->storage == SIGNATURE_SYMMETRIC ||
        of->storage == SIGNATURE_PACKED) {
        return (double)rows * ((double)rows + 1) / 2;
    }
    return (double)rows * (double)columns;
}

void signature_complete(const struct signature *signature, int64_t value[], const bool given[]) {
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (!given[a] && argument->class == SIGNATURE_FLAG) value[a] = argument->value[0];
        if (!given[a] && argument->class == SIGNATURE_INC) value[a] = 1;
    }
    /* Leading dimensions and lengths of workspaces follow from flags and sizes. */
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (given[a]) continue;
        if (argument->class == SIGNATURE_LD) value[a] = signature_least(signature, value, a);
        if (argument->class != SIGNATURE_LWORK) continue;
        const int64_t least = signature_least(signature, value, a);
        const int64_t usual =
            argument->usual ? counted(value_of(argument->usual, signature, value)) : 0;
        value[a] = usual > least ? usual : least;
    }
}

static void add_values(struct strbuf *out, const struct signature_argument *argument) {
    for (int v = 0; v < argument->values; v++) {
        const char *before = v == 0 ? "" : v + 1 < argument->values ? ", " : " or ";
        if (argument->elements == SIGNATURE_CHARACTER) {
            strbuf_add(out, "%s%c", before, argument->value[v]);
        } else {
            strbuf_add(out, "%s%d", before, argument->value[v]);
        }
    }
}

static enum tcplan_status check_flag(const struct signature_argument *argument, int64_t value,
                                     struct tcplan_error *error) {
    struct strbuf values = {0};
    for (int v = 0; v < argument->values; v++) {
        if (value == argument->value[v]) return TCPLAN_OK;
    }
    add_values(&values, argument);
    const char *expected = values.text && !values.failed ? values.text : "another value";
    if (argument->elements == SIGNATURE_CHARACTER && value > ' ' && value < 127) {
        error_set(error, TCPLAN_INVALID, "%s is %s, not %c", argument->name, expected, (char)value);
    } else {
        error_set(error, TCPLAN_INVALID, "%s is %s, not %lld", argument->name, expected,
                  (long long)value);
    }
    strbuf_free(&values);
    return TCPLAN_INVALID;
}

static enum tcplan_status check_least(const struct signature *signature, const int64_t value[],
                                      int argument, struct tcplan_error *error) {
    const struct signature_argument *of = &signature->argument[argument];
    const int64_t least = signature_least(signature, value, argument);
    if (of->class == SIGNATURE_LWORK && value[argument] == -1)
        return TCPLAN_OK; /* a length of -1 is a query of the optimal length */
    if (value[argument] >= least) return TCPLAN_OK;
    if (of->class == SIGNATURE_LD) {
        return error_set(
            error, TCPLAN_INVALID, "%s is %lld, expected at least %lld, the rows of %s", of->name,
            (long long)value[argument], (long long)least, signature->argument[of->of].name);
    }
    return error_set(error, TCPLAN_INVALID, "%s is %lld, expected at least %lld", of->name,
                     (long long)value[argument], (long long)least);
}

static enum tcplan_status check_argument(const struct signature *signature, const int64_t value[],
                                         int argument, struct tcplan_error *error) {
    const struct signature_argument *of = &signature->argument[argument];
    if (of->class == SIGNATURE_FLAG) return check_flag(of, value[argument], error);
    if (value[argument] > INT_MAX || value[argument] < -INT_MAX) {
        return error_set(error, TCPLAN_INVALID, "%s is %lld, beyond the integers of Fortran (%d)",
                         of->name, (long long)value[argument], INT_MAX);
    }
    if (of->class == SIGNATURE_INC) {
        return value[argument] != 0
                   ? TCPLAN_OK
                   : error_set(error, TCPLAN_INVALID, "%s is 0; expected an increment other than 0",
                               of->name);
    }
    return check_least(signature, value, argument, error);
}

enum tcplan_status signature_check(const struct signature *signature, const int64_t value[],
                                   int *argument, struct tcplan_error *error) {
    for (int pass = 0; pass < 2; pass++) { /* flags and sizes are checked first, because the other
                                              values follow from them */
        for (int a = 0; a < signature->count; a++) {
            const struct signature_argument *of = &signature->argument[a];
            const bool is_first =
                of->class == SIGNATURE_FLAG || (of->class == SIGNATURE_DIM && !of->least);
            if (!signature_has_value(of) || is_first != (pass == 0)) continue;
            const enum tcplan_status status = check_argument(signature, value, a, error);
            if (status == TCPLAN_OK) continue;
            if (argument) *argument = a;
            return status;
        }
    }
    return TCPLAN_OK;
}

double signature_flops(const struct signature *signature, const int64_t value[]) {
    return fmax(0, value_of(signature->operations, signature, value));
}

/** Returns whether the bytes of an argument count as moved. As in the dissertation, integers and
 * single numbers do not count. */
static bool counts(const struct signature_argument *argument) {
    const bool is_single = argument->rows && argument->rows->kind == FORMULA_NUMBER;
    return argument->class == SIGNATURE_DATA && argument->elements != SIGNATURE_INTEGER &&
           !is_single;
}

/** The bytes to sum: those of each operand, once; those of each operand, once for each direction in
 * which it is moved; or only those written. */
enum bytes_kind { BYTES_STORED, BYTES_MOVED, BYTES_WRITTEN };

static int passes_over(const struct signature_argument *argument, enum bytes_kind kind) {
    const bool written = argument->access & SIGNATURE_WRITTEN,
               both = argument->access == (SIGNATURE_READ | SIGNATURE_WRITTEN);
    if (kind == BYTES_WRITTEN) return written;
    return kind == BYTES_MOVED && both ? 2 : 1;
}

static double bytes_of(const struct signature *signature, const int64_t value[],
                       enum bytes_kind kind) {
    double bytes = 0;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (!counts(argument)) continue;
        bytes += passes_over(argument, kind) * signature_stored(signature, value, a) *
                 signature_element_bytes(signature, a);
    }
    return bytes;
}

double signature_bytes(const struct signature *signature, const int64_t value[]) {
    return bytes_of(signature, value, BYTES_STORED);
}

double signature_movement(const struct signature *signature, const int64_t value[]) {
    return bytes_of(signature, value, BYTES_MOVED);
}

double signature_written(const struct signature *signature, const int64_t value[]) {
    return bytes_of(signature, value, BYTES_WRITTEN);
}

static int degree_of_data(const struct signature *signature, const int64_t value[],
                          const struct signature_argument *data, int size) {
    const int rows = formula_degree(data->rows, signature, value, size);
    if (data->storage == SIGNATURE_VECTOR) return rows;
    return rows + (data->columns ? formula_degree(data->columns, signature, value, size) : rows);
}

static int degree(const struct signature *signature, const int64_t value[], int size) {
    int most = formula_degree(signature->operations, signature, value, size);
    if (formula_degree(signature->operations, signature, value, -1) > 0) return most;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        const int of_data = counts(argument) ? degree_of_data(signature, value, argument, size) : 0;
        if (of_data > most) most = of_data;
    }
    return most;
}

int signature_degrees(const struct signature *signature, const int64_t value[],
                      int degrees[SIGNATURE_MAX_ARGUMENTS], int *total) {
    int sizes = 0;
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class != SIGNATURE_DIM) continue;
        degrees[sizes] =
            signature->degrees ? signature->degrees[sizes] - '0' : degree(signature, value, a);
        sizes++;
    }
    if (total) *total = degree(signature, value, -1);
    return sizes;
}

static const char *storage_name(const struct signature_argument *argument) {
    switch (argument->storage) {
    case SIGNATURE_VECTOR: return "vector";
    case SIGNATURE_GENERAL: return "matrix";
    case SIGNATURE_TRIANGLE: return "triangular matrix";
    case SIGNATURE_SYMMETRIC: return "symmetric matrix";
    case SIGNATURE_PACKED: return "packed matrix";
    case SIGNATURE_BAND: break;
    }
    return "band matrix";
}

static void print_elements(struct strbuf *out, const struct signature *signature, int argument) {
    static const char *const names[] = {"float", "double", "float complex", "double complex"};
    const struct signature_argument *of = &signature->argument[argument];
    const int bytes = signature_element_bytes(signature, argument);
    if (of->elements == SIGNATURE_INTEGER) {
        strbuf_add(out, "int");
    } else {
        strbuf_add(out, "%s",
                   names[signature_is_complex(signature, argument) ? (bytes == 8 ? 2 : 3)
                                                                   : (bytes == 4 ? 0 : 1)]);
    }
}

/** Prints the part of the table's text with the extents of data: `(m,n)`. */
static void print_extents(struct strbuf *out, const struct signature *signature, int argument) {
    const char *at = signature->text;
    for (int a = 0; a < argument; a++) at += strcspn(at, " ") + 1;
    at += strcspn(at, "( ");
    strbuf_append(out, at, strcspn(at, " "));
}

static void print_argument(struct strbuf *out, const struct signature *signature, int argument) {
    static const char *const accesses[] = {"", "read", "written", "read and written"};
    const struct signature_argument *of = &signature->argument[argument];
    const bool has_extents = of->class == SIGNATURE_DATA || of->class == SIGNATURE_WORK;
    strbuf_add(out, "  %-8s ", of->name);
    if (has_extents) {
        strbuf_add(out, "%s of ", of->class == SIGNATURE_WORK ? "work" : storage_name(of));
        print_elements(out, signature, argument);
        strbuf_add(out, " ");
        print_extents(out, signature, argument);
        if (of->class == SIGNATURE_DATA) strbuf_add(out, ", %s", accesses[of->access]);
    } else {
        strbuf_add(out, "%s", signature_class_name(of->class));
        if (of->class == SIGNATURE_SCALAR) {
            strbuf_add(out, ": ");
            print_elements(out, signature, argument);
        }
        if (of->values > 0) strbuf_add(out, ": ");
        add_values(out, of);
        if (of->of >= 0) strbuf_add(out, " of %s", signature->argument[of->of].name);
    }
    strbuf_add(out, "\n");
}

/** Describes a call with all sizes 1000 and default flags: its operands, the bytes that it must
 * move, and its operations per byte. */
static void print_example(struct strbuf *out, const struct signature *signature) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS] = {0};
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    bool has_size = false;
    for (int a = 0; a < signature->count; a++) {
        given[a] = signature->argument[a].class == SIGNATURE_DIM;
        has_size = has_size || given[a];
        if (given[a]) value[a] = 1000;
    }
    signature_complete(signature, value, given);
    const double moved = signature_movement(signature, value);
    if (!has_size || !(moved > 0)) return;
    strbuf_add(out, "  with sizes of 1000: the operands take %.6g MB, a call moves %.6g MB",
               1e-6 * signature_bytes(signature, value), 1e-6 * moved);
    if (signature_flops(signature, value) > 0)
        strbuf_add(out, ", %.4g operations per byte", signature_flops(signature, value) / moved);
    strbuf_add(out, "\n");
}

void signature_print(struct strbuf *out, const struct signature *signature) {
    strbuf_add(out, "%s", signature->name);
    for (int a = 0; a < signature->count; a++)
        strbuf_add(out, "%s%s", a == 0 ? "(" : ", ", signature->argument[a].name);
    strbuf_add(out, "): %s\n", signature->purpose);
    for (int a = 0; a < signature->count; a++) print_argument(out, signature, a);
    strbuf_add(out, "  operations %s", signature->flops);
    if (strstr(signature->flops, "fma"))
        strbuf_add(out, ", fma = %d", is_complex(signature->dtype) ? 8 : 2);
    strbuf_add(out, "\n");
    print_example(out, signature);
}
