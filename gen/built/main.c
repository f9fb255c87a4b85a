/*
 * Writes the kernels of an instruction set that become part of the library, while tcplan is built:
 * `tcplan_write_kernels SET FILE`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emitted/general.h"
#include "gen/emitted/general_tiles.h"
#include "gen/emitted/numbers.h"

static void add_kernels(struct strbuf *out, enum emitted_set set) {
    struct strbuf text = {0};
    general_add_common(&text);
    for (int type = 0; type < TCPLAN_DTYPES; type++) {
        char name[64], tiles[64];
        snprintf(name, sizeof name, "general_%cgemm", "sdcz"[type]);
        general_add_gemm(&text, name, (enum tcplan_dtype)type, set);
        snprintf(name, sizeof name, "general_%cloops_%s", "sdcz"[type], emitted_set_text[set].name);
        general_add_loops(&text, name, (enum tcplan_dtype)type, set);
        snprintf(tiles, sizeof tiles, "general_%ctiles_%s", "sdcz"[type],
                 emitted_set_text[set].name);
        general_add_tiles(&text, tiles, name, (enum tcplan_dtype)type, set);
    }
    emitted_add_common(out);
    emitted_add_kernels(out, &text);
}

static int write_text(const char *path, const struct strbuf *text) {
    FILE *file = fopen(path, "w");
    if (!file) return EXIT_FAILURE;
    const int failed = fwrite(text->text, 1, text->length, file) != text->length;
    return fclose(file) != 0 || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    for (int set = 0; argc == 3 && set < EMITTED_SETS; set++) {
        struct strbuf text = {0};
        if (strcmp(argv[1], emitted_set_text[set].name) != 0) continue;
        add_kernels(&text, (enum emitted_set)set);
        const int status = text.failed ? EXIT_FAILURE : write_text(argv[2], &text);
        strbuf_free(&text);
        if (status != EXIT_SUCCESS) perror(argv[2]);
        return status;
    }
    fprintf(stderr, "usage: tcplan_write_kernels SET FILE\n");
    return EXIT_FAILURE;
}
