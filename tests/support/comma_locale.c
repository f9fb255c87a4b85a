#include "support/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_comma(void) {
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return text[1] == ',';
}

static bool set(void) {
    return setlocale(LC_ALL, "de_DE.UTF-8") && has_comma();
}

bool comma_locale_set(void) {
    char folder[] = "/tmp/tcplan-locale-XXXXXX", command[256];
    if (set()) return true;
    if (!mkdtemp(folder)) return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    setenv("LOCPATH", folder, 1);
    const bool made = system(command) == 0 && set();
    unsetenv("LOCPATH"); /* without LOCPATH, the loaded locale remains */
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && made;
}
