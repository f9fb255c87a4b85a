/*
 * An experiment of one routine is written as a document and read like any other, so that its
 * arguments are checked and completed in one place. The range is the last argument of the text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "routines/sampler/experiments/experiment.h"

enum { MOST_TEXT = 1000 };

/** Parts of the text of a routine. Pointers point into the text. */
struct parts {
    const struct signature *signature;
    char provider[32];     /* name of the provider; empty: none is given */
    const char *arguments; /* the arguments; NULL: none */
    size_t arguments_length;
    char variable[SIGNATURE_NAME]; /* name of the size that is the range */
    const char *values;
};

static enum tcplan_status refuse(const char *text, struct tcplan_error *error) {
    return error_set(
        error, TCPLAN_INVALID,
        "expected a routine and sizes, such as dtrsm=100,200 or dgemm@blis:transA=T,k=64,n=100:1000:100, found '%.100s'",
        text);
}

/** Splits at the last `=`: before it is the name of a size, after it are its values. */
static bool split_range(struct parts *out, const char *text) {
    const char *equals = strrchr(text, '='), *name = equals;
    if (!equals || !equals[1]) return false;
    while (name > text && name[-1] != ',') name--;
    const size_t length = (size_t)(equals - name);
    if (length == 0 || length >= sizeof out->variable) return false;
    memcpy(out->variable, name, length);
    out->variable[length] = '\0';
    out->arguments = text;
    out->arguments_length = name > text ? (size_t)(name - text) - 1 : 0;
    out->values = equals + 1;
    return true;
}

/** Returns the first size of a routine; NULL: it has none. */
static const char *first_size(const struct signature *signature) {
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class == SIGNATURE_DIM) return signature->argument[a].name;
    }
    return NULL;
}

static bool is_size(const struct signature *signature, const char *name) {
    const int a = signature_argument(signature, name);
    return a >= 0 && signature->argument[a].class == SIGNATURE_DIM;
}

static enum tcplan_status split(struct parts *out, const char *text, struct tcplan_error *error) {
    char routine[SIGNATURE_NAME];
    const size_t head = strcspn(text, ":="), length = strcspn(text, "@:=");
    *out = (struct parts){.arguments = NULL};
    if (length == 0 || length >= sizeof routine || !text[head] || strlen(text) > MOST_TEXT)
        return refuse(text, error);
    for (const char *c = text; *c;
         c++) { /* no other characters of the text need to be escaped in XML */
        if (!isalnum((unsigned char)*c) && !strchr("@:=,.+-*/()_", *c)) return refuse(text, error);
    }
    snprintf(routine, sizeof routine, "%.*s", (int)length, text);
    if (head > length)
        snprintf(out->provider, sizeof out->provider, "%.*s", (int)(head - length - 1),
                 text + length + 1);
    const enum tcplan_status status = signature_find(&out->signature, routine, error);
    if (status != TCPLAN_OK) return status;
    const char *size = first_size(out->signature);
    if (!size) return error_set(error, TCPLAN_INVALID, "%s has no size", out->signature->name);
    if (text[head] == '=') {
        out->values = text + head + 1;
        snprintf(out->variable, sizeof out->variable, "%s", size);
        return *out->values ? TCPLAN_OK : refuse(text, error);
    }
    if (!split_range(out, text + head + 1)) return refuse(text, error);
    if (is_size(out->signature, out->variable)) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "the last argument is the range: expected a size of %s such as %s, found '%s'",
                     out->signature->name, size, out->variable);
}

/** Returns whether the text gives an argument. */
static bool is_given(const struct parts *parts, const char *name) {
    const size_t length = strlen(name);
    for (size_t at = 0; parts->arguments && at < parts->arguments_length;) {
        const char *word = parts->arguments + at;
        if (strncmp(word, name, length) == 0 && word[length] == '=') return true;
        while (at < parts->arguments_length && parts->arguments[at] != ',') at++;
        at++;
    }
    return false;
}

/** Adds the arguments of the text, separated by blanks. */
static void add_given(struct strbuf *out, const struct parts *parts) {
    for (size_t i = 0; i < parts->arguments_length; i++)
        strbuf_add(out, "%c", parts->arguments[i] == ',' ? ' ' : parts->arguments[i]);
}

/** Adds an argument that the text omits and that has no default in experiments. */
static void add_omitted(struct strbuf *out, const struct parts *parts, int a) {
    const struct signature_argument *argument = &parts->signature->argument[a];
    if (is_given(parts, argument->name)) return;
    if (argument->class == SIGNATURE_FLAG)
        strbuf_add(out, argument->elements == SIGNATURE_INTEGER ? " %s=%d" : " %s=%c",
                   argument->name, argument->value[0]);
    if (argument->class == SIGNATURE_DIM)
        strbuf_add(out, " %s=%s", argument->name, parts->variable);
    if (argument->class == SIGNATURE_SCALAR) strbuf_add(out, " %s=1", argument->name);
    if (argument->class == SIGNATURE_DATA)
        strbuf_add(out, " %s=%s", argument->name, argument->name);
}

/** Adds the call that refills an operand before each timed call. Vectors and packed matrices are
 * not refilled. */
static void add_preparation(struct strbuf *out, const struct parts *parts, int a) {
    static const char letter[] = {[TCPLAN_FLOAT] = 's',
                                  [TCPLAN_DOUBLE] = 'd',
                                  [TCPLAN_FLOAT_COMPLEX] = 'c',
                                  [TCPLAN_DOUBLE_COMPLEX] = 'z'};
    const struct signature_argument *argument = &parts->signature->argument[a];
    const char type = letter[parts->signature->dtype];
    if (argument->class != SIGNATURE_DATA || argument->elements != SIGNATURE_OWN ||
        !(argument->access & SIGNATURE_READ))
        return;
    if (argument->storage == SIGNATURE_TRIANGLE || argument->storage == SIGNATURE_SYMMETRIC) {
        for (const char *uplo = "LU"; *uplo; uplo++)
            strbuf_add(out, "  <call routine=\"%cporand\">uplo=%c A=%s</call>\n", type, *uplo,
                       argument->name);
    } else if (argument->storage == SIGNATURE_GENERAL && argument->access & SIGNATURE_WRITTEN) {
        strbuf_add(out, "  <call routine=\"%cgerand\">A=%s</call>\n", type, argument->name);
    }
}

static void add_document(struct strbuf *out, const struct parts *parts, int threads,
                         int repetitions) {
    strbuf_add(out, "<experiment format=\"1\" name=\"%s\" threads=\"%d\" repetitions=\"%d\"",
               parts->signature->name, threads, repetitions);
    if (*parts->provider) strbuf_add(out, " library=\"%s\"", parts->provider);
    strbuf_add(out, ">\n  <range variable=\"%s\" values=\"%s\"/>\n", parts->variable,
               parts->values);
    for (int a = 0; a < parts->signature->count; a++) add_preparation(out, parts, a);
    strbuf_add(out, "  <call routine=\"%s\" name=\"timed\">", parts->signature->name);
    add_given(out, parts);
    for (int a = 0; a < parts->signature->count; a++) add_omitted(out, parts, a);
    strbuf_add(out, "</call>\n</experiment>\n");
}

/** The unread rest of a document. */
struct rest {
    const char *text;
    size_t length;
};

/** Reads the rest of a document, as a tcplan_read_fn. */
static ptrdiff_t read_rest(void *context, char *buffer, size_t size) {
    struct rest *rest = context;
    const size_t length = rest->length < size ? rest->length : size;
    memcpy(buffer, rest->text, length);
    rest->text += length;
    rest->length -= length;
    return (ptrdiff_t)length;
}

enum tcplan_status tcplan_experiment_of_routine(struct tcplan_routine_experiment *out,
                                                const char *text, int threads, int repetitions,
                                                struct tcplan_error *error) {
    struct parts parts;
    struct strbuf document = {0};
    *out = (struct tcplan_routine_experiment){.call = "timed"};
    enum tcplan_status status = split(&parts, text, error);
    if (status != TCPLAN_OK) return status;
    snprintf(out->label, sizeof out->label, "%.*s%s%.*s",
             (int)(strcspn(text, ":=") < 60 ? strcspn(text, ":=") : 60), text,
             parts.arguments_length > 0 ? ":" : "",
             (int)(parts.arguments_length < 60 ? parts.arguments_length : 60),
             parts.arguments ? parts.arguments : "");
    add_document(&document, &parts, threads, repetitions);
    char *written = strbuf_finish(&document);
    if (!written) return error_no_memory(error);
    struct rest rest = {written, strlen(written)};
    status = tcplan_experiment_from(&out->experiment, read_rest, &rest, error);
    free(written);
    if (status != TCPLAN_OK && error)
        error->line = 0; /* an experiment made from a routine's text has no lines to refer to */
    return status;
}
