#include "routines/sampler/generation/cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "routines/sampler/generation/cases_used.h"

enum { VALUE = 8, MOST_WISHES = TCPLAN_MODEL_SIZES, WORD = 64 };

/** The overhead of a call in units of work: operations or bytes. */
#define CALL_WORK 1000.0

/** Separators of words. */
#define DIVIDERS " \t:,"

/* The words for values of scalars and increments. */

static const struct {
    const char *word;
    double value;
} scalars[] = {{"-1", -1}, {"0", 0}, {"1", 1}, {"any", CASES_ANY_SCALAR}};

static bool find_scalar(double *out, const char *word) {
    for (size_t s = 0; s < sizeof scalars / sizeof *scalars; s++) {
        if (strcmp(scalars[s].word, word) != 0) continue;
        *out = scalars[s].value;
        return true;
    }
    return false;
}

static bool find_increment(int64_t *out, const char *word) {
    *out = strcmp(word, "1") == 0;
    return *out == 1 || strcmp(word, "large") == 0;
}

static bool has_letters(const struct signature_argument *flag) {
    return flag->elements != SIGNATURE_INTEGER;
}

static bool find_flag(int64_t *out, const struct signature_argument *flag, const char *word) {
    for (int v = 0; v < flag->values; v++) {
        char text[16];
        snprintf(text, sizeof text, has_letters(flag) ? "%c" : "%d", flag->value[v]);
        if (strcmp(text, word) != 0) continue;
        *out = flag->value[v];
        return true;
    }
    return false;
}

static void describe_values(struct strbuf *out, const struct signature_argument *argument) {
    if (argument->class == SIGNATURE_SCALAR) strbuf_add(out, "-1, 0, 1 or any");
    if (argument->class == SIGNATURE_INC) strbuf_add(out, "1 or large");
    for (int v = 0; argument->class == SIGNATURE_FLAG && v < argument->values; v++) {
        strbuf_add(out, "%s", v == 0 ? "" : v + 1 < argument->values ? ", " : " or ");
        strbuf_add(out, has_letters(argument) ? "%c" : "%d", argument->value[v]);
    }
}

/** A requested domain of one size. */
struct wish {
    char name[SIGNATURE_NAME];
    int64_t low, high;
    bool used;
};

/** A requested routine, and which of its arguments are given. */
struct choice {
    const struct signature *signature;
    char value[SIGNATURE_MAX_ARGUMENTS][VALUE]; /* values of arguments as words; empty: not given */
    struct wish wish[MOST_WISHES];              /* domains given for sizes of this routine only */
    int wishes;
};

/** The arguments of a case in their order: flags, scalars, increments. */
struct order {
    int count;
    int argument[SIGNATURE_MAX_ARGUMENTS];
};

static struct order order_of(const struct signature *signature) {
    static const enum signature_class classes[] = {SIGNATURE_FLAG, SIGNATURE_SCALAR, SIGNATURE_INC};
    struct order order = {0};
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        for (int a = 0; a < signature->count; a++) {
            if (signature->argument[a].class == classes[c]) order.argument[order.count++] = a;
        }
    }
    return order;
}

struct builder {
    struct generation_cases *out;
    struct wish wish[MOST_WISHES];
    int wishes;
    int64_t multiple;
    struct choice choice;
    struct order order;
    const struct cases_used_line *line; /* line of the table; NULL: the arguments given define the
                                           case */
    char value[SIGNATURE_MAX_ARGUMENTS][VALUE];
    bool found;
};

/** Reads a decimal integer from 1 to TCPLAN_MODEL_LARGEST; returns the text after it, or NULL. */
static const char *read_size(int64_t *out, const char *text) {
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (*at - '0');
        if (value > TCPLAN_MODEL_LARGEST) return NULL;
    }
    *out = value;
    return at > text && value > 0 ? at : NULL;
}

/* wish = name "=" size [ ":" size ] */
static const char *read_wish(struct wish *out, const char *text) {
    const size_t length = strcspn(text, "=,: ");
    *out = (struct wish){.used = false};
    if (length == 0 || length >= sizeof out->name || text[length] != '=') return NULL;
    memcpy(out->name, text, length);
    const char *at = read_size(&out->low, text + length + 1);
    out->high = out->low;
    return at && *at == ':' ? read_size(&out->high, at + 1) : at;
}

static enum tcplan_status check_wish(const struct builder *builder, const struct wish *wish,
                                     struct tcplan_error *error) {
    if (wish->high < wish->low) {
        return error_set(error, TCPLAN_INVALID,
                         "the domain of %s ends at %" PRId64 ", before its begin at %" PRId64,
                         wish->name, wish->high, wish->low);
    }
    if (wish->low == wish->high ||
        (wish->low % builder->multiple == 0 && wish->high % builder->multiple == 0))
        return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "the domain of %s is %" PRId64 ":%" PRId64 ", expected multiples of %" PRId64,
                     wish->name, wish->low, wish->high, builder->multiple);
}

/* domain = wish { ( "," | " " ) wish } */
static enum tcplan_status read_domain(struct builder *builder, const char *text,
                                      struct tcplan_error *error) {
    for (const char *at = text; at && *text;) {
        if (builder->wishes == MOST_WISHES)
            return error_set(error, TCPLAN_INVALID, "a domain has at most %d sizes", MOST_WISHES);
        struct wish *wish = &builder->wish[builder->wishes++];
        const char *end = read_wish(wish, at);
        if (!end || (*end && !strchr(", ", *end))) {
            return error_set(error, TCPLAN_INVALID,
                             "expected a domain such as m=24:536,n=24:4152, found '%.80s'", at);
        }
        enum tcplan_status status = check_wish(builder, wish, error);
        if (status != TCPLAN_OK) return status;
        if (!*end) return TCPLAN_OK;
        at = end + strspn(end, ", ");
    }
    return TCPLAN_OK;
}

static struct wish *find_among(struct wish wish[], int count, const char *name) {
    for (int w = 0; w < count; w++) {
        if (strcmp(wish[w].name, name) == 0) return &wish[w];
    }
    return NULL;
}

/** Returns the domain given for the size of this routine or, if there is none, the domain given for
 * all routines; NULL: neither. */
static struct wish *find_wish(struct builder *builder, const char *name) {
    struct wish *own = find_among(builder->choice.wish, builder->choice.wishes, name);
    struct wish *all = find_among(builder->wish, builder->wishes, name);
    if (all) all->used = true;
    return own ? own : all;
}

/** Sets the domain of a size to that in the table's line or, without a line, to the default domain.
 */
static void set_usual(struct builder *builder, const char *name, int64_t *low, int64_t *high) {
    *low = CASES_LOW;
    *high = CASES_HIGH;
    for (const char *at = builder->line ? builder->line->domain : ""; *at; at += strspn(at, " ")) {
        struct wish usual;
        const char *end = read_wish(&usual, at);
        if (!end) return;
        if (strcmp(usual.name, name) == 0) {
            *low = usual.low;
            *high = usual.high;
        }
        at = end;
    }
}

static void set_domain(struct builder *builder, struct generation_case *of) {
    for (int s = 0; s < of->domain.count; s++) {
        const char *name = of->signature->argument[of->size_argument[s]].name;
        const struct wish *wish = find_wish(builder, name);
        set_usual(builder, name, &of->domain.low[s], &of->domain.high[s]);
        if (!wish) continue;
        of->domain.low[s] = wish->low;
        of->domain.high[s] = wish->high;
    }
}

static bool is_same_domain(const struct tcplan_model_domain *a,
                           const struct tcplan_model_domain *b) {
    bool same = a->count == b->count;
    for (int s = 0; s < a->count && same; s++)
        same = a->low[s] == b->low[s] && a->high[s] == b->high[s];
    return same;
}

static bool is_there(const struct generation_cases *cases, const struct generation_case *wanted) {
    for (int c = 0; c < cases->count; c++) {
        if (strcmp(cases->of[c].text, wanted->text) == 0 &&
            is_same_domain(&cases->of[c].domain, &wanted->domain))
            return true;
    }
    return false;
}

static enum tcplan_status append(struct generation_cases *cases, const struct generation_case *of,
                                 struct tcplan_error *error) {
    if (is_there(cases, of)) return TCPLAN_OK;
    struct generation_case *larger =
        base_realloc(cases->of, (size_t)(cases->count + 1) * sizeof *larger);
    if (!larger) return error_no_memory(error);
    cases->of = larger;
    larger[cases->count++] = *of;
    return TCPLAN_OK;
}

/** Sets an argument of the case from its word; false if that is not a valid value. */
static bool set_argument(struct generation_case *of, int number, const char *word) {
    const struct signature_argument *argument = &of->signature->argument[number];
    if (argument->class == SIGNATURE_SCALAR) return find_scalar(&of->scalar[number], word);
    if (argument->class == SIGNATURE_INC) return find_increment(&of->value[number], word);
    return find_flag(&of->value[number], argument, word);
}

static void set_sizes(struct generation_case *of) {
    int degree[SIGNATURE_MAX_ARGUMENTS] = {0};
    signature_degrees(of->signature, of->value, degree, NULL);
    for (int a = 0; a < of->signature->count; a++) {
        if (of->signature->argument[a].class != SIGNATURE_DIM) continue;
        of->degree[of->domain.count] = degree[of->domain.count];
        of->size_argument[of->domain.count++] = a;
    }
}

/** Checks that the routine can be called at all corners of the domain. In some routines, one size
 * limits another. */
static enum tcplan_status check_corners(const struct generation_case *of,
                                        struct tcplan_error *error) {
    for (unsigned corner = 0; corner < 1U << of->domain.count; corner++) {
        int64_t value[SIGNATURE_MAX_ARGUMENTS], size[TCPLAN_MODEL_SIZES] = {0};
        struct tcplan_error cause;
        for (int s = 0; s < of->domain.count; s++)
            size[s] = corner >> s & 1 ? of->domain.high[s] : of->domain.low[s];
        case_values(value, of, size, 0);
        if (signature_check(of->signature, value, NULL, &cause) == TCPLAN_OK) continue;
        return error_set(error, TCPLAN_INVALID,
                         "the routine does not accept some sizes in the domain of %.60s: %.200s",
                         of->signature->name, cause.message);
    }
    return TCPLAN_OK;
}

/** Adds the case for the current values of the arguments. */
static enum tcplan_status add_case(struct builder *builder, struct tcplan_error *error) {
    struct generation_case of = {.signature = builder->choice.signature};
    size_t length = (size_t)snprintf(of.text, sizeof of.text, "%s", of.signature->name);
    for (int o = 0; o < builder->order.count; o++) {
        const int number = builder->order.argument[o];
        if (!set_argument(&of, number, builder->value[number])) {
            return error_set(error, TCPLAN_INVALID, "%s has no %s=%s", of.signature->name,
                             of.signature->argument[number].name, builder->value[number]);
        }
        length += (size_t)snprintf(of.text + length, sizeof of.text - length, " %s=%s",
                                   of.signature->argument[number].name, builder->value[number]);
        if (length >= sizeof of.text)
            return error_set(error, TCPLAN_INVALID, "the case of %s is too long",
                             of.signature->name);
    }
    set_sizes(&of);
    set_domain(builder, &of);
    builder->found = true;
    enum tcplan_status status = check_corners(&of, error);
    return status == TCPLAN_OK ? append(builder->out, &of, error) : status;
}

/**
 * Returns the values of an argument in the table's line, as alternatives separated by `|`; NULL if
 * the line lacks it.
 */
static const char *alternatives_of(const struct cases_used_line *line, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = line->arguments; *at; at += strspn(at, " ")) {
        if (strncmp(at, name, length) == 0 && at[length] == '=') return at + length + 1;
        at += strcspn(at, " ");
    }
    return NULL;
}

/** Adds the cases for all combinations of values of the arguments from position `o` on. */
static enum tcplan_status combine(struct builder *builder, int o, struct tcplan_error *error) {
    if (o == builder->order.count) return add_case(builder, error);
    const int number = builder->order.argument[o];
    const char *wanted = builder->choice.value[number];
    const char *at =
        builder->line
            ? alternatives_of(builder->line, builder->choice.signature->argument[number].name)
            : wanted;
    enum tcplan_status status = TCPLAN_OK;
    for (; at && *at && *at != ' ' && status == TCPLAN_OK; at += *at == '|') {
        const size_t length = strcspn(at, "| ");
        snprintf(builder->value[number], VALUE, "%.*s", (int)length, at);
        if (!*wanted || strcmp(wanted, builder->value[number]) == 0)
            status = combine(builder, o + 1, error);
        at += length;
    }
    return status;
}

/** Returns why a routine cannot have models; NULL: it can. */
static const char *why_not(const struct signature *signature) {
    int sizes = 0;
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        sizes += argument->class == SIGNATURE_DIM;
        if (argument->class == SIGNATURE_STRING) return "it takes texts";
        if (argument->class == SIGNATURE_DATA && argument->storage == SIGNATURE_PACKED)
            return "the routine has a packed matrix";
        if (argument->class == SIGNATURE_DATA && argument->storage == SIGNATURE_BAND)
            return "the routine has a band matrix";
    }
    if (sizes == 0) return "the routine has no size";
    return sizes > TCPLAN_MODEL_SIZES ? "the routine has too many sizes" : NULL;
}

static bool names_all(const struct builder *builder) {
    for (int o = 0; o < builder->order.count; o++) {
        if (!*builder->choice.value[builder->order.argument[o]]) return false;
    }
    return true;
}

static enum tcplan_status refuse_choice(const struct builder *builder, bool is_used,
                                        struct tcplan_error *error) {
    const struct signature *signature = builder->choice.signature;
    struct strbuf names = {0};
    for (int o = 0; o < builder->order.count; o++) {
        strbuf_add(&names, "%s%s", o > 0 ? ", " : "",
                   signature->argument[builder->order.argument[o]].name);
    }
    error_set(
        error, TCPLAN_INVALID,
        is_used ? "algorithms use no case of %s with these flags; for another case, specify all of "
                  "%.150s"
                : "the cases of %s that algorithms use are unknown; specify all of %.150s",
        signature->name, names.text ? names.text : "");
    strbuf_free(&names);
    return TCPLAN_INVALID;
}

/** Adds the chosen cases. */
static enum tcplan_status add_choice(struct builder *builder, struct tcplan_error *error) {
    const struct signature *signature = builder->choice.signature;
    const char *reason = why_not(signature);
    bool is_used = false;
    if (reason)
        return error_set(error, TCPLAN_INVALID, "%s cannot be modelled: %s", signature->name,
                         reason);
    builder->order = order_of(signature);
    builder->found = false;
    for (const struct cases_used_line *line = cases_used; line->routine; line++) {
        if (strcmp(line->routine, signature->base) != 0) continue;
        is_used = true;
        builder->line = line;
        enum tcplan_status status = combine(builder, 0, error);
        if (status != TCPLAN_OK) return status;
    }
    builder->line = NULL;
    if (builder->found) return TCPLAN_OK;
    return names_all(builder) ? combine(builder, 0, error) : refuse_choice(builder, is_used, error);
}

/** Sets the domain of a size of the current routine; a size that already has a domain is an error.
 */
static enum tcplan_status read_own_size(struct builder *builder, const char *token,
                                        struct tcplan_error *error) {
    struct choice *choice = &builder->choice;
    struct wish wish;
    const char *end = read_wish(&wish, token);
    if (!end || *end || choice->wishes == MOST_WISHES ||
        find_among(choice->wish, choice->wishes, wish.name)) {
        return error_set(
            error, TCPLAN_INVALID,
            "expected the domain of a size of %s, each once, such as m=24:536, found '%s'",
            choice->signature->name, token);
    }
    choice->wish[choice->wishes++] = wish;
    return check_wish(builder, &wish, error);
}

static enum tcplan_status read_argument(struct builder *builder, const char *token,
                                        struct tcplan_error *error) {
    const struct signature *signature = builder->choice.signature;
    const size_t length = strcspn(token, "=");
    char name[WORD];
    if (!signature)
        return error_set(error, TCPLAN_INVALID, "expected a routine, found '%s'", token);
    snprintf(name, sizeof name, "%.*s", (int)length, token);
    const int number = signature_argument(signature, name);
    const enum signature_class class =
        number < 0 ? SIGNATURE_CLASSES : signature->argument[number].class;
    if (class == SIGNATURE_DIM) return read_own_size(builder, token, error);
    if (class != SIGNATURE_FLAG && class != SIGNATURE_SCALAR && class != SIGNATURE_INC) {
        return error_set(error, TCPLAN_INVALID, "%s has no flag, scalar, increment or size '%s'",
                         signature->name, name);
    }
    struct generation_case probe = {.signature = signature};
    if (strlen(token + length + 1) < VALUE && set_argument(&probe, number, token + length + 1)) {
        snprintf(builder->choice.value[number], VALUE, "%s", token + length + 1);
        return TCPLAN_OK;
    }
    struct strbuf expected = {0};
    describe_values(&expected, &signature->argument[number]);
    error_set(error, TCPLAN_INVALID, "%s of %s is %.60s, found '%s'", name, signature->name,
              expected.text ? expected.text : "", token + length + 1);
    strbuf_free(&expected);
    return TCPLAN_INVALID;
}

static enum tcplan_status read_token(struct builder *builder, const char *token,
                                     struct tcplan_error *error) {
    if (strchr(token, '=')) return read_argument(builder, token, error);
    enum tcplan_status status = builder->choice.signature ? add_choice(builder, error) : TCPLAN_OK;
    builder->choice = (struct choice){.signature = NULL};
    return status == TCPLAN_OK ? signature_find(&builder->choice.signature, token, error) : status;
}

/** Returns the length of the first token of a text. The upper end of a domain, after a colon,
 * belongs to the token. */
static size_t token_length(const char *text) {
    static const char dividers[] = DIVIDERS;
    const size_t length = strcspn(text, dividers);
    const bool continues = text[length] == ':' && text[length + 1] >= '0' &&
                           text[length + 1] <= '9' && memchr(text, '=', length);
    return continues ? length + 1 + strcspn(text + length + 1, dividers) : length;
}

static enum tcplan_status read_words(struct builder *builder, const char *const word[], int count,
                                     struct tcplan_error *error) {
    static const char dividers[] = DIVIDERS;
    for (int w = 0; w < count; w++) {
        for (const char *at = word[w] + strspn(word[w], dividers); *at;
             at += strspn(at, dividers)) {
            char token[WORD];
            const size_t length = token_length(at);
            if (length >= sizeof token)
                return error_set(error, TCPLAN_INVALID,
                                 "expected a routine or argument, found '%.80s'", at);
            snprintf(token, sizeof token, "%.*s", (int)length, at);
            enum tcplan_status status = read_token(builder, token, error);
            if (status != TCPLAN_OK) return status;
            at += length;
        }
    }
    if (!builder->choice.signature)
        return error_set(error, TCPLAN_INVALID,
                         "expected a routine, such as dgemm or dtrsm:side=L");
    return add_choice(builder, error);
}

enum tcplan_status cases_read(struct generation_cases *out, const char *const word[], int count,
                              const char *domain, int64_t multiple, struct tcplan_error *error) {
    struct builder builder = {.out = out, .multiple = multiple};
    enum tcplan_status status = domain ? read_domain(&builder, domain, error) : TCPLAN_OK;
    if (status == TCPLAN_OK) status = read_words(&builder, word, count, error);
    for (int w = 0; w < builder.wishes && status == TCPLAN_OK; w++) {
        if (!builder.wish[w].used)
            status = error_set(error, TCPLAN_INVALID, "none of the routines has a size '%s'",
                               builder.wish[w].name);
    }
    return status;
}

void cases_free(struct generation_cases *cases) {
    base_free(cases->of);
    *cases = (struct generation_cases){0};
}

static const char *scalar_word(double value, bool any_scalars) {
    for (size_t s = 0; s < sizeof scalars / sizeof *scalars; s++) {
        if (scalars[s].value == value && (value == 0 || !any_scalars)) return scalars[s].word;
    }
    return "any";
}

/** Writes the word for an argument of a case, as set_argument() reads it. */
static void print_value(char out[VALUE], const struct signature_argument *argument, int64_t value,
                        double scalar, bool any_scalars) {
    if (argument->class == SIGNATURE_SCALAR) {
        snprintf(out, VALUE, "%s", scalar_word(scalar, any_scalars));
    } else if (argument->class == SIGNATURE_INC) {
        snprintf(out, VALUE, "%s", value == 1 ? "1" : "large");
    } else if (has_letters(argument)) {
        snprintf(out, VALUE, "%c", (char)value);
    } else {
        snprintf(out, VALUE, "%d", (int)value);
    }
}

bool case_of_call(struct called_case *out, const struct signature *signature, const int64_t value[],
                  const double scalar[], bool any_scalars) {
    const struct order order = order_of(signature);
    size_t length = (size_t)snprintf(out->text, sizeof out->text, "%s", signature->name);
    for (int o = 0; o < order.count && length < sizeof out->text; o++) {
        const int number = order.argument[o];
        char word[VALUE];
        print_value(word, &signature->argument[number], value[number], scalar[number], any_scalars);
        length += (size_t)snprintf(out->text + length, sizeof out->text - length, " %s=%s",
                                   signature->argument[number].name, word);
    }
    out->sizes = 0;
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class != SIGNATURE_DIM) continue;
        if (out->sizes == TCPLAN_MODEL_SIZES) return false;
        out->size_argument[out->sizes++] = a;
    }
    return length < sizeof out->text;
}

void case_values(int64_t value[SIGNATURE_MAX_ARGUMENTS], const struct generation_case *of,
                 const int64_t size[], int64_t leading) {
    const struct signature *signature = of->signature;
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    for (int a = 0; a < signature->count; a++) {
        const enum signature_class class = signature->argument[a].class;
        value[a] = of->value[a];
        given[a] = class == SIGNATURE_FLAG || class == SIGNATURE_INC ||
                   (class == SIGNATURE_LD && leading > 0);
        if (class == SIGNATURE_LD || (class == SIGNATURE_INC && value[a] == 0))
            value[a] = leading > 0 ? leading : 1;
    }
    for (int s = 0; s < of->domain.count; s++) {
        value[of->size_argument[s]] = size[s];
        given[of->size_argument[s]] = true;
    }
    signature_complete(signature, value, given);
}

int64_t case_least_leading(const struct generation_case *of) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    int64_t least = 1;
    case_values(value, of, of->domain.high, 0);
    for (int a = 0; a < of->signature->count; a++) {
        if (of->signature->argument[a].class != SIGNATURE_LD) continue;
        const int64_t own = signature_least(of->signature, value, a);
        if (own > least) least = own;
    }
    return least;
}

double case_flops(const struct generation_case *of, const int64_t size[]) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    const enum tcplan_dtype dtype = of->signature->dtype;
    case_values(value, of, size, 0);
    return signature_flops(of->signature, value) *
           (dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX ? 0.5 : 1);
}

double case_work(const struct generation_case *of, const int64_t size[]) {
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    case_values(value, of, size, 0);
    return signature_flops(of->signature, value) + signature_movement(of->signature, value) +
           CALL_WORK;
}
