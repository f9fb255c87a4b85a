#include "microbench/kernels/mul.h"

typedef double _Complex mul_element;

#include "gen/runtime/mul_complex.h"

#include "gen/runtime/mul_end.h"

#include "gen/runtime/mul_conjugated.h"

#define MUL_CONJUGATED
#define MUL_BURST burst_zmul
#include "microbench/kernels/mul_body.h"
