#include "microbench/copy/copy.h"

typedef double _Complex copy_element;

#include "gen/runtime/copy_begin.h"
#include "gen/runtime/copy_complex.h"
#include "gen/runtime/copy_transpose_16.h"

#include "gen/runtime/copy_end.h"

#include "gen/runtime/copy_scaled.h"
#include "gen/runtime/copy_sum.h"

#define COPY_KERNEL copy_z
#include "microbench/copy/copy_body.h"
