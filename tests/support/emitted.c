#include "support/emitted.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"

static const char *const flags =
    "-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror"; /* overrides an earlier -O option */

struct emitted {
    void *handle;
};

/** A temporary folder for one compilation. */
struct workplace {
    char folder[64];
    char link[1024]; /* the linker options that the text names after `link: ` */
};

static int run(const char *command) {
    const int status = system(command); /* NOLINT: the command line is a constant of this test */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void path_in(char *path, size_t size, const struct workplace *place, const char *name) {
    snprintf(path, size, "%s/%s", place->folder, name);
}

static void read_into(char *text, size_t size, const struct workplace *place, const char *name) {
    char path[128];
    path_in(path, sizeof path, place, name);
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file) fclose(file);
}

static void write_text(const struct workplace *place, const char *name, const char *text) {
    char path[128];
    path_in(path, sizeof path, place, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/** Finds the linker options after `link: ` in an emitted text. */
static const char *link_line(const char *text, int *length) {
    static const char mark[] = "link: ";
    const char *link = strstr(text, mark);
    assert_non_null(link);
    link += sizeof mark - 1;
    *length = (int)strcspn(link, "\n");
    return link;
}

static void begin(struct workplace *place, const char *text) {
    int length;
    const char *link = link_line(text, &length);
    *place = (struct workplace){.folder = "emitted-XXXXXX"};
    assert_true(length < (int)sizeof place->link);
    snprintf(place->link, sizeof place->link, "%.*s", length, link);
    assert_non_null(mkdtemp(place->folder));
    write_text(place, "text.c", text);
}

static void end(const struct workplace *place) {
    static const char *const names[] = {"text.c", "log", "text.so", "program", "output"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[128];
        path_in(path, sizeof path, place, names[n]);
        unlink(path);
    }
    rmdir(place->folder);
}

static void compile(const struct workplace *place, const char *compiler, const char *kind,
                    const char *result) {
    char command[2048], log[2000];
    snprintf(command, sizeof command, "cd %s && %s %s %s -o %s text.c %s >log 2>&1", place->folder,
             compiler ? compiler : TCPLAN_CC, flags, kind, result, place->link);
    if (run(command) == 0) return;
    read_into(log, sizeof log, place, "log"); /* keeps the folder for inspection */
    fail_msg("%s\n%s", command, log);
}

bool emitted_has_compiler(const char *compiler) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", compiler);
    return run(command) == 0;
}

static struct emitted *build(const char *compiler, const char *kind, const char *text) {
    struct workplace place;
    char path[128];
    struct emitted *emitted = malloc(sizeof *emitted);
    assert_non_null(emitted);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_PROC_BIND", "false",
           0); /* prevents libxsmm's header from defining TRUE for all text that follows */
    begin(&place, text);
    compile(&place, compiler, kind, "text.so");
    path_in(path, sizeof path, &place,
            "text.so"); /* contains a slash: dlopen() does not search for it */
    emitted->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!emitted->handle) fail_msg("%s", dlerror());
    end(&place);
    return emitted;
}

struct emitted *emitted_build(const char *compiler, const char *text) {
    return build(compiler, "-shared -fPIC", text);
}

struct emitted *emitted_build_unoptimized(const char *compiler, const char *text) {
    return build(compiler, "-O0 -shared -fPIC", text);
}

void emitted_check(const char *compiler, const char *text) {
    struct workplace place;
    begin(&place, text);
    *place.link = '\0';
    compile(&place, compiler, "-fsyntax-only", "text.so");
    end(&place);
}

emitted_function *emitted_find(const struct emitted *emitted, const char *name) {
    emitted_function *function;
    void *symbol = dlsym(emitted->handle, name);
    if (!symbol) fail_msg("no function %s: %s", name, dlerror());
    memcpy(&function, &symbol, sizeof function); /* copies the bytes, as ISO C cannot convert object
                                                    to function pointers */
    return function;
}

int emitted_compute(const struct emitted *emitted, const char *name,
                    const struct naive_case *naive) {
    typedef int adding_function(const void *A, const void *B, const void *C, void *D);
    adding_function *adding;
    emitted_function *function = emitted_find(emitted, name);
    memcpy(&adding, &function, sizeof adding);
    const int status = naive->addend ? adding(naive->A, naive->B, naive->addend, naive->C)
                                     : function(naive->A, naive->B, naive->C);
    return status;
}

void emitted_free(struct emitted *emitted) {
    dlclose(emitted->handle);
    free(emitted);
}

static int build_and_run(const char *compiler, const char *kind, const char *text, char *output,
                         size_t size) {
    struct workplace place;
    char command[256];
    begin(&place, text);
    compile(&place, compiler, kind, "program");
    snprintf(command, sizeof command, "cd %s && OPENBLAS_NUM_THREADS=1 ./program >output 2>&1",
             place.folder);
    const int status = run(command);
    read_into(output, size, &place, "output");
    end(&place);
    return status;
}

/** Appends the linker options of all texts, each option once. */
static void add_links(struct strbuf *out, char *const text[], int count) {
    const char *link[32];
    int length[32], links = 0;
    assert_true(count <= 32);
    for (int t = 0; t < count; t++) {
        int same = 0;
        link[links] = link_line(text[t], &length[links]);
        while (length[same] != length[links] ||
               memcmp(link[same], link[links], (size_t)length[same]) != 0)
            same++;
        links += same == links;
    }
    strbuf_add(out, "/*\n * link:");
    for (int l = 0; l < links; l++) strbuf_add(out, " %.*s", length[l], link[l]);
    strbuf_add(out, "\n */\n");
}

char *emitted_joined(char *const text[], int count) {
    struct strbuf all = {0};
    add_links(&all, text, count);
    for (int t = 0; t < count; t++)
        strbuf_add(&all, "#define main main_%d\n%s#undef main\n", t, text[t]);
    strbuf_add(&all, "#include <stdio.h>\nint main(void) {\n");
    for (int t = 0; t < count; t++)
        strbuf_add(&all, "    printf(\"exit status %%d\\n\", main_%d());\n", t);
    strbuf_add(&all, "    return 0;\n}\n");
    char *joined = strbuf_finish(&all);
    assert_non_null(joined);
    return joined;
}

int emitted_run(const char *compiler, const char *text, char *output, size_t size) {
    return build_and_run(compiler, "", text, output, size);
}

int emitted_run_unoptimized(const char *compiler, const char *text, char *output, size_t size) {
    return build_and_run(compiler, "-O0", text, output, size);
}

void emitted_check_drivers(emitted_run_function *run_text, const char *compiler, char *const text[],
                           int count, const char *const title[]) {
    char output[5000];
    char *joined = emitted_joined(text, count);
    const int status = run_text(compiler, joined, output, sizeof output);
    const char *at = output;
    free(joined);
    if (status != 0) fail_msg("exit status %d\n%s", status, output);
    for (int t = 0; t < count; t++) {
        char line[400];
        int length = 0;
        if (sscanf(at, "%399[^\n]\nexit status 0\n%n", line, &length) != 1 || length == 0 ||
            strncmp(line, title[t], strlen(title[t])) != 0 ||
            !strstr(line, "check passed (max error ") || !strstr(line, " GFLOP/s, "))
            fail_msg("expected '%s...', found\n%s", title[t], at);
        at += length;
    }
    assert_int_equal(*at, '\0');
}
