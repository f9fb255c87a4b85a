#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tcplan/models.h"

/* Cases. */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_of_name(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_of_value(char c) {
    return is_of_name(c) || (c && strchr("+-.,>", c));
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/** Parser of a case: `at` is the next character of `text`, `length` counts the characters in `out`.
 */
struct case_reader {
    const char *text;
    const char *at;
    char *out;
    size_t length;
    struct tcplan_error *error;
};

static enum tcplan_status refuse_here(const struct case_reader *reader, const char *expected) {
    const size_t offset = (size_t)(reader->at - reader->text);
    if (!*reader->at)
        return error_at(reader->error, TCPLAN_INVALID, offset, 1,
                        "expected %s, found the end of the case", expected);
    const char shown = (char)(*reader->at > ' ' && *reader->at < 0x7f ? *reader->at : '?');
    return error_at(reader->error, TCPLAN_INVALID, offset, 1, "expected %s, found '%c'", expected,
                    shown);
}

static enum tcplan_status copy(struct case_reader *reader, char c) {
    if (reader->length + 1 >= TCPLAN_MODEL_TEXT) {
        return error_at(reader->error, TCPLAN_INVALID, 0, strlen(reader->text),
                        "a case has at most %d characters", TCPLAN_MODEL_TEXT - 1);
    }
    reader->out[reader->length++] = c;
    return TCPLAN_OK;
}

/* Reads the name of a routine or an argument, of fewer than `most` characters: name = letter {
 * letter | digit | "_" } */
static enum tcplan_status read_name(struct case_reader *reader, const char *expected, size_t most) {
    enum tcplan_status status = is_letter(*reader->at) ? TCPLAN_OK : refuse_here(reader, expected);
    const char *first = reader->at;
    for (; status == TCPLAN_OK && is_of_name(*reader->at); reader->at++) {
        status = copy(reader, *reader->at);
        if (status == TCPLAN_OK && (size_t)(reader->at - first) + 1 >= most) {
            status = error_at(reader->error, TCPLAN_INVALID, (size_t)(first - reader->text), most,
                              "a name has at most %zu characters", most - 1);
        }
    }
    return status;
}

/* argument "=" value */
static enum tcplan_status read_argument(struct case_reader *reader) {
    enum tcplan_status status = copy(reader, ' ');
    if (status == TCPLAN_OK)
        status = read_name(reader, "the name of an argument", TCPLAN_MODEL_NAME);
    if (status == TCPLAN_OK && *reader->at != '=') status = refuse_here(reader, "'=' and a value");
    if (status == TCPLAN_OK) status = copy(reader, *reader->at++);
    if (status == TCPLAN_OK && !is_of_value(*reader->at)) status = refuse_here(reader, "a value");
    while (status == TCPLAN_OK && is_of_value(*reader->at)) status = copy(reader, *reader->at++);
    return status;
}

enum tcplan_status tcplan_model_case_read(char out[TCPLAN_MODEL_TEXT], const char *text,
                                          struct tcplan_error *error) {
    struct case_reader reader = {.text = text, .at = text, .out = out, .error = error};
    while (is_blank(*reader.at)) reader.at++;
    enum tcplan_status status = read_name(&reader, "the name of a routine", TCPLAN_MODEL_NAME);
    while (status == TCPLAN_OK && *reader.at) {
        if (!is_blank(*reader.at)) return refuse_here(&reader, "a blank");
        while (is_blank(*reader.at)) reader.at++;
        if (*reader.at) status = read_argument(&reader);
    }
    out[reader.length] = '\0';
    return status;
}

void tcplan_model_case_routine(char out[TCPLAN_MODEL_NAME], const char *case_text) {
    snprintf(out, TCPLAN_MODEL_NAME, "%.*s", (int)strcspn(case_text, " "), case_text);
}

/* Setups. */

bool tcplan_model_setup_matches(const struct tcplan_model_setup *a,
                                const struct tcplan_model_setup *b) {
    return a->threads == b->threads && a->placement == b->placement &&
           strcmp(a->provider, b->provider) == 0 && strcmp(a->binding, b->binding) == 0 &&
           strcmp(a->counter, b->counter) == 0 &&
           (!*a->version || !*b->version || strcmp(a->version, b->version) == 0);
}

/* Domains. */

void tcplan_model_domain_print(char out[TCPLAN_MODEL_DOMAIN_TEXT],
                               const struct tcplan_model_domain *domain) {
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < domain->count; i++) {
        const int added =
            snprintf(out + length, TCPLAN_MODEL_DOMAIN_TEXT - length, "%s[%" PRId64 ",%" PRId64 "]",
                     i > 0 ? "x" : "", domain->low[i], domain->high[i]);
        if (added < 0 || length + (size_t)added >= TCPLAN_MODEL_DOMAIN_TEXT) return;
        length += (size_t)added;
    }
}

/** Parser of a domain: `at` is the next character of `text`. */
struct domain_reader {
    const char *text;
    const char *at;
    struct tcplan_error *error;
};

static enum tcplan_status expect(struct domain_reader *reader, char c) {
    while (is_blank(*reader->at)) reader->at++;
    if (*reader->at == c) {
        reader->at++;
        return TCPLAN_OK;
    }
    return error_at(reader->error, TCPLAN_INVALID, (size_t)(reader->at - reader->text), 1,
                    "expected '%c' of a domain such as [24,536]x[24,4152]", c);
}

/** Reads a size from 1 to TCPLAN_MODEL_LARGEST. */
static enum tcplan_status read_size(struct domain_reader *reader, int64_t *out) {
    while (is_blank(*reader->at)) reader->at++;
    const char *first = reader->at;
    for (*out = 0; is_digit(*reader->at) && *out <= TCPLAN_MODEL_LARGEST; reader->at++)
        *out = 10 * *out + (*reader->at - '0');
    if (*out >= 1 && *out <= TCPLAN_MODEL_LARGEST) return TCPLAN_OK;
    const size_t length = strspn(first, "0123456789");
    return error_at(reader->error, TCPLAN_INVALID, (size_t)(first - reader->text),
                    length > 0 ? length : 1, "expected a size from 1 to %" PRId64,
                    TCPLAN_MODEL_LARGEST);
}

/* "[" size "," size "]" */
static enum tcplan_status read_range(struct domain_reader *reader, int64_t *low, int64_t *high) {
    enum tcplan_status status = expect(reader, '[');
    const size_t offset = (size_t)(reader->at - reader->text);
    if (status == TCPLAN_OK) status = read_size(reader, low);
    if (status == TCPLAN_OK) status = expect(reader, ',');
    if (status == TCPLAN_OK) status = read_size(reader, high);
    const size_t length = (size_t)(reader->at - reader->text) - offset;
    if (status == TCPLAN_OK) status = expect(reader, ']');
    if (status != TCPLAN_OK || *low <= *high) return status;
    return error_at(reader->error, TCPLAN_INVALID, offset, length,
                    "%" PRId64 " is above %" PRId64 ", the end of the domain", *low, *high);
}

enum tcplan_status tcplan_model_domain_read(struct tcplan_model_domain *out, const char *text,
                                            struct tcplan_error *error) {
    struct domain_reader reader = {.text = text, .at = text, .error = error};
    struct tcplan_model_domain domain = {0};
    enum tcplan_status status = TCPLAN_OK;
    do {
        if (domain.count == TCPLAN_MODEL_SIZES) {
            return error_at(error, TCPLAN_INVALID, (size_t)(reader.at - text), 1,
                            "a domain has at most %d sizes", TCPLAN_MODEL_SIZES);
        }
        if (domain.count > 0) status = expect(&reader, 'x');
        if (status == TCPLAN_OK)
            status = read_range(&reader, &domain.low[domain.count], &domain.high[domain.count]);
        domain.count++;
        while (is_blank(*reader.at)) reader.at++;
    } while (status == TCPLAN_OK && *reader.at);
    if (status == TCPLAN_OK) *out = domain;
    return status;
}

bool tcplan_model_domain_contains(const struct tcplan_model_domain *domain, const int64_t size[]) {
    for (int i = 0; i < domain->count; i++) {
        if (size[i] < domain->low[i] || size[i] > domain->high[i]) return false;
    }
    return true;
}
