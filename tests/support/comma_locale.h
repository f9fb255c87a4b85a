/** Sets a locale whose decimal point is a comma. */
#ifndef SUPPORT_COMMA_LOCALE_H
#define SUPPORT_COMMA_LOCALE_H

#include <stdbool.h>

/** Sets such a locale for the process: an installed one, or one made by localedef; returns false if
 * there is none. setlocale(LC_ALL, "C") ends this. */
bool comma_locale_set(void);

#endif
