#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <tcplan/unstable.h>

/** Every public function, as run.sh finds them in the headers: the linker must find them, too. */
extern void (*const tcplan_functions[])();
extern const std::size_t tcplan_function_count;

int main() {
    for (std::size_t f = 0; f < tcplan_function_count; f++) {
        if (!tcplan_functions[f]) return 1;
    }
    tcplan_contraction *contraction;
    tcplan_error error;
    if (tcplan_contraction_parse(&contraction, "C_ab = A_ai * B_ib", TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK) return 1;
    char *text = tcplan_contraction_text(contraction);
    std::printf("%d functions: %s\n", static_cast<int>(tcplan_function_count), text ? text : "out of memory");
    std::free(text);
    tcplan_contraction_free(contraction);
    return 0;
}
