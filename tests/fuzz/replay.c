/**
 * Passes every file of a corpus to a fuzz target, so that tests need no libFuzzer: replay
 * DIRECTORY|FILE... The program fails if there is no file.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

enum { INPUT_BYTES_MAX = 1 << 20 };

static size_t replayed;

static void replay_file(const char *path) {
    static uint8_t data[INPUT_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    replayed++;
}

static void replay(const char *path) {
    DIR *directory = opendir(path);
    if (!directory) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        char below[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        replay(below);
    }
    closedir(directory);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) replay(argv[i]);
    printf("%zu inputs replayed\n", replayed);
    return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
