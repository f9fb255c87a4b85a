#include "microbench/kernels/mul.h"

typedef float mul_element;

#include "gen/runtime/mul_real.h"

#include "gen/runtime/mul_end.h"

#define MUL_BURST burst_smul
#include "microbench/kernels/mul_body.h"
