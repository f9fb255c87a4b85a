#include "routines/sampler/generation/cases_used.h"

#define CONTRACTED "m=8:1048 n=8:1048 k=8:1048"
#define MATRIX "m=8:4152 n=8:4152"
#define ONE_BY_ONE "incx=1 incy=1"
#define APART "n=24:4152"
#define BLOCK "n=24:536"
#define LEFT_PANEL "m=24:536 n=24:4152"
#define RIGHT_PANEL "m=24:4152 n=24:536"

const struct cases_used_line cases_used[] = {
    /* Kernels of contractions (plan/), which multiply by 1 and assign or add the result. Rows and
     * columns of matrices have large increments. */
    {"gemm", "transA=N|T transB=N|T alpha=1 beta=0|1", CONTRACTED},
    {"gemv", "trans=N|T alpha=1 beta=0|1 incx=1|large incy=1|large", MATRIX},
    {"ger", "alpha=1 incx=1|large incy=1|large", MATRIX},
    {"axpy", "alpha=any " ONE_BY_ONE, "n=24:65536"},
    {"axpy", "alpha=any incx=1|large incy=large", APART},
    {"axpy", "alpha=any incx=large incy=1", APART},
    {"dot", ONE_BY_ONE, "n=24:65536"},
    {"dot", "incx=1|large incy=large", APART},
    {"dot", "incx=large incy=1", APART},

    /* tcplan's own copies: plain copies of vectors, from strided to contiguous vectors and back,
       and transpositions of two and three dimensions. */
    {"move", ONE_BY_ONE, "n=24:1048576"},
    {"move", "incx=large incy=1", APART},
    {"move", "incx=1 incy=large", APART},
    {"transpose", "streamed=0|1", "m=24:4152 n=24:4152"},
    {"permute", "order=132|213|231|312|321 streamed=0|1", "m=24:264 n=24:264 k=24:264"},

    /* Cholesky factorisation, all three algorithms. In the dissertation (section 4.4), b' is the
     * block, k the finished part, and r the rest. */
    {"trsm", "side=R uplo=L transA=T diag=N alpha=1", RIGHT_PANEL},
    {"syrk", "uplo=L trans=N alpha=-1 beta=1", "n=24:536 k=24:4152"},
    {"syrk", "uplo=L trans=N alpha=-1 beta=1", "n=24:4152 k=24:536"},
    {"potf2", "uplo=L", BLOCK},
    {"gemm", "transA=N transB=T alpha=-1 beta=1", "m=24:4152 n=24:536 k=24:4152"},

    /* Triangular inversion, algorithms 1 to 8. */
    {"trmm", "side=R uplo=L transA=N diag=N alpha=1", LEFT_PANEL},
    {"trmm", "side=L uplo=L transA=N diag=N alpha=1", RIGHT_PANEL},
    {"trsm", "side=L uplo=L transA=N diag=N alpha=1|-1", LEFT_PANEL},
    {"trsm", "side=L uplo=L transA=N diag=N alpha=1|-1", RIGHT_PANEL},
    {"trsm", "side=R uplo=L transA=N diag=N alpha=1|-1", RIGHT_PANEL},
    {"trsm", "side=R uplo=L transA=N diag=N alpha=1|-1", LEFT_PANEL},
    {"gemm", "transA=N transB=N alpha=1|-1 beta=1", "m=24:4152 n=24:4152 k=24:536"},
    {"trti2", "uplo=L diag=N", BLOCK},

    /* The triangular Sylvester equation: products as above, and the innermost equation. */
    {"trsyl", "transA=N transB=N isgn=1", "m=24:536 n=24:536"},

    /* LAPACK's lauum, sygst, getrf, geqrf. */
    {"trmm", "side=L uplo=L transA=T diag=N alpha=1", LEFT_PANEL},
    {"lauu2", "uplo=L", BLOCK},
    {"gemm", "transA=T transB=N alpha=1 beta=1", "m=24:536 n=24:4152 k=24:4152"},
    {"syrk", "uplo=L trans=T alpha=1 beta=1", "n=24:536 k=24:4152"},
    {"sygs2", "itype=1 uplo=L", BLOCK},
    {"symm", "side=R uplo=L alpha=any beta=1", RIGHT_PANEL},
    {"syr2k", "uplo=L trans=N alpha=-1 beta=1", "n=24:4152 k=24:536"},
    {"getf2", "", RIGHT_PANEL},
    {"laswp", "incipiv=1", "n=24:4152 k1=1 k2=24:536"},
    {"trsm", "side=L uplo=L transA=N diag=U alpha=1", LEFT_PANEL},
    {"geqr2", "", RIGHT_PANEL},
    {"larft", "direct=F storev=C", "n=536:4152 k=24:536"},
    {"copy", "incx=large incy=1", APART},
    {"trmm", "side=R uplo=L transA=N|T diag=U alpha=1", RIGHT_PANEL},
    {"trmm", "side=R uplo=U transA=N diag=N alpha=1", RIGHT_PANEL},
    {0},
};
