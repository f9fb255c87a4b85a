#include "store/code_kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/providers/emitted.h"
#include "store/folder.h"
#include "store/kind_code.h"
#include "store/store.h"
#include "tcplan/stored_code.h"

enum { KEY_SIZE = 24 };

static void key_of(char out[KEY_SIZE], uint64_t text) {
    snprintf(out, KEY_SIZE, "%016llx", (unsigned long long)text);
}

static bool find(const void *context, uint64_t text, void **object, size_t *size) {
    const struct tcplan_store *store = context;
    struct kept_code code = {0};
    struct tcplan_error error;
    char key[KEY_SIZE];
    bool found;
    if (!folder_is_own(store->folder)) return false; /* it would be executed */
    key_of(key, text);
    const bool good =
        store_find(&found, &code, store, &store_kind_code, key, &error) == TCPLAN_OK && found;
    if (!good) base_free(code.object);
    *object = good ? code.object : NULL;
    *size = (size_t)code.size;
    return good;
}

static void keep(const void *context, uint64_t text, const void *object, size_t size) {
    const struct tcplan_store *store = context;
    struct kept_code code = {.size = (int64_t)size};
    struct compiler compiler;
    struct tcplan_error error;
    char key[KEY_SIZE];
    key_of(key, text);
    if (compiler_find(&compiler))
        snprintf(code.compiler, sizeof code.compiler, "%s", compiler.name);
    snprintf(code.options, sizeof code.options, "%s", compiler_options());
    code.object = (unsigned char *)(uintptr_t)object; /* it is only written */
    (void)store_keep(store, &store_kind_code, key, &code,
                     &error); /* where it is not kept it is compiled again */
}

struct code_keeper store_code_keeper(const struct tcplan_store *store) {
    if (!store || !store->folder) return (struct code_keeper){0};
    return (struct code_keeper){.context = store, .find = find, .keep = keep};
}

struct tcplan_code_account tcplan_code_account(void) {
    const struct emitted_account account = emitted_account();
    struct tcplan_code_account out = {.compiled = account.compiled,
                                      .kept = account.kept,
                                      .failed = account.failed,
                                      .seconds = account.seconds};
    memcpy(out.reason, account.reason, sizeof out.reason);
    return out;
}
