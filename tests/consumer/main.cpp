#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <tcplan/tcplan.h>

/** All public functions, which consumers.sh finds in the headers; the linker must find them, too. */
extern void (*const tcplan_functions[])();
extern const std::size_t tcplan_function_count;

int main() {
    for (std::size_t f = 0; f < tcplan_function_count; f++) {
        if (!tcplan_functions[f]) return 1;
    }
    tcplan_error error;
    tcplan_product *product = nullptr;
    tcplan_plan *plan = nullptr;
    const double A[] = {1, 2, 3, 4, 5, 6}, B[] = {1, 0, 2, 1, 1, 1};
    double C[4] = {};
    if (tcplan_product_parse(&product, "C_ab = A_ai * B_ib", "a=b=2,i=3", nullptr, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK) return 1;
    if (tcplan_plan_named(&plan, nullptr, product, "dgemm", &error) != TCPLAN_OK || tcplan_plan_execute(plan, A, B, C, NULL) != TCPLAN_OK) return 1;
    if (C[0] != 11 || C[3] != 12) return 1;
    char *text = tcplan_product_text(product);
    std::printf("%d functions: %s\n", static_cast<int>(tcplan_function_count), text ? text : "out of memory");
    std::free(text);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return 0;
}
