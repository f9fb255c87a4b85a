#include "routines/sampler/timing/dispatch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct {
    int calls;
    int count;
    void *argument[CALL_MAX_ARGUMENTS];
} received;

static void receive(int count, ...) {
    va_list list;
    va_start(list, count);
    received.calls++;
    received.count = count;
    for (int a = 0; a < count; a++) received.argument[a] = va_arg(list, void *);
    va_end(list);
}

/* clang-format off */

#define P1 void *a1
#define P2 P1, void *a2
#define P3 P2, void *a3
#define P4 P3, void *a4
#define P5 P4, void *a5
#define P6 P5, void *a6
#define P7 P6, void *a7
#define P8 P7, void *a8
#define P9 P8, void *a9
#define P10 P9, void *a10
#define P11 P10, void *a11
#define P12 P11, void *a12
#define P13 P12, void *a13
#define P14 P13, void *a14
#define P15 P14, void *a15
#define P16 P15, void *a16
#define P17 P16, void *a17
#define P18 P17, void *a18
#define P19 P18, void *a19
#define P20 P19, void *a20
#define P21 P20, void *a21
#define P22 P21, void *a22
#define P23 P22, void *a23
#define P24 P23, void *a24
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
#define A13 A12, a13
#define A14 A13, a14
#define A15 A14, a15
#define A16 A15, a16
#define A17 A16, a17
#define A18 A17, a18
#define A19 A18, a19
#define A20 A19, a20
#define A21 A20, a21
#define A22 A21, a22
#define A23 A22, a23
#define A24 A23, a24

/** Defines a routine with n arguments that records them. */
#define ROUTINE(n, name, result, end) static result name##_##n(P##n) { receive(n, A##n); end }
#define EACH(use, ...) \
    use(1, __VA_ARGS__) use(2, __VA_ARGS__) use(3, __VA_ARGS__) use(4, __VA_ARGS__) use(5, __VA_ARGS__) use(6, __VA_ARGS__) \
    use(7, __VA_ARGS__) use(8, __VA_ARGS__) use(9, __VA_ARGS__) use(10, __VA_ARGS__) use(11, __VA_ARGS__) use(12, __VA_ARGS__) \
    use(13, __VA_ARGS__) use(14, __VA_ARGS__) use(15, __VA_ARGS__) use(16, __VA_ARGS__) use(17, __VA_ARGS__) use(18, __VA_ARGS__) \
    use(19, __VA_ARGS__) use(20, __VA_ARGS__) use(21, __VA_ARGS__) use(22, __VA_ARGS__) use(23, __VA_ARGS__) use(24, __VA_ARGS__)

EACH(ROUTINE, nothing, void, )
EACH(ROUTINE, an_int, int, return 1;)
EACH(ROUTINE, a_float, float, return 1;)
EACH(ROUTINE, a_double, double, return 1;)
EACH(ROUTINE, a_float_complex, float _Complex, return 1;)
EACH(ROUTINE, a_double_complex, double _Complex, return 1;)

#define AS_ROUTINE(n, name) (routine_fn *)name##_##n,

static const struct {
    enum signature_result result;
    routine_fn *function[CALL_MAX_ARGUMENTS];
} routines[] = {
    {SIGNATURE_NOTHING, {EACH(AS_ROUTINE, nothing)}},
    {SIGNATURE_RETURNS_INT, {EACH(AS_ROUTINE, an_int)}},
    {SIGNATURE_RETURNS_FLOAT, {EACH(AS_ROUTINE, a_float)}},
    {SIGNATURE_RETURNS_DOUBLE, {EACH(AS_ROUTINE, a_double)}},
    {SIGNATURE_RETURNS_FLOAT_COMPLEX, {EACH(AS_ROUTINE, a_float_complex)}},
    {SIGNATURE_RETURNS_DOUBLE_COMPLEX, {EACH(AS_ROUTINE, a_double_complex)}},
};

/* clang-format on */

static void assert_arrived(const struct call *call) {
    assert_int_equal(received.calls, 1);
    assert_int_equal(received.count, call->count);
    for (int a = 0; a < call->count; a++) assert_ptr_equal(received.argument[a], call->argument[a]);
}

static void arguments_arrive_in_order_for_any_return_type(void **state) {
    char memory[CALL_MAX_ARGUMENTS];
    (void)state;
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++) {
        const struct signature signature = {.result = routines[r].result};
        for (int count = 1; count <= CALL_MAX_ARGUMENTS; count++) {
            struct call call = {
                .routine = {.signature = &signature, .function = routines[r].function[count - 1]},
                .count = count};
            for (int a = 0; a < count; a++)
                call.argument[a] = &memory[(a + count) % CALL_MAX_ARGUMENTS];
            received.calls = 0;
            const struct dispatch_times times = dispatch_timed(&call);
            assert_arrived(&call);
            assert_true(times.end >= times.begin);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_arrive_in_order_for_any_return_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
