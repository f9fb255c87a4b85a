/*
 * Tests that every option that an action accepts has an effect. Each action runs on a tiny problem,
 * twice without and twice with each of its options. The runs must differ in exit status, stdout,
 * stderr or files. Output that depends on time always differs, so a difference counts only if both
 * runs of one pair have a line that both runs of the other pair lack. Lines with measured values do
 * not count.
 */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/options/options_table.h"
#include "cli/providers.h"
#include "support/made_model.h"
#include "support/option_effects.h"
#include "tcplan/unstable.h"

enum { WORDS = 48, LONGEST = 1000, BASES = 64, LIMIT_SECONDS = 600 };

static void add_file(struct strbuf *out, const char *path) {
    char part[4096];
    size_t length;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while ((length = fread(part, 1, sizeof part, file)) > 0) strbuf_append(out, part, length);
    fclose(file);
}

static struct strbuf *found; /* output and files of the current run */

static int add_found(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)place;
    strbuf_add(found, "\nfile %s\n", path);
    if (type == FTW_F) add_file(found, path);
    return 0;
}

static int remove_found(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    return place->level > 0 ? remove(path) : 0;
}

static int copy_found(const char *path, const struct stat *status, int type, struct FTW *place) {
    struct strbuf text = {0};
    (void)status;
    if (place->level == 0) return 0;
    path += strlen("../inputs/");
    if (type == FTW_D) return mkdir(path, 0700);
    char source[LONGEST];
    snprintf(source, sizeof source, "../inputs/%s", path);
    add_file(&text, source);
    char *content = strbuf_finish(&text);
    FILE *file = fopen(path, "w");
    assert_true(content && file && fputs(content, file) >= 0 && fclose(file) == 0);
    free(content);
    return 0;
}

/** Splits a command line at blanks outside of quotes. Returns the number of words. */
static int split(char *words[WORDS], char *text) {
    int count = 0;
    for (char *at = text; *at;) {
        at += strspn(at, " ");
        if (!*at) break;
        char *to = at;
        char quote = '\0';
        assert_true(count < WORDS);
        words[count++] = at;
        for (; *at && (quote || *at != ' '); at++) {
            if (*at == quote) {
                quote = '\0';
            } else if (!quote && (*at == '\'' || *at == '"')) {
                quote = *at;
            } else {
                *to++ = *at;
            }
        }
        if (*at) at++;
        *to = '\0';
    }
    return count;
}

/** Runs a command line in a child process, and exits with its status. */
static void run_words(char *text) {
    char *words[WORDS], *arguments[WORDS + 1] = {NULL};
    const int count = split(words, text);
    int argument_count = 0;
    char too_many[24];
    snprintf(too_many, sizeof too_many, "%ld", sysconf(_SC_NPROCESSORS_ONLN) + 1);
    for (int w = 0; w < count; w++) {
        char *equals = strchr(words[w], '=');
        if (strcmp(words[w], "too many") == 0) words[w] = too_many;
        if (words[w][0] == '$' && equals) {
            *equals = '\0';
            setenv(words[w] + 1, equals + 1, 1);
        } else {
            arguments[argument_count++] = words[w];
        }
    }
    const int out = open("../out", O_WRONLY | O_CREAT | O_TRUNC, 0600),
              err = open("../err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(99);
    alarm(LIMIT_SECONDS);
    exit((int)command_line_run(argument_count, arguments)); /* flushes the output */
}

/** Runs a command line. Returns its output and the contents of the files that it wrote, to be
 * freed; `status` receives its exit status. */
static char *run(const char *words, int *status) {
    struct strbuf text = {0};
    char typed[LONGEST];
    int ended;
    assert_true(strlen(words) < sizeof typed);
    strcpy(typed, words);
    assert_int_equal(nftw(".", remove_found, 8, FTW_DEPTH | FTW_PHYS), 0);
    assert_int_equal(nftw("../inputs", copy_found, 8, FTW_PHYS), 0);
    fflush(stdout);
    fflush(stderr);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) run_words(typed);
    assert_int_equal(waitpid(process, &ended, 0), process);
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    strbuf_add(&text, "status %d\n", *status);
    add_file(&text, "../out");
    strbuf_add(&text, "\nstderr\n");
    add_file(&text, "../err");
    found = &text;
    assert_int_equal(nftw(".", add_found, 8, FTW_PHYS), 0);
    char *all = strbuf_finish(&text);
    assert_non_null(all);
    return all;
}

/** The two runs of a command line without an option; tests of several options share them. */
struct base_runs {
    char *words;
    char *text[2];
    int status;
};

static struct base_runs all_bases[BASES];
static int base_count;

static void forget_bases(void) {
    while (base_count > 0) {
        const struct base_runs *last = &all_bases[--base_count];
        free(last->words);
        free(last->text[0]);
        free(last->text[1]);
    }
}

static const struct base_runs *run_base(const char *words) {
    for (int k = 0; k < base_count; k++) {
        if (strcmp(all_bases[k].words, words) == 0) return &all_bases[k];
    }
    if (base_count == BASES) forget_bases();
    struct base_runs *runs = &all_bases[base_count++];
    runs->words = strdup(words);
    assert_non_null(runs->words);
    for (int r = 0; r < 2; r++) runs->text[r] = run(words, &runs->status);
    return runs;
}

/** Returns whether a line contains measured values, which differ between runs. */
static bool is_measured(const char *line, size_t length) {
    static const char *const marks[] = {"seconds", "share",  "gflops", "windows",   "disturbed",
                                        "steps",   "sample", "flop/s", "not quiet", "GFLOP",
                                        "Planned", "crc",    "FLOP/s", "load "};
    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
        if (memmem(line, length, marks[m], strlen(marks[m]))) return true;
    }
    return false;
}

static bool has_line(const char *text, const char *line, size_t length) {
    for (const char *at = text; *at;) {
        const size_t next = strcspn(at, "\n");
        if (next == length && memcmp(at, line, length) == 0) return true;
        at += next + (at[next] == '\n');
    }
    return false;
}

/** Returns a line that both texts of `these` contain and both of `others` lack; NULL if there is
 * none. */
static const char *line_of_one_kind(char *const these[2], char *const others[2], size_t *length) {
    for (const char *at = these[0]; *at; at += *length + (at[*length] == '\n')) {
        *length = strcspn(at, "\n");
        if (!is_measured(at, *length) && has_line(these[1], at, *length) &&
            !has_line(others[0], at, *length) && !has_line(others[1], at, *length))
            return at;
    }
    return NULL;
}

static bool differ(const struct base_runs *base, const char *words, char *first) {
    size_t length;
    int status;
    if (strcmp(base->text[0], first) == 0) return false;
    if (strcmp(base->text[0], base->text[1]) == 0) return true;
    char *const once[2] = {first, first};
    if (line_of_one_kind(base->text, once, &length)) return true;
    char *second = run(words, &status), *const texts[2] = {first, second};
    const char *line = line_of_one_kind(texts, base->text, &length);
    free(second);
    return line != NULL;
}

/* All options. */

static const char *base_of(uint64_t action) {
    for (const struct effect_base *base = effect_bases; base->actions; base++) {
        if (base->actions & action) return base->words;
    }
    return "";
}

static const struct effect *effect_of(uint64_t action, const char *option) {
    static const struct effect usual = {0};
    for (const struct effect *effect = effects; effect->actions; effect++) {
        if ((effect->actions & action) && (!effect->option || strcmp(effect->option, option) == 0))
            return effect;
    }
    return &usual;
}

/** Returns whether a name is in a list of names separated by blanks. */
static bool is_among(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = names; *at; at += strspn(at, " ")) {
        const size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, name, length) == 0) return true;
        at += here;
    }
    return false;
}

static bool is_exception(uint64_t action, const char *option) {
    for (const struct effect_exception *known = effect_exceptions; known->actions; known++) {
        if ((known->actions & action) && (!known->options || is_among(known->options, option)))
            return true;
    }
    return false;
}

/** Returns a value of an option with a list of words, other than the default. */
static const char *other_word(const struct option *option) {
    const int standard = *(const int *)((const char *)&options_defaults + option->offset);
    const struct tcplan_word *word = option->words;
    while (word[1].word && word->value == standard) word++;
    return word->word;
}

/** Appends an option with a valid value other than its default to a command line. */
static void add_usual(struct strbuf *out, const struct option *option) {
    strbuf_add(out, "--%s", option->name);
    switch (option->kind) {
    case OPTION_SET:
    case OPTION_FLAG: return;
    case OPTION_WORD: strbuf_add(out, " %s", other_word(option)); return;
    case OPTION_NUMBER:
        strbuf_add(out, " %d", (int)(option->min < 3 && option->max > 3 ? 3 : option->min));
        return;
    case OPTION_SHARD: strbuf_add(out, " 2/2"); return;
    case OPTION_SEED: strbuf_add(out, " 7"); return;
    case OPTION_SIZE: strbuf_add(out, " 64M"); return;
    case OPTION_SECONDS: strbuf_add(out, " 1e-9"); return;
    case OPTION_PERCENT: strbuf_add(out, " 50"); return;
    case OPTION_TEXT:
    case OPTION_TEXTS:
    case OPTION_IDENTIFIER: strbuf_add(out, " other"); return;
    }
}

static int missing; /* number of failed expectations about options */

/** Reports a failed expectation about a command line. */
static void report(const char *what, const char *words, const char *text) {
    const char *err = strstr(text, "stderr\n");
    print_error("%s: %s\n%.300s\n", what, words, err ? err : text);
    missing++;
}

static void check_option(const struct taker *taker, const struct option *option) {
    const struct effect *effect = effect_of(taker->bit, option->name);
    struct strbuf words = {0};
    int status;
    strbuf_add(&words, "tcplan %s %s %s", taker->command->name,
               taker->action ? taker->action->name : "",
               effect->base ? effect->base : base_of(taker->bit));
    char *base = strbuf_finish(&words);
    strbuf_add(&words, "%s ", base);
    if (effect->words) strbuf_add(&words, "%s", effect->words);
    if (!effect->words) add_usual(&words, option);
    char *all = strbuf_finish(&words);
    assert_true(base && all);
    const struct base_runs *runs = run_base(base);
    char *text = run(all, &status);
    if (runs->status != 0 && !effect->base) {
        report("it fails", base, runs->text[0]);
    } else if (status != effect->status) {
        report("it ends otherwise than expected", all, text);
    } else if (!differ(runs, all, text)) {
        report("the option has no effect", all, "");
    }
    free(base);
    free(all);
    free(text);
}

static void check_taker(const struct taker *taker) {
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if ((option->accepted_by & taker->bit) && !is_exception(taker->bit, option->name))
            check_option(taker, option);
    }
}

static void options_that_are_accepted_have_an_effect(void **state) {
    (void)state;
    for (struct taker taker = {0}; taker_next(&taker); forget_bases()) check_taker(&taker);
    assert_int_equal(missing, 0);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void copy_file(const char *to, const char *from) {
    struct strbuf text = {0};
    add_file(&text, from);
    char *content = strbuf_finish(&text);
    assert_non_null(content);
    write_file(to, content);
    free(content);
}

/** Stores the models of this machine for potrf_L3 and dgemm. */
static void keep_models(const char *folder) {
    static const struct made_model made[] = {
        {.case_text = "dpotf2 uplo=L", .sizes = 1, .largest = 1000, .ns = 1e6},
        {.case_text = "dtrsm side=R uplo=L transA=T diag=N alpha=1",
         .sizes = 2,
         .largest = 1000,
         .ns = 1e6},
        {.case_text = "dsyrk uplo=L trans=N alpha=-1 beta=1",
         .sizes = 2,
         .largest = 1000,
         .ns = 1e6}};
    made_models_keep(folder, made, sizeof made / sizeof *made);
}

/** Runs a command line whose output file becomes an input file of other command lines. */
static void make_input(const char *words, const char *name) {
    char path[LONGEST];
    int status;
    char *text = run(words, &status);
    if (status != 0) fail_msg("%s: %s", words, text);
    free(text);
    snprintf(path, sizeof path, "../inputs/%s", name);
    copy_file(path, name);
}

static int keep_advice_file(const char *path, const struct stat *status, int type,
                            struct FTW *place) {
    char kept[LONGEST];
    (void)status;
    if (type == FTW_F && strncmp(path + place->base, "blas-", 5) == 0) {
        snprintf(kept, sizeof kept, "../inputs/store/%s", path + place->base);
        copy_file(kept, path);
    }
    return 0;
}

/** Stores measurements of the BLAS's core types in advance, as measuring takes seconds. */
static void keep_advice(void) {
    int status;
    free(
        run("tcplan rank $TCPLAN_STORE=new C_ab=A_ai*B_ib -s a=4,b=5,i=6 --effort quick", &status));
    assert_int_equal(status, 0);
    assert_int_equal(nftw("new", keep_advice_file, 8, FTW_PHYS), 0);
}

static int find_blas(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    const bool is_blas = strstr(info->dlpi_name, "blas") || strstr(info->dlpi_name, "blis");
    if (is_blas) snprintf(path, PATH_MAX, "%s", info->dlpi_name);
    return is_blas;
}

/** Finds the file of the BLAS that this program is linked with. */
static bool blas_file(char path[PATH_MAX]) {
    return dl_iterate_phdr(find_blas, path) != 0;
}

static int make_files(void **state) {
    static char folder[] = "/tmp/tcplan-effects-XXXXXX";
    char blas[PATH_MAX];
    *state = folder;
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("inputs", 0700) != 0 ||
        mkdir("run", 0700) != 0 || mkdir("inputs/store", 0700) != 0)
        return -1;
    setenv("TCPLAN_STORE", "", 1);
    setenv("TCPLAN_PLANS", "", 1);
    setenv("TCPLAN_LOCK", "../lock", 1); /* does not wait for other tests */
    if (!blas_file(blas) || symlink(blas, "blas.so") != 0) return -1;
    if (symlink(TCPLAN_TESTS_DIR, "tests") != 0) return -1;
    if (chdir("run") != 0) return -1;
    write_file("../inputs/blocks.txt", "0 0\n");
    write_file("../inputs/list.txt",
               "one | abc | ai | ibc | a=8 b=8 c=8 i=4\ntwo | ab | ai | ib | a=8 b=9 i=4\n");
    write_file("../inputs/one.txt", "one | a | ai | i | a=4 i=5\n");
    write_file("../inputs/script", "dgemm N N 8 8 8 1 [64] 8 [64] 8 0 [64] 8\n");
    write_file("../inputs/counting", "set_counters PAPI_L3_TCM cycles\ndscal 10 2 [10] 1\n");
    write_file("../inputs/programs.csv", "name,flops,canonical_flops,bytes,seconds\n"
                                         "memory,8e9,6e9,64e9,8\ncompute,3e10,2e10,64e8,1\n");
    write_file("../inputs/program.txt", "more | D_ac=C_abc*E_b | a=4 b=5 c=3\n");
    keep_models("../inputs/store");
    keep_advice();
    make_input("tcplan batch list.txt --effort estimate --shard 1/2 -o shard1.xml", "shard1.xml");
    make_input("tcplan batch list.txt --effort estimate --shard 2/2 -o shard2.xml", "shard2.xml");
    make_input("tcplan batch list.txt --effort estimate --seed 3 --shard 2/2 -o other.xml",
               "other.xml");
    make_input("tcplan rank C_abc=A_ai*B_ibc -s a=4,b=5,c=3,i=6 --effort quick --plans plans",
               "plans");
    make_input("tcplan experiment run ../tests/cli/experiments/small.xml", "small-report.xml");
    make_input("tcplan experiment run ../tests/cli/experiments/small.xml --shard 1/2 -o part1.xml",
               "part1.xml");
    make_input("tcplan experiment run ../tests/cli/experiments/small.xml --shard 2/2 -o part2.xml",
               "part2.xml");
    return 0;
}

static int remove_files(void **state) {
    char command[80];
    snprintf(command, sizeof command, "rm -r '%s'", (const char *)*state);
    return chdir("/") || system(command);
}

int main(int count, char *arguments[]) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_are_accepted_have_an_effect),
    };
    /* like main() of the command, because some actions start the program again as a server */
    if (count == 2 && strcmp(arguments[1], tune_serving) == 0)
        return tcplan_tune_serve() ? EXIT_DONE : EXIT_USAGE;
    if (count == 2 && strcmp(arguments[1], blas_serving) == 0)
        return tcplan_blas_serve() ? EXIT_DONE : EXIT_USAGE;
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
