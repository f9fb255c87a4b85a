#include "microbench/providers/symbol.h"

#include <dlfcn.h>
#include <string.h>

/* The run times of AddressSanitizer and ThreadSanitizer reject glibc's RTLD_DEEPBIND. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DEEPBIND 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DEEPBIND 0
#endif
#endif
#if !defined(DEEPBIND) && defined(RTLD_DEEPBIND)
#define DEEPBIND RTLD_DEEPBIND
#elif !defined(DEEPBIND)
#define DEEPBIND 0
#endif

void *symbol_library(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | DEEPBIND);
}

bool symbol_find(void *library, const char *name, void *function) {
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}
