#include "base/format.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static locale_t plain;

static void make_plain(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int format_plain_arguments(char *out, size_t size, const char *format, va_list arguments) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    /* sets the locale of this thread only */
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    const int length = vsnprintf(out, size, format, arguments);
    if (plain) uselocale(before);
    return length;
}

int format_plain(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = format_plain_arguments(out, size, format, arguments);
    va_end(arguments);
    return length;
}
