/** Sets a locale whose decimal point is a comma. */
#ifndef SUPPORT_COMMA_LOCALE_H
#define SUPPORT_COMMA_LOCALE_H

#include <stdbool.h>

/** Sets a locale with a decimal comma for the process: an installed one, or one made by localedef.
 * Returns false if there is none. setlocale(LC_ALL, "C") restores the default. */
bool comma_locale_set(void);

#endif
