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

static struct tcplan_store kept_in; /* where code is kept, while `keeper` is the provider's */

static void key_of(char out[KEY_SIZE], uint64_t text) {
    snprintf(out, KEY_SIZE, "%016llx", (unsigned long long)text);
}

static bool find(void *context, uint64_t text, void **object, size_t *size) {
    const struct tcplan_store *store = context;
    struct kept_code code = {0};
    struct tcplan_error error;
    char key[KEY_SIZE];
    bool found;
    if (!folder_is_own(store->folder)) return false; /* it would be executed */
    key_of(key, text);
    if (store_find(&found, &code, store, &store_kind_code, key, &error) != TCPLAN_OK || !found) {
        base_free(code.object);
        return false;
    }
    *object = malloc(code.size);
    *size = code.size;
    if (*object) memcpy(*object, code.object, code.size);
    base_free(code.object);
    return *object != NULL;
}

static void keep(void *context, uint64_t text, const void *object, size_t size) {
    const struct tcplan_store *store = context;
    struct kept_code code = {.size = size};
    struct compiler compiler;
    struct tcplan_error error;
    char key[KEY_SIZE];
    key_of(key, text);
    if (compiler_find(&compiler)) snprintf(code.compiler, sizeof code.compiler, "%s", compiler.name);
    snprintf(code.options, sizeof code.options, "%s", compiler_options());
    code.object = base_alloc_zero(size, 1);
    if (!code.object) return;
    memcpy(code.object, object, size);
    (void)store_keep(store, &store_kind_code, key, &code, &error); /* where it is not kept it is compiled again */
    base_free(code.object);
}

static const struct emitted_keeper keeper = {.context = &kept_in, .find = find, .keep = keep};

enum tcplan_status tcplan_store_code(const struct tcplan_store *store, struct tcplan_error *error) {
    char *folder = store && store->folder ? strdup(store->folder) : NULL;
    if (store && store->folder && !folder) return error_no_memory(error);
    emitted_set_keeper(NULL);
    free((void *)(uintptr_t)kept_in.folder);
    kept_in = store ? *store : (struct tcplan_store){0};
    kept_in.folder = folder;
    if (folder) emitted_set_keeper(&keeper);
    return TCPLAN_OK;
}

struct tcplan_code_account tcplan_code_account(void) {
    const struct emitted_account account = emitted_account();
    struct tcplan_code_account out = {
        .compiled = account.compiled, .kept = account.kept, .failed = account.failed, .seconds = account.seconds};
    memcpy(out.reason, account.reason, sizeof out.reason);
    return out;
}
