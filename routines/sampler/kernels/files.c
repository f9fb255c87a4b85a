#include "routines/sampler/kernels/files.h"

#include <stdio.h>
#include <string.h>

#include "base/output_file.h"

enum { CANNOT_BE_OPENED = 1, CANNOT_BE_DONE = 2 };

static void read_matrix(const char *path, int64_t m, int64_t n, char *a, int64_t ld, size_t bytes,
                        int *info) {
    FILE *file = fopen(path, "re");
    *info = file ? 0 : CANNOT_BE_OPENED;
    for (int64_t j = 0; j < n && *info == 0; j++) {
        if (fread(a + (size_t)(j * ld) * bytes, bytes, (size_t)m, file) != (size_t)m)
            *info = CANNOT_BE_DONE;
    }
    if (file) fclose(file);
}

static void write_matrix(const char *path, int64_t m, int64_t n, const char *a, int64_t ld,
                         size_t bytes, int *info) {
    struct output_file out = {0};
    struct tcplan_error error;
    const bool is_stdout = strcmp(path, "-") == 0;
    *info =
        is_stdout || output_file_open(&out, path, NULL, &error) != TCPLAN_OK ? CANNOT_BE_OPENED : 0;
    for (int64_t j = 0; j < n && *info == 0; j++) {
        if (fwrite(a + (size_t)(j * ld) * bytes, bytes, (size_t)m, out.file) != (size_t)m)
            *info = CANNOT_BE_DONE;
    }
    if (*info == 0 && output_file_commit(&out, &error) != TCPLAN_OK) *info = CANNOT_BE_DONE;
    output_file_discard(&out);
}

/** The routines for one type. */
#define IN(letter, type)                                                                           \
    static void letter##readfile(const char *path, const int *m, const int *n, char *a,            \
                                 const int *ld, int *info) {                                       \
        read_matrix(path, *m, *n, a, *ld, sizeof(type), info);                                     \
    }                                                                                              \
    static void letter##writefile(const char *path, const int *m, const int *n, const char *a,     \
                                  const int *ld, int *info) {                                      \
        write_matrix(path, *m, *n, a, *ld, sizeof(type), info);                                    \
    }

IN(s, float)
IN(d, double)
IN(c, float _Complex)
IN(z, double _Complex)

routine_fn *const files_read[TCPLAN_DTYPES] = {(routine_fn *)sreadfile, (routine_fn *)dreadfile,
                                               (routine_fn *)creadfile, (routine_fn *)zreadfile};
routine_fn *const files_write[TCPLAN_DTYPES] = {(routine_fn *)swritefile, (routine_fn *)dwritefile,
                                                (routine_fn *)cwritefile, (routine_fn *)zwritefile};
