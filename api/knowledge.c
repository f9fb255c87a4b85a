#include "api/knowledge.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "tcplan/blas_cores.h"
#include "tcplan/ceilings.h"

enum tcplan_status knowledge_machine(const struct tcplan_machine **out,
                                     struct tcplan_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct tcplan_machine machine;
    static bool is_known;
    pthread_mutex_lock(&lock);
    const enum tcplan_status status =
        is_known ? TCPLAN_OK : tcplan_machine_load(&machine, "live", error);
    is_known = status == TCPLAN_OK;
    pthread_mutex_unlock(&lock);
    if (status == TCPLAN_OK) *out = &machine;
    return status;
}

enum tcplan_status knowledge_fingerprint(const struct tcplan_fingerprint **out,
                                         struct tcplan_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct tcplan_fingerprint fingerprint;
    static bool is_known;
    const struct tcplan_machine *machine = NULL;
    const enum tcplan_status status = knowledge_machine(&machine, error);
    if (status != TCPLAN_OK) return status;
    pthread_mutex_lock(&lock);
    if (!is_known) fingerprint = tcplan_fingerprint_make(machine);
    is_known = true;
    pthread_mutex_unlock(&lock);
    *out = &fingerprint;
    return TCPLAN_OK;
}

/** Adds the advice about a provider's library, unless the text contains it already, because two
 * providers may use one library. */
static void add_advice(struct strbuf *text, enum tcplan_provider provider,
                       const struct tcplan_store *store, char *(*variable)(const char *name)) {
    const char *name = tcplan_blas_variable(provider);
    struct tcplan_blas_trials trials;
    struct tcplan_blas_advice advice;
    bool found = false;
    if (store->folder) tcplan_store_blas_trials(&found, &trials, store, provider, NULL);
    tcplan_blas_advise(&advice, provider, found ? &trials : NULL,
                       name && variable ? variable(name) : NULL);
    if (*advice.text && !(text->text && strstr(text->text, advice.text)))
        strbuf_add(text, "%s\n", advice.text);
}

char *tcplan_blas_advice(const char *folder, char *(*variable)(const char *name)) {
    const struct tcplan_fingerprint *fingerprint = NULL;
    struct tcplan_store store = {0};
    struct strbuf text = {0};
    if (folder && *folder && knowledge_fingerprint(&fingerprint, NULL) == TCPLAN_OK)
        store = (struct tcplan_store){.folder = folder, .fingerprint = *fingerprint};
    strbuf_add(&text, "%s", "");
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        add_advice(&text, (enum tcplan_provider)p, &store, variable);
    return strbuf_finish(&text);
}

static void forget(struct knowledge *knowledge) {
    tcplan_roofline_free(knowledge->ceilings);
    tcplan_models_free(knowledge->models);
    tcplan_experience_free(knowledge->experience);
    *knowledge = (struct knowledge){.folder = knowledge->folder};
}

enum tcplan_status knowledge_set_folder(struct knowledge *knowledge, const char *folder) {
    char *copy = folder ? base_strdup(folder) : NULL;
    if (folder && !copy) return TCPLAN_NO_MEMORY;
    base_free(knowledge->folder);
    knowledge->folder = copy;
    forget(knowledge);
    return TCPLAN_OK;
}

void knowledge_free(struct knowledge *knowledge) {
    forget(knowledge);
    base_free(knowledge->folder);
    knowledge->folder = NULL;
}

/** Reads the data that does not depend on the number of threads. Data that is missing, damaged or
 * of another machine is not an error. */
static enum tcplan_status read_store(struct knowledge *knowledge, struct tcplan_error *error) {
    const struct tcplan_machine *machine = NULL;
    const struct tcplan_fingerprint *fingerprint = NULL;
    enum tcplan_status status = knowledge_machine(&machine, error);
    if (status == TCPLAN_OK) status = knowledge_fingerprint(&fingerprint, error);
    if (status != TCPLAN_OK) return status;
    knowledge->machine = *machine;
    knowledge->store =
        (struct tcplan_store){.folder = knowledge->folder, .fingerprint = *fingerprint};
    tcplan_store_experience(&knowledge->experience, &knowledge->store, NULL);
    tcplan_store_models(&knowledge->models, &knowledge->store, NULL);
    knowledge->is_read = true;
    return TCPLAN_OK;
}

static void read_ceilings(struct knowledge *knowledge, int threads) {
    tcplan_roofline_free(knowledge->ceilings);
    knowledge->ceilings = NULL;
    tcplan_store_ceilings(&knowledge->ceilings, &knowledge->store, &threads, 1, NULL);
    knowledge->machine.ceilings = knowledge->ceilings;
    knowledge->ceilings_threads = threads;
}

enum tcplan_status knowledge_give(struct knowledge *knowledge, struct tcplan_rank_options *options,
                                  struct tcplan_error *error) {
    enum tcplan_status status = knowledge->is_read ? TCPLAN_OK : read_store(knowledge, error);
    if (status != TCPLAN_OK) return status;
    if (knowledge->ceilings_threads != options->threads) read_ceilings(knowledge, options->threads);
    options->machine = &knowledge->machine;
    options->experience = knowledge->experience;
    options->models = knowledge->models;
    options->code = &knowledge->store;
    return TCPLAN_OK;
}

void knowledge_keep(struct knowledge *knowledge) {
    if (knowledge->experience)
        tcplan_store_keep_experience(&knowledge->store, knowledge->experience, NULL);
}
