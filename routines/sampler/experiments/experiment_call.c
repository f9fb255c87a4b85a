#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "routines/sampler/experiments/experiment.h"

enum { NAME_LENGTH_MAX = 32 };

struct expression_scope experiment_scope(const struct tcplan_experiment *experiment, bool sum) {
    return (struct expression_scope){.name = {experiment->variable[EXPRESSION_RANGE],
                                              sum ? experiment->variable[EXPRESSION_SUM] : NULL}};
}

int experiment_operand(struct tcplan_experiment *experiment, const char *name, size_t length) {
    int o = 0;
    while (o < experiment->operand_count &&
           (strlen(experiment->operand[o].name) != length ||
            memcmp(experiment->operand[o].name, name, length) != 0)) {
        o++;
    }
    if (o < experiment->operand_count) return o;
    const char *copy =
        o < EXPERIMENT_OPERANDS_MAX ? arena_strndup(&experiment->arena, name, length) : NULL;
    if (!copy) return -1;
    experiment->operand[o] = (struct experiment_operand){.name = copy, .along = 1};
    return experiment->operand_count++;
}

/* Reading one argument. */

/** `NAME=VALUE` as in the text of a call. */
struct assignment {
    const char *name;
    size_t name_length;
    const char *value;
    size_t length;
};

static bool is_name(const char *text, size_t length) {
    if (length == 0 || length > NAME_LENGTH_MAX || !isalpha((unsigned char)*text)) return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') return false;
    }
    return true;
}

/** Puts the name of the argument before an error message about its value. */
static enum tcplan_status about(const struct assignment *assignment, enum tcplan_status status,
                                struct tcplan_error *error) {
    char message[TCPLAN_MESSAGE_SIZE];
    if (status == TCPLAN_OK || status == TCPLAN_NO_MEMORY || !error) return status;
    snprintf(message, sizeof message, "%s", error->message);
    return error_set(error, status, "%.*s=%.*s: %.200s", (int)assignment->name_length,
                     assignment->name, (int)(assignment->length < 60 ? assignment->length : 60),
                     assignment->value, message);
}

static enum tcplan_status refuse(const struct assignment *assignment, struct tcplan_error *error,
                                 const char *message) {
    error_set(error, TCPLAN_INVALID, "%s", message);
    return about(assignment, TCPLAN_INVALID, error);
}

static enum tcplan_status take_flag(struct experiment_argument *out,
                                    const struct signature_argument *argument,
                                    const struct assignment *assignment,
                                    struct tcplan_error *error) {
    const bool is_integer = argument->elements == SIGNATURE_INTEGER;
    char expected[80] = "";
    for (int v = 0; v < argument->values; v++) {
        char word[16];
        snprintf(word, sizeof word, is_integer ? "%d" : "%c", argument->value[v]);
        if (strlen(word) == assignment->length &&
            strncasecmp(word, assignment->value, assignment->length) == 0) {
            out->flag = argument->value[v];
            return TCPLAN_OK;
        }
        const size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, "%s%s",
                 v > 0 ? ", " : "expected one of ", word);
    }
    return refuse(assignment, error, expected);
}

/** Reads an operand's name. */
static enum tcplan_status take_operand(struct experiment_argument *out,
                                       struct tcplan_experiment *experiment,
                                       const struct assignment *assignment,
                                       struct tcplan_error *error) {
    if (!is_name(assignment->value, assignment->length)) {
        return refuse(
            assignment, error,
            "expected the name of an operand: a letter, then letters, digits and _, at most 32");
    }
    out->operand = experiment_operand(experiment, assignment->value, assignment->length);
    if (out->operand >= 0) return TCPLAN_OK;
    return experiment->operand_count < EXPERIMENT_OPERANDS_MAX
               ? error_no_memory(error)
               : refuse(assignment, error, "more than 64 operands");
}

/** Returns the position of a comma outside of parentheses; `length` if there is none. */
static size_t find_comma(const char *text, size_t length) {
    int depth = 0;
    size_t at = 0;
    for (; at < length && !(depth == 0 && text[at] == ','); at++)
        depth += (text[at] == '(') - (text[at] == ')');
    return at;
}

/* scalar = expression [ "," expression ] */
static enum tcplan_status take_scalar(struct experiment_argument *out,
                                      struct tcplan_experiment *experiment, bool complex,
                                      const struct assignment *assignment,
                                      struct tcplan_error *error) {
    const struct expression_scope scope = experiment_scope(experiment, true);
    const size_t comma = find_comma(assignment->value, assignment->length);
    enum tcplan_status status =
        expression_parse(&out->value, &experiment->arena, assignment->value, comma, &scope, error);
    if (status != TCPLAN_OK || comma == assignment->length) return about(assignment, status, error);
    if (!complex)
        return refuse(assignment, error, "this argument is real, but the number is complex");
    status = expression_parse(&out->imaginary, &experiment->arena, assignment->value + comma + 1,
                              assignment->length - comma - 1, &scope, error);
    return about(assignment, status, error);
}

static bool is_complex(const struct signature *signature,
                       const struct signature_argument *argument) {
    return argument->elements == SIGNATURE_OWN &&
           (signature->dtype == TCPLAN_FLOAT_COMPLEX || signature->dtype == TCPLAN_DOUBLE_COMPLEX);
}

static enum tcplan_status take_value(struct experiment_argument *out,
                                     struct tcplan_experiment *experiment,
                                     const struct signature *signature, int argument,
                                     const struct assignment *assignment,
                                     struct tcplan_error *error) {
    const struct signature_argument *kind = &signature->argument[argument];
    const struct expression_scope scope = experiment_scope(experiment, true);
    switch (kind->class) {
    case SIGNATURE_FLAG: return take_flag(out, kind, assignment, error);
    case SIGNATURE_DATA: return take_operand(out, experiment, assignment, error);
    case SIGNATURE_SCALAR:
        return take_scalar(out, experiment, is_complex(signature, kind), assignment, error);
    case SIGNATURE_DIM:
    case SIGNATURE_LD:
    case SIGNATURE_INC:
    case SIGNATURE_LWORK:
        return about(assignment,
                     expression_parse(&out->value, &experiment->arena, assignment->value,
                                      assignment->length, &scope, error),
                     error);
    case SIGNATURE_WORK:
    case SIGNATURE_INFO:
    case SIGNATURE_STRING:
    case SIGNATURE_CLASSES: break;
    }
    return refuse(assignment, error,
                  "this argument cannot be given: workspaces and info are set automatically");
}

/** Skips blanks. */
static const char *skip_blanks(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return text;
}

/** Returns the length of the text up to a blank outside of parentheses. */
static size_t word_length(const char *text) {
    int depth = 0;
    size_t length = 0;
    for (; text[length] && (depth > 0 || !isspace((unsigned char)text[length])); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

static enum tcplan_status take_word(struct experiment_call *out,
                                    struct tcplan_experiment *experiment, const char *word,
                                    size_t length, struct tcplan_error *error) {
    const char *equals = memchr(word, '=', length);
    const int shown = (int)(length < 60 ? length : 60);
    if (!equals)
        return error_set(error, TCPLAN_INVALID, "expected arguments such as m=n, found '%.*s'",
                         shown, word);
    const struct assignment assignment = {.name = word,
                                          .name_length = (size_t)(equals - word),
                                          .value = equals + 1,
                                          .length = length - (size_t)(equals - word) - 1};
    char name[SIGNATURE_NAME] = "";
    if (assignment.name_length < sizeof name) memcpy(name, word, assignment.name_length);
    const int a = signature_argument(out->signature, name);
    if (a < 0) {
        return error_set(
            error, TCPLAN_INVALID, "%s has no argument '%.*s'; its arguments are %.160s",
            out->signature->name, (int)(assignment.name_length < 40 ? assignment.name_length : 40),
            word, out->signature->text);
    }
    if (out->argument[a].given) return refuse(&assignment, error, "this argument is given twice");
    out->argument[a].given = true;
    return take_value(&out->argument[a], experiment, out->signature, a, &assignment, error);
}

/** Copies words with single blanks between them. */
static const char *with_single_blanks(struct arena *arena, const char *text) {
    char *copy = arena_strndup(arena, text, strlen(text));
    size_t length = 0;
    for (const char *at = text; copy && *at; at++) {
        if (!isspace((unsigned char)*at)) {
            copy[length++] = *at;
        } else if (length > 0 && copy[length - 1] != ' ') {
            copy[length++] = ' ';
        }
    }
    while (copy && length > 0 && copy[length - 1] == ' ') length--;
    if (copy) copy[length] = '\0';
    return copy;
}

/* call = { name "=" value } */
enum tcplan_status experiment_call_parse(struct experiment_call *out,
                                         struct tcplan_experiment *experiment, const char *routine,
                                         const char *text, struct tcplan_error *error) {
    enum tcplan_status status = signature_find(&out->signature, routine, error);
    if (status != TCPLAN_OK) return status;
    for (int a = 0; a < SIGNATURE_MAX_ARGUMENTS; a++)
        out->argument[a] = (struct experiment_argument){.operand = -1, .rows = -1, .columns = -1};
    out->text = with_single_blanks(&experiment->arena, text);
    if (!out->text) return error_no_memory(error);
    for (const char *at = skip_blanks(text); *at && status == TCPLAN_OK; at = skip_blanks(at)) {
        const size_t length = word_length(at);
        status = take_word(out, experiment, at, length, error);
        at += length;
    }
    return status;
}
