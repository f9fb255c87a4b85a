/*
 * Kernels that are written for a call (gen/emitted), by the C compiler of the machine. Code is written for the instruction set at hand only.
 */
#include "microbench/providers/emitted.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "gen/emitted/cut.h"
#include "gen/emitted/emitted.h"
#include "gen/providers/provider.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/symbol.h"
#include "microbench/timing/clock.h"

enum { MOST_FAILURES = 3 }; /* of a compiler that does nothing else */

typedef void code_fn(const void *first, const void *second, void *result);

/** A kernel that was asked for. */
struct made {
    char *text;
    uint64_t number; /**< of the text */
    code_fn *code;   /**< NULL: it cannot be made */
    struct made *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards all that follows */
static struct made *all;
static struct emitted_account account;
static const struct emitted_keeper *keeper;
static const struct compiler *given;

void emitted_set_keeper(const struct emitted_keeper *wanted) {
    pthread_mutex_lock(&mutex);
    keeper = wanted;
    pthread_mutex_unlock(&mutex);
}

bool emitted_is_kept(void) {
    pthread_mutex_lock(&mutex);
    const bool out = keeper != NULL;
    pthread_mutex_unlock(&mutex);
    return out;
}

/** Forgets what was made; its code stays, as kernels may be bound to it. */
static void forget(void) {
    while (all) {
        struct made *next = all->next;
        free(all->text);
        free(all);
        all = next;
    }
    account = (struct emitted_account){0};
}

void emitted_set_compiler(const struct compiler *compiler) {
    pthread_mutex_lock(&mutex);
    given = compiler;
    forget();
    pthread_mutex_unlock(&mutex);
}

struct emitted_account emitted_account(void) {
    pthread_mutex_lock(&mutex);
    const struct emitted_account out = account;
    pthread_mutex_unlock(&mutex);
    return out;
}

static bool find_compiler(struct compiler *out) {
    if (!given) return compiler_find(out);
    *out = *given;
    return true;
}

/** The best of the machine. */
static enum emitted_set set_at_hand(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) return EMITTED_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return EMITTED_AVX2;
#endif
    return EMITTED_PLAIN;
}

/** What is compiled, to be freed with free(); NULL when memory is out. */
static char *text_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    struct strbuf text = {0};
    emitted_add_common(&text);
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        emitted_add_loops(&text, "kernel", &loops, 1U << set_at_hand(), NULL);
    } else {
        const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
        emitted_add_gemm(&text, "kernel", &gemm, 1U << set_at_hand());
    }
    strbuf_add(&text, "void tcplan_kernel(const void *a, const void *b, void *c);\n"
                      "void tcplan_kernel(const void *a, const void *b, void *c) {\n    kernel(a, b, c);\n}\n");
    return strbuf_finish(&text);
}

struct emitted_tiles emitted_tiles_of(const struct blas_call *call, enum tcplan_dtype dtype) {
    if (call->kernel == TCPLAN_LOOPS) {
        const struct emitted_loops loops = emitted_loops_of(call, dtype);
        return emitted_loops_tiles(&loops, set_at_hand());
    }
    const struct emitted_gemm gemm = emitted_gemm_of(call, dtype);
    return emitted_gemm_tiles(&gemm, set_at_hand());
}

/** The number of a text as this compiler makes it. */
static uint64_t number_of(const struct compiler *compiler, const char *text) {
    uint64_t hash = hash_add(HASH_OF_NOTHING, compiler->name, strlen(compiler->name) + 1);
    hash = hash_add(hash, compiler_options(), strlen(compiler_options()) + 1);
    return hash_spread(hash_add(hash, text, strlen(text)));
}

static code_fn *load(const void *object, size_t size, struct tcplan_error *error) {
    void *library;
    code_fn *code = NULL;
    if (compiler_load(&library, object, size, error) != TCPLAN_OK) return NULL;
    if (!symbol_find(library, "tcplan_kernel", &code)) error_set(error, TCPLAN_ENVIRONMENT, "compiled code lacks its function");
    return code;
}

static code_fn *load_kept(uint64_t number) {
    void *object;
    size_t size;
    if (!keeper || !keeper->find(keeper->context, number, &object, &size)) return NULL;
    code_fn *const code = load(object, size, NULL);
    if (code) account.kept++;
    free(object);
    return code;
}

static code_fn *compile(const struct compiler *compiler, const char *text, uint64_t number) {
    struct tcplan_error error = {0};
    void *object;
    size_t size;
    code_fn *code = NULL;
    const uint64_t start_ns = clock_now_ns();
    const enum tcplan_status status = compiler_build(&object, &size, compiler, text, &error);
    account.seconds += 1e-9 * (double)(clock_now_ns() - start_ns);
    if (status == TCPLAN_OK) {
        code = load(object, size, &error);
        if (code && keeper) keeper->keep(keeper->context, number, object, size);
        free(object);
    }
    if (code) {
        account.compiled++;
    } else {
        account.failed++;
        snprintf(account.reason, sizeof account.reason, "%s", error.message);
    }
    return code;
}

/** Finds a kernel, or makes it, unless it is `only_found`; takes the text over. */
static code_fn *code_of(const struct compiler *compiler, char *text, bool only_found) {
    const uint64_t number = number_of(compiler, text);
    for (const struct made *made = all; made; made = made->next) {
        if (made->number != number || strcmp(made->text, text) != 0) continue;
        free(text);
        return made->code;
    }
    struct made *made = malloc(sizeof *made);
    const bool is_hopeless = account.compiled == 0 && account.failed >= MOST_FAILURES;
    code_fn *code = made ? load_kept(number) : NULL;
    if (made && !code && !is_hopeless && !only_found) code = compile(compiler, text, number);
    if (!made || (!code && only_found)) {
        free(made);
        free(text);
        return NULL;
    }
    *made = (struct made){.text = text, .number = number, .code = code, .next = all};
    all = made;
    return code;
}

static void burst(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t count) {
    code_fn *const code = (code_fn *)kernel->generated;
    for (int64_t i = 0; i < count; i++) {
        code(at.first, at.second, at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
}

/** The code of a call; NULL: there is none. */
static code_fn *code_of_call(const struct blas_call *call, enum tcplan_dtype dtype, bool only_found) {
    struct compiler compiler;
    pthread_mutex_lock(&mutex);
    char *text = find_compiler(&compiler) ? text_of(call, dtype) : NULL;
    code_fn *const code = text ? code_of(&compiler, text, only_found) : NULL;
    pthread_mutex_unlock(&mutex);
    return code;
}

bool emitted_is_made(const struct blas_call *call, enum tcplan_dtype dtype) {
    return blas_call_provider_has(call, dtype, TCPLAN_PROVIDER_EMITTED) && code_of_call(call, dtype, true) != NULL;
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype) {
    if (!blas_call_provider_has(&kernel->call, dtype, TCPLAN_PROVIDER_EMITTED)) return false;
    kernel->generated = (void (*)(void))code_of_call(&kernel->call, dtype, false);
    kernel->burst = burst;
    return kernel->generated != NULL;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    static const char *const set_name[EMITTED_SETS] = {"plain", "avx2", "avx512"};
    struct compiler compiler;
    (void)provider;
    pthread_mutex_lock(&mutex);
    const bool is_there = find_compiler(&compiler) && (account.compiled > 0 || account.kept > 0 || account.failed < MOST_FAILURES);
    pthread_mutex_unlock(&mutex);
    if (!is_there) return false;
    *out = (struct tcplan_provider_info){.name = "cc", .version = compiler.name, .core = set_name[set_at_hand()]};
    return true;
}

const struct provider provider_emitted = {.find = find, .bind = bind};
