/*
 * Kernels that are generated for a call (gen/emitted) and compiled by the machine's C compiler, for
 * its own instruction set only.
 */
#include "microbench/providers/emitted.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "gen/emitted/cut.h"
#include "gen/emitted/emitted.h"
#include "gen/providers/provider.h"
#include "microbench/providers/built_in.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/symbol.h"
#include "microbench/timing/clock.h"
#include "tcplan/version.h"

enum {
    MOST_FAILURES =
        3 /* after this many failures without a success, the compiler is not used again */,
    WAIT_NS = 10000000
};

typedef void code_fn(const void *first, const void *second, void *result);
typedef void share_fn(void **spare);

/** A requested kernel. */
struct made {
    char *text;
    uint64_t number; /**< hash that names the source */
    pid_t maker;     /**< process of the thread that makes the kernel; 0: finished */
    code_fn *code;   /**< the code; NULL: not yet made, or cannot be made */
    struct made *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects all variables below; not held
                                                             while waiting or reading files */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct made *all;
static struct tcplan_code_account account;
static const struct compiler *given;
static void *spare; /* memory that all kernels share, which they exchange atomically */

/** Runs when the program ends or the library is unloaded. */
__attribute__((destructor)) static void free_spare(void) {
    free(__atomic_exchange_n(&spare, NULL, __ATOMIC_ACQ_REL));
}

/** Forgets all made kernels. Their code stays loaded, because kernels may be bound to it. */
static void forget(void) {
    while (all) {
        struct made *next = all->next;
        free(all->text);
        free(all);
        all = next;
    }
    account = (struct tcplan_code_account){0};
}

void emitted_set_compiler(const struct compiler *compiler) {
    pthread_mutex_lock(&mutex);
    given = compiler;
    forget();
    pthread_mutex_unlock(&mutex);
}

struct tcplan_code_account tcplan_code_account(void) {
    pthread_mutex_lock(&mutex);
    const struct tcplan_code_account out = account;
    pthread_mutex_unlock(&mutex);
    return out;
}

/** Finds the compiler, even if it has failed before. */
static bool find_compiler(struct compiler *out) {
    pthread_mutex_lock(&mutex);
    const struct compiler *other = given;
    if (other) *out = *other;
    pthread_mutex_unlock(&mutex);
    return other || compiler_find(out);
}

/** Returns whether every compilation has failed, so that the compiler is not used again. Needs
 * the mutex. */
static bool is_hopeless(void) {
    return account.compiled == 0 && account.failed >= MOST_FAILURES;
}

/** Returns whether there is a compiler that has not failed every time. */
static bool has_compiler(void) {
    struct compiler compiler;
    if (!find_compiler(&compiler)) return false;
    pthread_mutex_lock(&mutex);
    const bool works = !is_hopeless();
    pthread_mutex_unlock(&mutex);
    return works;
}

/** Returns the source of a call's kernel, to be released with free(); NULL if out of memory. */
static char *text_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    struct strbuf text = {0};
    emitted_add_common(&text);
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        emitted_add_loops(&text, "kernel", &loops, 1U << built_in_set(), NULL);
    } else {
        const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
        emitted_add_gemm(&text, "kernel", &gemm, 1U << built_in_set());
    }
    strbuf_add(
        &text,
        "void tcplan_kernel(const void *a, const void *b, void *c);\n"
        "void tcplan_kernel(const void *a, const void *b, void *c) {\n    kernel(a, b, c);\n}\n");
    if (text.text && strstr(text.text, "kernel_spare"))
        strbuf_add(&text, "void tcplan_share(void **spare);\n"
                          "void tcplan_share(void **spare) {\n    kernel_spare = spare;\n}\n");
    return strbuf_finish(&text);
}

struct emitted_tiles emitted_tiles_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        return emitted_loops_tiles(&loops, built_in_set());
    }
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    return emitted_gemm_tiles(&gemm, built_in_set());
}

/** Returns the number that identifies a source compiled by this compiler. */
static uint64_t number_of(const struct compiler *compiler, const char *text) {
    uint64_t hash = hash_add(HASH_OF_NOTHING, compiler->name, strlen(compiler->name) + 1);
    hash = hash_add(hash, compiler_options(), strlen(compiler_options()) + 1);
    return hash_spread(hash_add(hash, text, strlen(text)));
}

/* Compiling and loading kernels. */

static code_fn *load(const struct compiler *compiler, const void *object, size_t size,
                     struct tcplan_error *error) {
    void *library;
    code_fn *code = NULL;
    share_fn *share;
    if (compiler_load(&library, compiler, object, size, error) != TCPLAN_OK) return NULL;
    if (!symbol_find(library, "tcplan_kernel", &code))
        error_set(error, TCPLAN_ENVIRONMENT, "the compiled code lacks the function of the kernel");
    if (symbol_find(library, "tcplan_share", &share)) share(&spare);
    return code;
}

static code_fn *load_stored(const struct compiler *compiler, uint64_t number,
                            const struct kernel_maker *maker) {
    void *object;
    size_t size;
    if (!maker || !maker->keeper.find ||
        !maker->keeper.find(maker->keeper.context, number, &object, &size))
        return NULL;
    code_fn *const code = load(compiler, object, size, NULL);
    free(object);
    return code;
}

/** Outcome of compiling or loading a kernel. */
struct making {
    code_fn *code;
    bool was_stored;
    bool is_tried; /**< whether the compiler was started */
    bool is_over;  /**< whether time ran out before the outcome was known */
    double seconds;
    struct tcplan_error error;
};

static void compile(struct making *out, const struct compiler *compiler, const char *text,
                    uint64_t number, struct kernel_maker *maker) {
    void *object;
    size_t size;
    const uint64_t start_ns = clock_now_ns();
    const struct deadline deadline = maker ? maker->deadline : (struct deadline){0};
    const enum tcplan_status status =
        compiler_build(&object, &size, compiler, text, deadline, &out->error);
    out->seconds = 1e-9 * (double)(clock_now_ns() - start_ns);
    out->is_tried = true;
    out->is_over = status == TCPLAN_CANCELLED;
    if (status == TCPLAN_OK) {
        out->code = load(compiler, object, size, &out->error);
        if (out->code && maker_keeps(maker))
            maker->keeper.keep(maker->keeper.context, number, object, size);
        free(object);
    }
    if (!maker) return;
    maker->seconds += out->seconds;
    maker->compiled += out->code != NULL;
}

/** Adds the outcome to the maker's statistics. Needs the mutex. */
static void add_to_account(const struct making *making) {
    account.seconds += making->seconds;
    if (making->was_stored) {
        account.found++;
    } else if (making->code) {
        account.compiled++;
    } else if (making->is_tried) {
        account.failed += !making->is_over;
        snprintf(account.reason, sizeof account.reason, "%s", making->error.message);
    }
}

static struct made *find_made(uint64_t number, const char *text) {
    struct made *made = all;
    while (made && (made->number != number || strcmp(made->text, text) != 0)) made = made->next;
    return made;
}

/** Waits a moment for other threads, releasing the mutex meanwhile. */
static void wait_for_others(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&changed, &mutex, &until);
}

/**
 * Finds the kernel of a source, waiting while another thread makes it. A thread of another
 * process, of which this one is a fork, is not waited for. Returns NULL if the kernel was not
 * requested before, or if time ran out (`is_over`). Needs the mutex.
 */
static struct made *await_made(bool *is_over, uint64_t number, const char *text, bool only_found,
                               const struct kernel_maker *maker) {
    for (;;) {
        struct made *made = find_made(number, text);
        *is_over = made && made->maker == getpid() &&
                   (only_found || (maker && deadline_is_over(maker->deadline)));
        if (*is_over) return NULL;
        if (!made || made->maker != getpid()) return made;
        wait_for_others();
    }
}

static void take_out(const struct made *made) {
    struct made **link = &all;
    while (*link != made) link = &(*link)->next;
    *link = made->next;
}

/**
 * Enters a kernel that this thread makes now, or takes over one whose thread was in another
 * process; takes ownership of the text. Returns NULL if out of memory. Needs the mutex.
 */
static struct made *enter(struct made *left, char *text, uint64_t number) {
    struct made *made = left ? left : malloc(sizeof *made);
    if (left || !made) free(text);
    if (left) left->maker = getpid();
    if (left || !made) return made;
    *made = (struct made){.text = text, .number = number, .maker = getpid(), .next = all};
    all = made;
    return made;
}

/** Records the outcome; removes the entry if the outcome is unknown. Needs the mutex. */
static void settle(struct made *made, const struct making *making, bool only_found) {
    add_to_account(making);
    made->code = making->code;
    made->maker = 0;
    if (making->is_over || (only_found && !making->code)) {
        take_out(made);
        free(made->text);
        free(made);
    }
    pthread_cond_broadcast(&changed);
}

/** Finds a kernel or, unless `only_found`, makes it, without blocking other threads; takes
 * ownership of the text. */
static code_fn *code_of(const struct compiler *compiler, char *text, bool only_found,
                        struct kernel_maker *maker) {
    const uint64_t number = number_of(compiler, text);
    struct making making = {0};
    bool is_over;
    pthread_mutex_lock(&mutex);
    struct made *made = await_made(&is_over, number, text, only_found, maker);
    code_fn *const known = made ? made->code : NULL;
    const bool is_known = is_over || (made && made->maker == 0),
               may_compile = !only_found && !is_hopeless();
    made = is_known ? NULL : enter(made, text, number);
    pthread_mutex_unlock(&mutex);
    if (is_known) free(text);
    if (!made) return known;
    making.code = load_stored(compiler, number, maker);
    making.was_stored = making.code != NULL;
    if (!making.code && may_compile) compile(&making, compiler, made->text, number, maker);
    pthread_mutex_lock(&mutex);
    settle(made, &making, only_found);
    pthread_mutex_unlock(&mutex);
    return making.code;
}

static void burst(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps,
                  int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        code(at.first, at.second, at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

/** Returns the code of a call; NULL: none. */
static code_fn *code_of_call(const struct blas_call *call, enum tcplan_dtype dtype, bool only_found,
                             struct kernel_maker *maker) {
    struct compiler compiler;
    char *text = find_compiler(&compiler) ? text_of(call, dtype) : NULL;
    return text ? code_of(&compiler, text, only_found, maker) : NULL;
}

bool emitted_needs_compiler(const struct blas_call *call, enum tcplan_dtype dtype) {
    if (built_in_suffices(call, dtype)) return false;
    return has_compiler() || !built_in_takes(call, dtype);
}

bool emitted_is_made(const struct blas_call *call, enum tcplan_dtype dtype,
                     struct kernel_maker *maker) {
    return blas_call_provider_has(call, dtype, TCPLAN_PROVIDER_EMITTED) &&
           code_of_call(call, dtype, true, maker) != NULL;
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    const struct blas_call *call = &kernel->call;
    if (!blas_call_provider_has(call, dtype, TCPLAN_PROVIDER_EMITTED)) return false;
    const bool is_built_in = built_in_takes(call, dtype);
    const bool only_stored = is_built_in && maker && maker->only_stored;
    code_fn *const code =
        emitted_needs_compiler(call, dtype) ? code_of_call(call, dtype, only_stored, maker) : NULL;
    if (!code && !is_built_in) return false;
    if (!code) {
        built_in_bind(kernel, dtype);
        return true;
    }
    kernel->generated = (void (*)(void))code;
    kernel->burst = burst;
    return true;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    static const char *const set_name[EMITTED_SETS] = {"plain", "avx2", "avx512"};
    struct compiler compiler;
    (void)provider;
    const bool compiles = find_compiler(&compiler) && has_compiler();
    if (!compiles && !built_in_has(built_in_set())) return false;
    *out =
        (struct tcplan_provider_info){.name = compiles ? "cc" : "built-in",
                                      .version = compiles ? compiler.name : TCPLAN_VERSION_STRING,
                                      .core = set_name[built_in_set()]};
    return true;
}

const struct provider provider_emitted = {
    .gemm_cost = {10, 1, 8, 2, 4}, .find = find, .bind = bind};
