/**
 * Include this before a file that calls _exit(), for builds that measure coverage: exit() writes
 * the counts, _exit() does not.
 */
#ifndef TESTS_SUPPORT_COUNTED_EXIT_H
#define TESTS_SUPPORT_COUNTED_EXIT_H

#include <unistd.h>

void __gcov_dump(void);

#define _exit(status) (__gcov_dump(), _exit(status))

#endif
