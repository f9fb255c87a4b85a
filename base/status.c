#include "tcplan/status.h"

const char *tcplan_status_text(enum tcplan_status status) {
    switch (status) {
    case TCPLAN_OK: return "success";
    case TCPLAN_NOT_APPLICABLE: return "not applicable";
    case TCPLAN_INVALID: return "invalid input";
    case TCPLAN_OVERFLOW: return "a size or count is too large";
    case TCPLAN_NO_MEMORY: return "out of memory";
    case TCPLAN_ENVIRONMENT: return "the environment failed";
    case TCPLAN_MISMATCH: return "results of another version, machine or library";
    case TCPLAN_BUSY: return "locked by another process";
    case TCPLAN_CANCELLED: return "cancelled";
    }
    return "unknown status";
}
