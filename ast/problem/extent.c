#include "ast/problem/extent.h"

enum { BLAS_INTEGER_MAX = 2147483647 };

bool extent_belongs(char c) {
    return scan_is_name(c) || c == '.' || c == '-' || c == '+';
}

/* whole = [ "-" ] digit { digit } */
static bool is_whole(struct word word) {
    size_t sign = word.text[0] == '-' ? 1 : 0;
    for (size_t i = sign; i < word.length; i++) {
        if (!scan_is_digit(word.text[i])) return false;
    }
    return word.length > sign;
}

/** Returns the value of digits; if the value exceeds the largest BLAS integer, returns any number
 * above that integer. */
static int64_t value_of(struct word digits) {
    int64_t value = 0;
    for (size_t i = 0; i < digits.length && value <= BLAS_INTEGER_MAX; i++)
        value = 10 * value + (digits.text[i] - '0');
    return value;
}

bool extent_read(int64_t *out, struct scan *scan, struct word word, const char *what,
                 int64_t least) {
    struct excerpt text = scan_excerpt(word);
    if (word.length == 0) return scan_expected(scan, what);
    if (!is_whole(word))
        return scan_refuse(scan, word, "expected %s as a whole number, found %s", what, text.text);
    *out = word.text[0] == '-' ? -1 : value_of(word);
    if (*out < least)
        return scan_refuse(scan, word, "expected %s of at least %lld, found %s", what,
                           (long long)least, text.text);
    return *out <= BLAS_INTEGER_MAX ||
           scan_refuse(scan, word, "%s exceeds the largest BLAS integer, %d", text.text,
                       BLAS_INTEGER_MAX);
}
