/**
 * A locale whose decimal point is a comma.
 */
#ifndef SUPPORT_COMMA_LOCALE_H
#define SUPPORT_COMMA_LOCALE_H

#include <stdbool.h>

/** Sets one for the process: an installed one, or one that localedef makes; false: there is none.
 * setlocale(LC_ALL, "C") ends it. */
bool comma_locale_set(void);

#endif
