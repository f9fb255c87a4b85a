#include "microbench/copy/terms.h"

#include "gen/runtime/vectors.h"

#include "gen/runtime/stores.h"

#include "gen/runtime/mixes.h"

#include "gen/runtime/swaps.h"

#include "gen/runtime/past.h"

typedef float terms_number;
typedef kernel_s8 terms_vector;
enum { TERMS_PARTS = 2 };
#define TERMS_STREAM(to, x) KERNEL_PAST_s8(to, x)
#define TERMS_SWAP(x) KERNEL_SWAP_s8(x)
#define TERMS_PAIR(a, b) ((terms_vector){a, b, a, b, a, b, a, b})

#include "gen/runtime/terms.h"

#define TERMS_KERNEL terms_c
#include "microbench/copy/terms_body.h"
