#include "microbench/copy/copy.h"

typedef double copy_element;

#include "gen/runtime/copy_begin.h"
#include "gen/runtime/copy_real.h"
#include "gen/runtime/copy_transpose_8.h"

#include "gen/runtime/copy_end.h"

#include "gen/runtime/copy_scaled.h"
#include "gen/runtime/copy_sum.h"

#define COPY_KERNEL copy_d
#include "microbench/copy/copy_body.h"
