#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bindings/tapp/errors.h"

enum { TEXT_BYTES = 480 };

static _Thread_local struct {
    TAPP_error code;
    char text[TEXT_BYTES];
} last;

static const struct {
    TAPP_error code;
    const char *text;
} meanings[] = {
    {TAPP_TCPLAN_SUCCESS, "Success."},
    {TAPP_TCPLAN_EXTENT_A_B, "An index has different extents in A and B."},
    {TAPP_TCPLAN_EXTENT_A_D, "An index has different extents in A and D."},
    {TAPP_TCPLAN_EXTENT_B_D, "An index has different extents in B and D."},
    {TAPP_TCPLAN_INDEX_ONLY_IN_D, "An index of D is in neither A nor B."},
    {TAPP_TCPLAN_RANK_C_D, "C and D have different numbers of dimensions."},
    {TAPP_TCPLAN_INDEX_C_D, "C and D have different indices, or a different order of indices."},
    {TAPP_TCPLAN_EXTENT_C_D, "C and D have different extents."},
    {TAPP_TCPLAN_ALIASING, "Two elements of D have the same address."},
    {TAPP_TCPLAN_EXTENT_A, "An index that occurs twice in A has two extents."},
    {TAPP_TCPLAN_EXTENT_B, "An index that occurs twice in B has two extents."},
    {TAPP_TCPLAN_EXTENT_D, "An index that occurs twice in D has two extents."},
    {TAPP_TCPLAN_NULL_C, "C is NULL, but beta is not 0."},
    {TAPP_TCPLAN_NEGATIVE_RANK, "A tensor has a negative number of dimensions."},
    {TAPP_TCPLAN_NEGATIVE_EXTENT, "A tensor has a negative extent."},
    {TAPP_TCPLAN_NO_EXECUTOR, "The handle is not an executor."},
    {TAPP_TCPLAN_NO_MEMORY, "Memory is out."},
    {TAPP_TCPLAN_NULL_POINTER, "A pointer is NULL."},
    {TAPP_TCPLAN_NO_OBJECT, "The handle has another kind, or the object was destroyed."},
    {TAPP_TCPLAN_TYPE, "The type of the elements is not supported: expected F32, F64, C32 or C64."},
    {TAPP_TCPLAN_OPERATION,
     "An operation is neither the identity nor the conjugate, or the precision is unknown."},
    {TAPP_TCPLAN_LIMIT,
     "There are more than 64 indices, an extent exceeds 2147483647, or a tensor exceeds the "
     "address space."},
    {TAPP_TCPLAN_PLANNING, "The product could not be planned."},
    {TAPP_TCPLAN_EXECUTION, "The product could not be executed."},
    {TAPP_TCPLAN_ATTRIBUTE,
     "The object has no such attribute, the attribute cannot be set, or the value is invalid."},
    {TAPP_TCPLAN_C_IS_OTHER_D, "C is D, but has other strides or another type."},
    {TAPP_TCPLAN_NEGATIVE_BATCHES, "The number of batches is negative."},
    {TAPP_TCPLAN_ENVIRONMENT, "An environment variable is malformed."},
};

/* Formats numbers in the C locale of this thread, so that messages have decimal points whatever
 * locale the program uses. */
TAPP_error tapp_fail(TAPP_error code, const char *format, ...) {
    last.code = code;
    *last.text = '\0';
    if (format) {
        const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        const locale_t before = plain ? uselocale(plain) : (locale_t)0;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(last.text, sizeof last.text, format, arguments);
        va_end(arguments);
        if (plain) uselocale(before);
        if (plain) freelocale(plain);
    }
    return code;
}

TAPP_error tapp_fail_again(TAPP_error code) {
    return code == last.code ? code : tapp_fail(code, NULL);
}

struct tapp_text tapp_index_text(int64_t index) {
    struct tapp_text out;
    if (index > ' ' && index <= '~') {
        snprintf(out.text, sizeof out.text, "%lld ('%c')", (long long)index, (char)index);
    } else {
        snprintf(out.text, sizeof out.text, "%lld", (long long)index);
    }
    return out;
}

static const char *meaning(TAPP_error error) {
    for (size_t m = 0; m < sizeof meanings / sizeof *meanings; m++) {
        if (meanings[m].code == error) return meanings[m].text;
    }
    return "This library has no such error code.";
}

bool TAPP_check_success(TAPP_error error) {
    return error == TAPP_TCPLAN_SUCCESS;
}

size_t TAPP_explain_error(TAPP_error error, size_t maxlen, char *message) {
    const char *text = error != TAPP_TCPLAN_SUCCESS && error == last.code && *last.text
                           ? last.text
                           : meaning(error);
    const size_t length = strlen(text);
    if (maxlen == 0 || !message) return length;
    const size_t written = length < maxlen ? length : maxlen - 1;
    memcpy(message, text, written);
    message[written] = '\0';
    return written;
}
