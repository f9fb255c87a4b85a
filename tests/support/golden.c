#include "support/golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "gen/providers/linked_blas.h"
#include "tcplan/version.h"

static void path_of(char *path, size_t size, const char *name) {
    snprintf(path, size, "%s/golden/%s", TCPLAN_TESTS_DIR, name);
}

/** Returns a copy of the text with every `part` replaced by `by`. */
static char *replace(const char *text, const char *part, const char *by) {
    struct strbuf out = {0};
    for (const char *at; (at = strstr(text, part)); text = at + strlen(part))
        strbuf_add(&out, "%.*s%s", (int)(at - text), text, by);
    strbuf_add(&out, "%s", text);
    return strbuf_finish(&out);
}

/** Returns a copy of a text with the link line of OpenBLAS, for which golden files are written. */
static char *with_openblas(const char *text) {
    struct strbuf links = {0}, sets = {0};
    emit_linked_blas(&links);
    emit_linked_blas_cmake(&sets);
    char *link = strbuf_finish(&links), *set = strbuf_finish(&sets);
    char *found =
        set ? replace(text, set, "find_library(CBLAS_LIBRARY NAMES openblas cblas REQUIRED)\n")
            : NULL;
    char *out = link && found ? replace(found, link, "-lopenblas") : NULL;
    free(link);
    free(set);
    free(found);
    return out;
}

/** Returns a copy of a text with @VERSION@ in place of the version. */
static char *without_version(const char *text) {
    return replace(text, "tcplan " TCPLAN_VERSION_STRING, "tcplan @VERSION@");
}

static char *read_file(const char *path) {
    struct strbuf out = {0};
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    for (int c; (c = getc(file)) != EOF;) strbuf_fill(&out, (char)c, 1);
    fclose(file);
    return strbuf_finish(&out);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (!file) fail_msg("cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

/** Fails the test if two texts differ, and prints the first differing line. */
static void compare(const char *path, const char *expected, const char *found) {
    for (int line = 1;; line++) {
        const size_t length = strcspn(expected, "\n"), other = strcspn(found, "\n");
        if (length != other || strncmp(expected, found, length) != 0 ||
            expected[length] != found[other]) {
            fail_msg(
                "%s:%d: expected\n%.*s\nfound\n%.*s\n(TCPLAN_UPDATE_GOLDEN=1 rewrites the file)",
                path, line, (int)length, expected, (int)other, found);
        }
        if (!expected[length]) return;
        expected += length + 1;
        found += other + 1;
    }
}

void golden_check(const char *name, const char *text) {
    char path[1024];
    path_of(path, sizeof path, name);
    char *linked = with_openblas(text);
    assert_non_null(linked);
    char *found = without_version(linked);
    assert_non_null(found);
    free(linked);
    if (getenv("TCPLAN_UPDATE_GOLDEN")) {
        write_file(path, found);
    } else {
        char *expected = read_file(path);
        if (!expected) {
            fail_msg("cannot read %s (TCPLAN_UPDATE_GOLDEN=1 writes it)", path);
            return; /* unreachable; the static analyzer does not know that fail() does not return */
        }
        compare(path, expected, found);
        free(expected);
    }
    free(found);
}

/** Returns the place after a line; NULL if there is no such line. */
static const char *behind_line(const char *text, const char *line) {
    for (const char *at = text; (at = strstr(at, line)); at++) {
        if ((at == text || at[-1] == '\n') && at[strlen(line)] == '\n')
            return at + strlen(line) + 1;
    }
    return NULL;
}

void golden_check_part(const char *name, const char *begin, const char *end, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/../%s", TCPLAN_TESTS_DIR, name);
    char *whole = read_file(path);
    const char *from = whole ? behind_line(whole, begin) : NULL;
    const char *to = from ? behind_line(from, end) : NULL;
    if (!to) {
        fail_msg("%s: the lines '%s' and '%s' are missing", path, begin, end);
        return;
    }
    struct strbuf out = {0};
    strbuf_append(&out, whole, (size_t)(from - whole));
    strbuf_add(&out, "%s%s", text, to - strlen(end) - 1);
    char *found = strbuf_finish(&out);
    assert_non_null(found);
    if (getenv("TCPLAN_UPDATE_GOLDEN")) {
        write_file(path, found);
    } else {
        compare(path, whole, found);
    }
    free(found);
    free(whole);
}

void golden_check_function(const char *name, char *text) {
    char *kernels = strstr(text, "#ifndef COPY_");
    if (!kernels) kernels = strstr(text, "#ifndef MUL_");
    const char *function = strstr(text, "int contract(");
    assert_non_null(function);
    if (kernels) memmove(kernels, function, strlen(function) + 1);
    golden_check(name, text);
}

void golden_check_without_copies(const char *name, char *text) {
    static const char begin[] = "#ifndef COPY_D_KERNELS",
                      end[] = "atomic_exchange(&tcplan_pool[block], NULL));\n}\n\n#endif\n";
    char path[1024];
    path_of(path, sizeof path, "emit/collapsed.c");
    char *other = read_file(path), *found = strstr(text, begin);
    const char *from = other ? strstr(other, begin) : NULL, *to = from ? strstr(from, end) : NULL;
    if (!to || !found) {
        fail_msg("%s and %s: expected kernels of copies and kept memory in both", path, name);
        return;
    }
    const size_t length = (size_t)(to - from) + strlen(end);
    if (strncmp(found, from, length) != 0)
        fail_msg("%s: the kernels or the kept memory differ from %s", name, path);
    memmove(found, found + length, strlen(found + length) + 1);
    free(other);
    golden_check(name, text);
}
