#include "tcplan/tcplan.h"

const char *tcplan_version(void) {
    return TCPLAN_VERSION_STRING;
}
