#include "microbench/providers/providers.h"

#include "ast/algorithm/provider.h"
#include "microbench/providers/emitted.h"

#define CALLS(NUMBER, name) [TCPLAN_PROVIDER_##NUMBER] = &provider_##name,
static const struct provider *const table[TCPLAN_PROVIDERS] = {
    [TCPLAN_PROVIDER_EMITTED] = &provider_emitted, [TCPLAN_PROVIDER_FILE_1] = &provider_file,
    [TCPLAN_PROVIDER_FILE_2] = &provider_file,     [TCPLAN_PROVIDER_FILE_3] = &provider_file,
    [TCPLAN_PROVIDER_FILE_4] = &provider_file,     [TCPLAN_PROVIDER_TAPP_1] = &provider_tapp,
    [TCPLAN_PROVIDER_TAPP_2] = &provider_tapp,     [TCPLAN_PROVIDER_TAPP_3] = &provider_tapp,
    [TCPLAN_PROVIDER_TAPP_4] = &provider_tapp,     TCPLAN_PROVIDER_LIST(CALLS)};

const struct provider *provider_of(enum tcplan_provider provider) {
    return table[provider];
}

bool tcplan_provider_info(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    return table[provider]->find(out, provider);
}

bool provider_needs_compiler(const struct tcplan_problem *problem,
                             const struct tcplan_algorithm *algorithm) {
    struct blas_call call;
    double calls;
    return provider_traits_of(algorithm->provider)->is_compiled &&
           blas_call_of(&call, &calls, problem, algorithm, NULL) == TCPLAN_OK &&
           emitted_needs_compiler(&call, problem->dtype);
}

/* The expected time to compile the first kernel of a process: 0.05 to 0.16 s on a Granite Rapids
 * guest, 0.1 s on a Zen 3, 0.3 to 0.6 s on a Zen 5 guest. If it takes longer, one compilation may
 * not pay. Later kernels are expected to take the measured mean. */
#define FIRST_COMPILE_SECONDS 0.1

double provider_compile_seconds(enum tcplan_provider provider) {
    if (!provider_traits_of(provider)->is_compiled) return 0;
    const struct tcplan_code_account account = tcplan_code_account();
    return account.compiled > 0 ? account.seconds / account.compiled : FIRST_COMPILE_SECONDS;
}

double provider_kernel_seconds(const struct blas_call *call, enum tcplan_dtype dtype,
                               struct kernel_maker *maker) {
    if (!provider_traits_of(call->provider)->is_compiled || !emitted_needs_compiler(call, dtype) ||
        emitted_is_made(call, dtype, maker))
        return 0;
    return provider_compile_seconds(call->provider);
}

void tcplan_provider_files(const char *out[TCPLAN_PROVIDER_FILES]) {
    for (int f = 0; f < TCPLAN_PROVIDER_FILES; f++) {
        struct tcplan_provider_info info;
        out[f] = tcplan_provider_info(&info, (enum tcplan_provider)(TCPLAN_PROVIDER_FILE_1 + f))
                     ? info.file
                     : NULL;
    }
}

bool provider_has_files(void) {
    const char *files[TCPLAN_PROVIDER_FILES];
    tcplan_provider_files(files);
    for (int f = 0; f < TCPLAN_PROVIDER_FILES; f++) {
        if (files[f]) return true;
    }
    return false;
}

bool tcplan_provider_wrong(char out[TCPLAN_MESSAGE_SIZE], enum tcplan_provider provider) {
    return table[provider]->is_wrong && table[provider]->is_wrong(out, provider);
}

bool provider_has_threads(enum tcplan_provider provider) {
    return table[provider]->set_threads != NULL;
}

void providers_set_threads(int threads) {
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) {
        if (table[p]->set_threads) table[p]->set_threads((enum tcplan_provider)p, threads);
    }
}
