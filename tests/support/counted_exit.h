/**
 * Include this before a source file that calls _exit(), in builds that measure coverage: it
 * replaces _exit() by exit(), which writes the counts.
 */
#ifndef TESTS_SUPPORT_COUNTED_EXIT_H
#define TESTS_SUPPORT_COUNTED_EXIT_H

#include <unistd.h>

void __gcov_dump(void);

#define _exit(status) (__gcov_dump(), _exit(status))

#endif
