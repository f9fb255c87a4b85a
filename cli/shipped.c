#include "cli/shipped.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cli/correction.h"

char *shipped_folder(void) {
    char program[PATH_MAX];
    struct strbuf out = {0};
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) slash[1] = '\0';
    strbuf_add(&out, "%s%s/tcplan/libraries", program, TCPLAN_DATA_FROM_PROGRAM);
    return strbuf_finish(&out);
}

/** Returns the path FOLDER/NAME with `ending` if this file is readable; NULL if it is not, or if
 * memory runs out. */
static char *try_file(const char *folder, const char *name, const char *ending) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s/%s%s", folder, name, ending);
    char *path = strbuf_finish(&out);
    if (path && access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

char *shipped_find(const char *path) {
    if (strchr(path, '/') || access(path, F_OK) == 0) return base_strdup(path);
    char *folder = shipped_folder();
    if (!folder) return NULL;
    char *found = try_file(folder, path, "");
    if (!found) found = try_file(folder, path, ".xml");
    free(folder);
    return found ? found : base_strdup(path);
}

/** For scandir(). */
static int is_library(const struct dirent *entry) {
    const char *ending = strrchr(entry->d_name, '.');
    return ending && strcmp(ending, ".xml") == 0;
}

void shipped_offer(struct strbuf *out) {
    struct dirent **entry = NULL;
    char *folder = shipped_folder();
    const int count = folder ? scandir(folder, &entry, is_library, alphasort) : 0;
    for (int e = 0; e < count; e++) {
        *strrchr(entry[e]->d_name, '.') = '\0';
        strbuf_add(out, "%s%s", e > 0 ? " " : "", entry[e]->d_name);
        free(entry[e]);
    }
    free(entry);
    free(folder);
}

void shipped_suggest(const char *name) {
    if (strchr(name, '/') || access(name, F_OK) == 0) return;
    const struct suggestion suggestion = suggestion_offered(shipped_offer, name);
    if (*suggestion.text) fprintf(stderr, "%s\n", suggestion.text + strlen("; "));
}
