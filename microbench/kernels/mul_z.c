#include "microbench/kernels/mul.h"

typedef double _Complex mul_element;

#include "gen/runtime/mul_complex.h"

#include "gen/runtime/mul_end.h"

#define MUL_BURST burst_zmul
#include "microbench/kernels/mul_body.h"
