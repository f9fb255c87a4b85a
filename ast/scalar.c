#include "ast/scalar.h"

#include "base/decimal.h"

void scalar_print(struct strbuf *out, struct tcplan_scalar scalar) {
    if (scalar.im == 0) {
        decimal_print(out, scalar.re);
        return;
    }
    strbuf_add(out, "(");
    decimal_print(out, scalar.re);
    strbuf_add(out, ",");
    decimal_print(out, scalar.im);
    strbuf_add(out, ")");
}
