#include "ast/algorithm/kernel_class.h"

#define CLASS(NAME, name) [TCPLAN_##NAME] = &kernel_class_##name,
static const struct kernel_class *const classes[TCPLAN_KERNELS] = {TCPLAN_KERNEL_LIST(CLASS)};

const struct kernel_class *kernel_class_of(enum tcplan_kernel kernel) {
    return classes[kernel];
}

const char *kernel_routine(enum tcplan_kernel kernel, enum tcplan_dtype dtype, bool conjugates_one,
                           bool conjugates_other) {
    const bool conjugates = conjugates_one != conjugates_other && tcplan_dtype_is_complex(dtype);
    return conjugates && classes[kernel]->conjugating ? classes[kernel]->conjugating
                                                      : tcplan_kernel_name(kernel, dtype);
}

bool kernel_is_named_by(enum tcplan_kernel kernel, unsigned roles) {
    bool found = false;
    for (const unsigned *set = classes[kernel]->role_sets; *set; set++)
        found = found || *set == roles;
    return found;
}

enum kernel_shape kernel_shape(enum tcplan_kernel kernel) {
    const unsigned roles = classes[kernel]->role_sets[0];
    if (roles == ROLE_H) return KERNEL_OF_ELEMENTS;
    if ((roles & (ROLE_M | ROLE_N | ROLE_K)) == (ROLE_M | ROLE_N | ROLE_K))
        return KERNEL_OF_MATRICES;
    if (roles == (ROLE_M | ROLE_N)) return KERNEL_OF_OUTER;
    return roles == ROLE_M || roles == ROLE_N || roles == ROLE_K ? KERNEL_OF_VECTORS
                                                                 : KERNEL_OF_MATRIX_FIRST;
}

unsigned kernel_roles(enum tcplan_kernel kernel) {
    unsigned roles = 0;
    for (const unsigned *set = classes[kernel]->role_sets; *set; set++) roles |= *set;
    return roles;
}

bool kernel_takes(enum tcplan_kernel kernel, unsigned roles) {
    return kernel_is_named_by(kernel, roles) ||
           (classes[kernel]->takes_parts && (roles & ~kernel_roles(kernel)) == 0 &&
            !(classes[kernel]->needs & ~roles));
}

const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    const struct kernel_class *class = classes[kernel];
    return class->complex_name && tcplan_dtype_is_complex(dtype) ? class->complex_name
                                                                 : class->name;
}
