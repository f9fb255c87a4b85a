#include "routines/sampler/timing/dispatch.h"

#include <assert.h>
#include <complex.h>

#include "microbench/timing/ticks.h"

/* clang-format off */

/* Lists of n parameter types and of n arguments. */
#define P1 void *
#define P2 P1, void *
#define P3 P2, void *
#define P4 P3, void *
#define P5 P4, void *
#define P6 P5, void *
#define P7 P6, void *
#define P8 P7, void *
#define P9 P8, void *
#define P10 P9, void *
#define P11 P10, void *
#define P12 P11, void *
#define P13 P12, void *
#define P14 P13, void *
#define P15 P14, void *
#define P16 P15, void *
#define P17 P16, void *
#define P18 P17, void *
#define P19 P18, void *
#define P20 P19, void *
#define P21 P20, void *
#define P22 P21, void *
#define P23 P22, void *
#define P24 P23, void *
#define A1 a[0]
#define A2 A1, a[1]
#define A3 A2, a[2]
#define A4 A3, a[3]
#define A5 A4, a[4]
#define A6 A5, a[5]
#define A7 A6, a[6]
#define A8 A7, a[7]
#define A9 A8, a[8]
#define A10 A9, a[9]
#define A11 A10, a[10]
#define A12 A11, a[11]
#define A13 A12, a[12]
#define A14 A13, a[13]
#define A15 A14, a[14]
#define A16 A15, a[15]
#define A17 A16, a[16]
#define A18 A17, a[17]
#define A19 A18, a[18]
#define A20 A19, a[19]
#define A21 A20, a[20]
#define A22 A21, a[21]
#define A23 A22, a[22]
#define A24 A23, a[23]

#define CASE(result, n) case n: times.begin = ticks_begin(); ((result (*)(P##n))function)(A##n); times.end = ticks_end(); break;

/* Each number of arguments is one case on one line: smaller functions would not be clearer.
 * NOLINTBEGIN(misc-static-assert, readability-function-size) */

/** Defines a function that makes calls whose routine returns `result`. */
#define CALLER(name, result)                                                                                                               \
    static struct dispatch_times name(const struct call *call) {                                                                           \
        struct dispatch_times times = {0, 0};                                                                                              \
        routine_fn *const function = call->routine.function;                                                                               \
        void *const *const a = call->argument;                                                                                             \
        switch (call->count) {                                                                                                             \
        CASE(result, 1) CASE(result, 2) CASE(result, 3) CASE(result, 4) CASE(result, 5) CASE(result, 6) CASE(result, 7) CASE(result, 8)    \
        CASE(result, 9) CASE(result, 10) CASE(result, 11) CASE(result, 12) CASE(result, 13) CASE(result, 14) CASE(result, 15)              \
        CASE(result, 16) CASE(result, 17) CASE(result, 18) CASE(result, 19) CASE(result, 20) CASE(result, 21) CASE(result, 22)             \
        CASE(result, 23) CASE(result, 24)                                                                                                  \
        default: assert(!"as many arguments as there are cases");                                                                          \
        }                                                                                                                                  \
        return times;                                                                                                                      \
    }

CALLER(call_nothing, void)
CALLER(call_int, int)
CALLER(call_float, float)
CALLER(call_double, double)
CALLER(call_float_complex, float _Complex)
CALLER(call_double_complex, double _Complex)

/* NOLINTEND(misc-static-assert, readability-function-size) */

/* clang-format on */

struct dispatch_times dispatch_timed(const struct call *call) {
    switch (call->routine.signature->result) {
    case SIGNATURE_NOTHING: break;
    case SIGNATURE_RETURNS_INT: return call_int(call);
    case SIGNATURE_RETURNS_FLOAT: return call_float(call);
    case SIGNATURE_RETURNS_DOUBLE: return call_double(call);
    case SIGNATURE_RETURNS_FLOAT_COMPLEX: return call_float_complex(call);
    case SIGNATURE_RETURNS_DOUBLE_COMPLEX: return call_double_complex(call);
    }
    return call_nothing(call);
}
