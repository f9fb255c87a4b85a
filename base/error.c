#include "base/error.h"

#include <stdarg.h>

#include "base/format.h"

static void fill(struct tcplan_error *error, enum tcplan_status status, const char *format,
                 va_list arguments) {
    *error = (struct tcplan_error){.status = status};
    format_plain_arguments(error->message, sizeof error->message, format, arguments);
}

enum tcplan_status error_set(struct tcplan_error *error, enum tcplan_status status,
                             const char *format, ...) {
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, format, arguments);
    va_end(arguments);
    return status;
}

enum tcplan_status error_at(struct tcplan_error *error, enum tcplan_status status, size_t offset,
                            size_t length, const char *format, ...) {
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, format, arguments);
    va_end(arguments);
    error->column = offset + 1;
    error->length = length;
    return status;
}

enum tcplan_status error_no_memory(struct tcplan_error *error) {
    return error_set(error, TCPLAN_NO_MEMORY, "out of memory");
}
