/** A temporary folder for all tests of a program. To be included after cmocka.h. */
#ifndef SUPPORT_ROOT_FOLDER_H
#define SUPPORT_ROOT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char root[] = "/tmp/tcplan-test-XXXXXX";

/** Runs a shell command, which must succeed, with the path of the folder for %s. */
static inline void run(const char *command) {
    char text[256];
    snprintf(text, sizeof text, command, root);
    assert_int_equal(system(text), 0);
}

static inline int make_root(void **state) {
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static inline int remove_root(void **state) {
    (void)state;
    run("rm -rf %s");
    return 0;
}

#endif
