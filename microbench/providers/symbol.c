#include "microbench/providers/symbol.h"

#include <dlfcn.h>
#include <string.h>

bool symbol_find(void *library, const char *name, void *function) {
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}
