/*
 * The table of routines. To add a routine, add a line; signature.h defines the syntax. Sources:
 * the BLAS and LAPACK documentation for the arguments, the dissertation's appendix B for
 * operations. The appendix lacks larft and larfb; their operations are those of LAPACK's
 * algorithms.
 */
#include "routines/sampler/signatures/routines.h"

/* clang-format off */

/* Parts of argument lists that many lines share. */
#define UPLO "uplo=LU "
#define TRIANGLE "uplo=LU transA=NTC diag=NU "
#define PANEL "side=LR uplo=LU "
#define MULTIPLY "m n alpha A.sym(side=L?m:n) ldA B(m,n) ldB beta +C(m,n) ldC"
#define RANK_K "A(trans=N?n:k,trans=N?k:n) ldA"
#define RANK_2K RANK_K " B(trans=N?n:k,trans=N?k:n) ldB"
#define FACTORS "A(transA=N?m:k,transA=N?k:m) ldA B(transB=N?k:n,transB=N?n:k) ldB beta +C(m,n) ldC"
#define XY "x(trans=N?n:m) incx beta +y(trans=N?m:n) incy"
#define SYLVESTER "isgn=1|-1 m n A.tri(m) ldA B.tri(n) ldB +C(m,n) ldC =scale.real(1) info"
#define REFLECTORS " direct=FB storev=CR m:(side=L?k:0) n:(side=L?0:k) k V(storev=R?k:(side=L?m:n),storev=C?k:(side=L?m:n)) ldV T.tri(k) ldT "
#define REFLECTED "+C(m,n) ldC work(side=L?n:m,k) ldwork"
#define SOLVED "+B(n,nrhs) ldB info"
#define APPLIED " m:(side=L?k:0) n:(side=L?0:k) k A(side=L?m:n,k) ldA tau(k) +C(m,n) ldC work(lwork) lwork:(side=L?n:m):32*(side=L?n:m) info"
#define APPLIED_TREE " m n A.tri(side=L?m:n) ldA tau(side=L?m:n) +C(m,n) ldC work(lwork) lwork:(side=L?n:m):32*(side=L?n:m) info"
#define QR_OPERATIONS "(m>=n?2*n*n*(m-n/3):2*m*m*(n-m/3))*fma/2"
#define BIDIAGONAL "m n +A(m,n) ldA =s.real(min(m,n)) =U(m,m) ldU =VT(n,n) ldVT work(lwork) "
#define SVD_OPERATIONS "(jobz=N?(m>=n?4*n*n*(m-n/3):4*m*m*(n-m/3)):6*max(m,n)*min(m,n)*min(m,n)+20*min(m,n)*min(m,n)*min(m,n))*fma/2"

const struct routine_line routine_lines[] = {
    /* BLAS 1: vectors. */
    {.name = "?rotg", "s d c z", "+a(1) +b(1) =c.real(1) =s(1)", "6", "a rotation"},
    {.name = "?rotmg", "s d", "+d1(1) +d2(1) +x1(1) y1(1) =param(5)", "0", "a modified rotation"},
    {.name = "?rot", "s d cs zd", "n +x(n) incx +y(n) incy c.scalar.real s.scalar.real", "n*(4*rmul+2*add)", "rotates points"},
    {.name = "?rotm", "s d", "n +x(n) incx +y(n) incy param(5)", "n*(4*mul+2*add)", "rotates points, modified"},
    {.name = "?swap", "s d c z", "n +x(n) incx +y(n) incy", "0", "x <-> y"},
    {.name = "?scal", "s d c z", "n alpha +x(n) incx", "n*mul", "x := alpha x"},
    {.name = "?scal", "cs zd", "n alpha.real +x(n) incx", "n*rmul", "x := alpha x, alpha real"},
    {.name = "?copy", "s d c z", "n x(n) incx =y(n) incy", "0", "y := x"},
    {.name = "?axpy", "s d c z", "n alpha x(n) incx +y(n) incy", "n*fma", "y := alpha x + y"},
    {.name = "?axpby", "s d c z", "n alpha x(n) incx beta +y(n) incy", "n*fma", "y := alpha x + beta y (OpenBLAS)"},
    {.name = "?dot", "s d", "n x(n) incx y(n) incy", "n*fma", "x^T y", .returns = RETURNS_OWN},
    {.name = "dsdot", "d", "n x.float(n) incx y.float(n) incy", "n*fma", "x^T y of single precision, computed in double precision", .returns = RETURNS_OWN},
    {.name = "sdsdot", "s", "n sb.scalar x(n) incx y(n) incy", "n*fma+1", "sb + x^T y, computed in double precision", .returns = RETURNS_OWN},
    {.name = "?dotu", "c z", "n x(n) incx y(n) incy", "n*fma", "x^T y", .returns = RETURNS_OWN},
    {.name = "?dotc", "c z", "n x(n) incx y(n) incy", "n*fma", "x^H y", .returns = RETURNS_OWN},
    {.name = "?nrm2", "s d sc dz", "n x(n) incx", "2*n*rmul", "the length of x", .returns = RETURNS_REAL},
    {.name = "?asum", "s d sc dz", "n x(n) incx", "n*add", "the sum of absolute values", .returns = RETURNS_REAL},
    {.name = "i?amax", "s d c z", "n x(n) incx", "0", "the position of the largest absolute value", .returns = RETURNS_INDEX},

    /* BLAS 2: matrix and vector. */
    {.name = "?gemv", "s d c z", "trans=NTC m n alpha A(m,n) ldA " XY, "m*n*fma", "y := alpha op(A) x + beta y"},
    {.name = "?gbmv", "s d c z", "trans=NTC m n kl ku alpha A.band(kl+ku+1,n) ldA " XY, "n*min(m,kl+ku+1)*fma",
      "y := alpha op(A) x + beta y, A banded; operations count the corners of the band"},
    {.name = "?symv", "s d c z", UPLO "n alpha A.sym(n) ldA x(n) incx beta +y(n) incy", "n*n*fma", "y := alpha A x + beta y, A symmetric"},
    {.name = "?hemv", "c z", UPLO "n alpha A.sym(n) ldA x(n) incx beta +y(n) incy", "n*n*fma", "y := alpha A x + beta y, A Hermitian"},
    {.name = "?sbmv", "s d", UPLO "n k alpha A.band(k+1,n) ldA x(n) incx beta +y(n) incy", "n*min(n,2*k+1)*fma",
      "y := alpha A x + beta y, A symmetric and banded"},
    {.name = "?hbmv", "c z", UPLO "n k alpha A.band(k+1,n) ldA x(n) incx beta +y(n) incy", "n*min(n,2*k+1)*fma",
      "y := alpha A x + beta y, A Hermitian and banded"},
    {.name = "?spmv", "s d", UPLO "n alpha A.packed(n) x(n) incx beta +y(n) incy", "n*n*fma", "y := alpha A x + beta y, A symmetric and packed"},
    {.name = "?hpmv", "c z", UPLO "n alpha A.packed(n) x(n) incx beta +y(n) incy", "n*n*fma", "y := alpha A x + beta y, A Hermitian and packed"},
    {.name = "?trmv", "s d c z", TRIANGLE "n A.tri(n) ldA +x(n) incx", "n*n*fma/2", "x := op(A) x, A triangular"},
    {.name = "?tbmv", "s d c z", TRIANGLE "n k A.band(k+1,n) ldA +x(n) incx", "n*min(n,k+1)*fma",
      "x := op(A) x, A triangular and banded; operations count the corners of the band"},
    {.name = "?tpmv", "s d c z", TRIANGLE "n A.packed(n) +x(n) incx", "n*n*fma/2", "x := op(A) x, A triangular and packed"},
    {.name = "?trsv", "s d c z", TRIANGLE "n A.tri(n) ldA +x(n) incx", "n*n*fma/2", "x := op(A)^-1 x, A triangular"},
    {.name = "?tbsv", "s d c z", TRIANGLE "n k A.band(k+1,n) ldA +x(n) incx", "n*min(n,k+1)*fma",
      "x := op(A)^-1 x, A triangular and banded; operations count the corners of the band"},
    {.name = "?tpsv", "s d c z", TRIANGLE "n A.packed(n) +x(n) incx", "n*n*fma/2", "x := op(A)^-1 x, A triangular and packed"},
    {.name = "?ger", "s d", "m n alpha x(m) incx y(n) incy +A(m,n) ldA", "m*n*fma", "A := alpha x y^T + A"},
    {.name = "?geru", "c z", "m n alpha x(m) incx y(n) incy +A(m,n) ldA", "m*n*fma", "A := alpha x y^T + A"},
    {.name = "?gerc", "c z", "m n alpha x(m) incx y(n) incy +A(m,n) ldA", "m*n*fma", "A := alpha x y^H + A"},
    {.name = "?syr", "s d c z", UPLO "n alpha x(n) incx +A.sym(n) ldA", "n*(n+1)*fma/2", "A := alpha x x^T + A"},
    {.name = "?her", "c z", UPLO "n alpha.real x(n) incx +A.sym(n) ldA", "n*(n+1)*fma/2", "A := alpha x x^H + A"},
    {.name = "?spr", "s d", UPLO "n alpha x(n) incx +A.packed(n)", "n*(n+1)*fma/2", "A := alpha x x^T + A, A packed"},
    {.name = "?hpr", "c z", UPLO "n alpha.real x(n) incx +A.packed(n)", "n*(n+1)*fma/2", "A := alpha x x^H + A, A Hermitian and packed"},
    {.name = "?syr2", "s d", UPLO "n alpha x(n) incx y(n) incy +A.sym(n) ldA", "n*(n+1)*fma", "A := alpha x y^T + alpha y x^T + A"},
    {.name = "?her2", "c z", UPLO "n alpha x(n) incx y(n) incy +A.sym(n) ldA", "n*(n+1)*fma", "A := alpha x y^H + conj(alpha) y x^H + A"},
    {.name = "?spr2", "s d", UPLO "n alpha x(n) incx y(n) incy +A.packed(n)", "n*(n+1)*fma", "A := alpha x y^T + alpha y x^T + A, A packed"},
    {.name = "?hpr2", "c z", UPLO "n alpha x(n) incx y(n) incy +A.packed(n)", "n*(n+1)*fma",
      "A := alpha x y^H + conj(alpha) y x^H + A, A Hermitian and packed"},

    /* BLAS 3: matrices. */
    {.name = "?gemm", "s d c z", "transA=NTC transB=NTC m n k alpha " FACTORS, "m*n*k*fma", "C := alpha op(A) op(B) + beta C"},
    {.name = "?gemm3m", "c z", "transA=NTC transB=NTC m n k alpha " FACTORS, "m*n*k*fma",
      "C := alpha op(A) op(B) + beta C by three real products (OpenBLAS); operations as for gemm"},
    {.name = "?symm", "s d c z", PANEL MULTIPLY, "m*n*(side=L?m:n)*fma", "C := alpha A B + beta C or alpha B A + beta C, A symmetric"},
    {.name = "?hemm", "c z", PANEL MULTIPLY, "m*n*(side=L?m:n)*fma", "C := alpha A B + beta C or alpha B A + beta C, A Hermitian"},
    {.name = "?trmm", "s d c z", "side=LR " TRIANGLE "m n alpha A.tri(side=L?m:n) ldA +B(m,n) ldB", "m*n*(side=L?m:n)*fma/2", "B := alpha op(A) B or "
        "alpha B op(A)"},
    {.name = "?trsm", "s d c z", "side=LR " TRIANGLE "m n alpha A.tri(side=L?m:n) ldA +B(m,n) ldB", "m*n*(side=L?m:n)*fma/2",
     "B := alpha op(A)^-1 B or alpha B op(A)^-1"},
    {.name = "?syrk", "s d", UPLO "trans=NTC n k alpha " RANK_K " beta +C.sym(n) ldC", "n*(n+1)*k*fma/2", "C := alpha A A^T + beta C"},
    {.name = "?syrk", "c z", UPLO "trans=NT n k alpha " RANK_K " beta +C.sym(n) ldC", "n*(n+1)*k*fma/2", "C := alpha A A^T + beta C"},
    {.name = "?herk", "c z", UPLO "trans=NC n k alpha.real " RANK_K " beta.real +C.sym(n) ldC", "n*(n+1)*k*fma/2", "C := alpha A A^H + beta C"},
    {.name = "?syr2k", "s d", UPLO "trans=NTC n k alpha " RANK_2K " beta +C.sym(n) ldC", "n*(n+1)*k*fma", "C := alpha (A B^T + B A^T) + beta C"},
    {.name = "?syr2k", "c z", UPLO "trans=NT n k alpha " RANK_2K " beta +C.sym(n) ldC", "n*(n+1)*k*fma", "C := alpha (A B^T + B A^T) + beta C"},
    {.name = "?her2k", "c z", UPLO "trans=NC n k alpha " RANK_2K " beta.real +C.sym(n) ldC", "n*(n+1)*k*fma", "C := alpha A B^H + conj(alpha) B A^H + beta C"},
    {.name = "?omatcopy", "s d c z", "order=C trans=NT m n alpha A(m,n) ldA =B(trans=N?m:n,trans=N?n:m) ldB", "0", "B := alpha op(A) (OpenBLAS)"},

    /* LAPACK: the routines of which blocked algorithms consist. */
    {.name = "?lauum", "s d c z", UPLO "n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "A := L^H L or U U^H"},
    {.name = "?lauu2", "s d c z", UPLO "n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "A := L^H L or U U^H, unblocked"},
    {.name = "?trtri", "s d c z", UPLO "diag=NU n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "A := A^-1, A triangular"},
    {.name = "?trti2", "s d c z", UPLO "diag=NU n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "A := A^-1, A triangular, unblocked"},
    {.name = "?potrf", "s d c z", UPLO "n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "the Cholesky factor of A"},
    {.name = "?potrf2", "s d c z", UPLO "n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "the Cholesky factor of A, recursive"},
    {.name = "?potf2", "s d c z", UPLO "n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma/2", "the Cholesky factor of A, unblocked"},
    {.name = "?sygst", "s d", "itype=1|2|3 " UPLO "n +A.tri(n) ldA B.tri(n) ldB info", "n*(n+1)*(n+1)*fma/2", "A := L^-1 A L^-T or L^T A L"},
    {.name = "?sygs2", "s d", "itype=1|2|3 " UPLO "n +A.tri(n) ldA B.tri(n) ldB info", "n*(n+1)*(n+1)*fma/2", "A := L^-1 A L^-T or L^T A L, unblocked"},
    {.name = "?hegst", "c z", "itype=1|2|3 " UPLO "n +A.tri(n) ldA B.tri(n) ldB info", "n*(n+1)*(n+1)*fma/2", "A := L^-1 A L^-H or L^H A L"},
    {.name = "?hegs2", "c z", "itype=1|2|3 " UPLO "n +A.tri(n) ldA B.tri(n) ldB info", "n*(n+1)*(n+1)*fma/2", "A := L^-1 A L^-H or L^H A L, unblocked"},
    {.name = "?getrf", "s d c z", "m n +A(m,n) ldA =ipiv.int(min(m,n)) info", "m*n*min(m,n)*fma/3", "the LU factors of A, with pivots"},
    {.name = "?getrf2", "s d c z", "m n +A(m,n) ldA =ipiv.int(min(m,n)) info", "m*n*min(m,n)*fma/3", "the LU factors of A, with pivots, recursive"},
    {.name = "?getf2", "s d c z", "m n +A(m,n) ldA =ipiv.int(min(m,n)) info", "m*n*min(m,n)*fma/3", "the LU factors of A, with pivots, unblocked"},
    {.name = "?laswp", "s d c z", "n +A(k2,n) ldA k1:1 k2 ipiv.int(k2) incipiv", "0", "swaps rows k1 to k2 with the rows that the pivots name"},
    {.name = "?geqrf", "s d c z", "m n +A(m,n) ldA =tau(min(m,n)) work(lwork) lwork:n:32*n info", QR_OPERATIONS,
     "the QR factors of A",
     .degrees = "22"},
    {.name = "?geqr2", "s d c z", "m n +A(m,n) ldA =tau(min(m,n)) work(n) info", QR_OPERATIONS,
     "the QR factors of A, unblocked", .degrees = "22"},
    {.name = "?gelq2", "s d c z", "m n +A(m,n) ldA =tau(min(m,n)) work(m) info", QR_OPERATIONS, "the LQ factors of A, unblocked", .degrees = "22"},
    {.name = "?larft", "s d c z", "direct=FB storev=CR n:k k V(storev=C?n:k,storev=C?k:n) ldV tau(k) =T.tri(k) ldT", "k*(k-1)*(n-(2*k+5)/6)*fma/2",
     "the triangular factor of a block of reflectors"},
    {.name = "?larfb", "s d", "side=LR trans=NT" REFLECTORS REFLECTED, "k*(side=L?n*(4*m-k):m*(4*n-k))*fma/2", "applies a block of reflectors to C"},
    {.name = "?larfb", "c z", "side=LR trans=NC" REFLECTORS REFLECTED, "k*(side=L?n*(4*m-k):m*(4*n-k))*fma/2", "applies a block of reflectors to C"},
    {.name = "?trsyl", "s d", "transA=NTC transB=NTC " SYLVESTER, "m*n*(m+n+4)*fma/2", "solves op(A) X + isgn X op(B) = scale C"},
    {.name = "?trsyl", "c z", "transA=NC transB=NC " SYLVESTER, "m*n*(m+n+4)*fma/2", "solves op(A) X + isgn X op(B) = scale C"},

    /* LAPACK: other factorizations, solutions, and eigenvalues. Operations are those of LAPACK
     * Working Note 41; for eigenvalues with vectors and the SVD, leading terms of Golub and Van
     * Loan, Matrix Computations (4th edition, sections 8.3, 8.4 and 8.6), and of divide and conquer
     * without deflation. */
    {.name = "?trtrs", "s d c z", "uplo=LU trans=NTC diag=NU n nrhs A.tri(n) ldA " SOLVED, "n*n*nrhs*fma/2",
     "B := op(A)^-1 B, A triangular, checked for singularity"},
    {.name = "?potrs", "s d c z", UPLO "n nrhs A.tri(n) ldA " SOLVED, "n*n*nrhs*fma", "B := (L L^H)^-1 B"},
    {.name = "?potri", "s d c z", UPLO "n +A.tri(n) ldA info", "n*(n+1)*(2*n+1)/6*fma", "A := (L L^H)^-1"},
    {.name = "?posv", "s d c z", UPLO "n nrhs +A.tri(n) ldA " SOLVED, "(n*(n+1)*(2*n+1)/12+n*n*nrhs)*fma", "B := A^-1 B, A positive definite"},
    {.name = "?getrs", "s d c z", "trans=NTC n nrhs A(n,n) ldA ipiv.int(n) " SOLVED, "n*n*nrhs*fma", "B := op(A)^-1 B from the LU factors of A"},
    {.name = "?getri", "s d c z", "n +A(n,n) ldA ipiv.int(n) work(lwork) lwork:n:64*n info", "2*n*n*n/3*fma", "the inverse from the LU factors of A"},
    {.name = "?gesv", "s d c z", "n nrhs +A(n,n) ldA =ipiv.int(n) " SOLVED, "(n*n*n/3+n*n*nrhs)*fma", "B := A^-1 B"},
    {.name = "?sytrf", "s d c z", UPLO "n +A.sym(n) ldA =ipiv.int(n) work(lwork) lwork:1:64*n info", "n*n*n/6*fma", "the factors L D L^T of A, symmetric"},
    {.name = "?hetrf", "c z", UPLO "n +A.sym(n) ldA =ipiv.int(n) work(lwork) lwork:1:64*n info", "n*n*n/6*fma", "the factors L D L^H of A, Hermitian"},
    {.name = "?orgqr", "s d", "m:n n:k k +A(m,n) ldA tau(k) work(lwork) lwork:n:32*n info", "(2*m*n*k-(m+n)*k*k+2*k*k*k/3)*fma", "Q from reflectors"},
    {.name = "?ungqr", "c z", "m:n n:k k +A(m,n) ldA tau(k) work(lwork) lwork:n:32*n info", "(2*m*n*k-(m+n)*k*k+2*k*k*k/3)*fma", "Q from reflectors"},
    {.name = "?ormqr", "s d", "side=LR trans=NT" APPLIED, "k*(side=L?n*(2*m-k):m*(2*n-k))*fma", "C := op(Q) C or C op(Q), Q as reflectors"},
    {.name = "?unmqr", "c z", "side=LR trans=NC" APPLIED, "k*(side=L?n*(2*m-k):m*(2*n-k))*fma", "C := op(Q) C or C op(Q), Q as reflectors"},
    {.name = "?gelqf", "s d c z", "m n +A(m,n) ldA =tau(min(m,n)) work(lwork) lwork:m:32*m info", QR_OPERATIONS, "the LQ factors of A", .degrees = "22"},
    {.name = "?geqp3", "s d", "m n +A(m,n) ldA +jpvt.int(n) =tau(min(m,n)) work(lwork) lwork:3*n+1:2*n+32*(n+1) info", QR_OPERATIONS,
     "the QR factors of A with pivots; columns with nonzero jpvt come first", .degrees = "22"},
    {.name = "?geqp3", "c z", "m n +A(m,n) ldA +jpvt.int(n) =tau(min(m,n)) work(lwork) lwork:n+1:32*(n+1) workr.real(2*n) info", QR_OPERATIONS,
     "the QR factors of A with pivots; columns with nonzero jpvt come first", .degrees = "22"},
    {.name = "?gels", "s d", "trans=NT m n nrhs +A(m,n) ldA +B(max(m,n),nrhs) ldB work(lwork) lwork:min(m,n)+max(min(m,n),nrhs):min(m,n)+32*max(m,n) info",
     "((m>=n?2*n*n*(m-n/3):2*m*m*(n-m/3))+nrhs*min(m,n)*(4*max(m,n)-min(m,n)))*fma/2", "the least squares solution of op(A) X = B", .degrees = "221"},
    {.name = "?gels", "c z", "trans=NC m n nrhs +A(m,n) ldA +B(max(m,n),nrhs) ldB work(lwork) lwork:min(m,n)+max(min(m,n),nrhs):min(m,n)+32*max(m,n) info",
     "((m>=n?2*n*n*(m-n/3):2*m*m*(n-m/3))+nrhs*min(m,n)*(4*max(m,n)-min(m,n)))*fma/2", "the least squares solution of op(A) X = B", .degrees = "221"},
    {.name = "?latrd", "s d c z", UPLO "n:nb nb +A.sym(n) ldA =e.real(n) =tau(n) =W(n,nb) ldW", "n*n*nb*fma",
     "nb columns of the tridiagonal form of A"},
    {.name = "?sytrd", "s d", UPLO "n +A.sym(n) ldA =d.real(n) =e.real(n) =tau(n) work(lwork) lwork:1:32*n info", "2*n*n*n/3*fma",
     "the tridiagonal form of A, symmetric"},
    {.name = "?hetrd", "c z", UPLO "n +A.sym(n) ldA =d.real(n) =e.real(n) =tau(n) work(lwork) lwork:1:32*n info", "2*n*n*n/3*fma",
     "the tridiagonal form of A, Hermitian"},
    {.name = "?sytrd_sy2sb", "s d", "uplo=LU n kd +A.sym(n) ldA =AB.band(kd+1,n) ldAB =tau(max(n-kd,0)) work(lwork) lwork:n*kd+n*max(kd,128)+2*kd*kd+1 info",
     "2*n*n*n/3*fma", "the band form of A, symmetric, with kd diagonals: the first of two stages to the tridiagonal form"},
    {.name = "?hetrd_he2hb", "c z", "uplo=LU n kd +A.sym(n) ldA =AB.band(kd+1,n) ldAB =tau(max(n-kd,0)) work(lwork) lwork:n*kd+n*max(kd,128)+2*kd*kd+1 info",
     "2*n*n*n/3*fma", "the band form of A, Hermitian, with kd diagonals: the first of two stages to the tridiagonal form"},
    {.name = "?ormtr", "s d", "side=LR uplo=LU trans=NT" APPLIED_TREE, "m*n*(side=L?m:n)*fma", "C := op(Q) C or C op(Q), Q from sytrd"},
    {.name = "?unmtr", "c z", "side=LR uplo=LU trans=NC" APPLIED_TREE, "m*n*(side=L?m:n)*fma", "C := op(Q) C or C op(Q), Q from hetrd"},
    {.name = "?gebrd", "s d c z",
     "m n +A(m,n) ldA =d.real(min(m,n)) =e.real(min(m,n)) =tauq(min(m,n)) =taup(min(m,n)) work(lwork) lwork:max(m,n):32*(m+n) info",
     "(m>=n?4*n*n*(m-n/3):4*m*m*(n-m/3))*fma/2", "the bidiagonal form of A", .degrees = "22"},
    {.name = "?gehrd", "s d c z", "n:ihi ilo:1 ihi:ilo +A(n,n) ldA =tau(n) work(lwork) lwork:n:32*n info", "5*n*n*n/3*fma",
     "the Hessenberg form of A; operations for ilo 1 and ihi n",
     .degrees = "300"},
    {.name = "?syev", "s d", "jobz=NV uplo=LU n +A(n,n) ldA =w(n) work(lwork) lwork:3*n:34*n info", "(jobz=N?4*n*n*n/3:9*n*n*n)*fma/2",
     "eigenvalues and eigenvectors of A, symmetric"},
    {.name = "?heev", "c z", "jobz=NV uplo=LU n +A(n,n) ldA =w.real(n) work(lwork) lwork:2*n:33*n workr.real(3*n) info", "(jobz=N?4*n*n*n/3:9*n*n*n)*fma/2",
     "eigenvalues and eigenvectors of A, Hermitian"},
    {.name = "?syevd", "s d",
     "jobz=NV uplo=LU n +A(n,n) ldA =w(n) work(lwork) lwork:(jobz=N?2*n+1:1+6*n+2*n*n):34*n+1+2*n*n worki.int(lworki) lworki:(jobz=N?1:3+5*n) info",
     "(jobz=N?4*n*n*n/3:14*n*n*n/3)*fma/2", "eigenvalues and eigenvectors of A, symmetric, by divide and conquer"},
    {.name = "?heevd", "c z",
     "jobz=NV uplo=LU n +A(n,n) ldA =w.real(n) work(lwork) lwork:(jobz=N?n+1:2*n+n*n):33*n+1+n*n workr.real(lworkr) lworkr:(jobz=N?n:1+5*n+2*n*n) "
     "worki.int(lworki) lworki:(jobz=N?1:3+5*n) info",
     "(jobz=N?4*n*n*n/3:14*n*n*n/3)*fma/2", "eigenvalues and eigenvectors of A, Hermitian, by divide and conquer"},
    {.name = "?stev", "s d", "jobz=NV n +d(n) +e(n) =Z(n,n) ldZ work(2*n) info", "(jobz=N?30*n*n:6*n*n*n)*fma/2",
     "eigenvalues and eigenvectors of a tridiagonal matrix"},
    {.name = "?gesdd", "s d",
     "jobz=NSAO " BIDIAGONAL
     "lwork:(jobz=N?10*min(m,n)+max(m,n):5*min(m,n)*min(m,n)+8*min(m,n)+max(m,n)):5*min(m,n)*min(m,n)+42*(m+n) worki.int(8*min(m,n)) info",
     SVD_OPERATIONS, "singular values and vectors by divide and conquer", .degrees = "33"},
    {.name = "?gesdd", "c z",
     "jobz=NSAO " BIDIAGONAL "lwork:2*min(m,n)*min(m,n)+3*min(m,n)+max(m,n):2*min(m,n)*min(m,n)+36*(m+n) "
     "workr.real(max(5*min(m,n)*min(m,n)+7*min(m,n),2*max(m,n)*min(m,n)+2*min(m,n)*min(m,n)+min(m,n))) worki.int(8*min(m,n)) info",
     SVD_OPERATIONS, "singular values and vectors by divide and conquer", .degrees = "33"},
    {.name = "?lange", "s d c z", "norm=MOIF m n A(m,n) ldA workr.real(m)", "m*n*add", "a norm of A", .returns = RETURNS_REAL},

    {.name = "?lacgv", "c z", "n +x(n) incx", "0", "x := conj(x)"},
    {.name = "?lacpy", "s d c z", "uplo=A m n A(m,n) ldA =B(m,n) ldB", "0", "B := A"},

    {.name = "ilaenv", "d", "ispec=1|2|3 name.char opts.char n1 n2 n3 n4", "0",
     "LAPACK's tuning parameters of a routine: 1 block size, 2 smallest block size, 3 smallest blocked size", .returns = RETURNS_INDEX},

    /* tcplan's own routines (routines/sampler/kernels/): helpers of scripts, and the copies and
     * the element-wise product of programs. */
    {.name = "?memset", "s d c z", "m n alpha =A(m,n) ldA", "0", "all elements := alpha", .is_own = true},
    {.name = "?gerand", "s d c z", "m n =A(m,n) ldA", "0", "random elements; real and imaginary parts in [0, 1)", .is_own = true},
    {.name = "?porand", "s d c z", UPLO "n =A.sym(n) ldA", "0", "a random positive definite matrix", .is_own = true},
    {.name = "?readfile", "s d c z", "file.char m n =A(m,n) ldA info", "0", "reads A from a file, in column-major order", .is_own = true},
    {.name = "?writefile", "s d c z", "file.char m n A(m,n) ldA info", "0", "writes A to a file, in column-major order", .is_own = true},
    {.name = "?move", "s d c z", "n x(n) incx =y(n) incy", "0", "y := x by tcplan's copy", .is_own = true},
    {.name = "?transpose", "s d c z", "streamed=0|1 m n A(m,n) ldA =B(n,m) ldB", "0", "B := A^T; streamed: with non-temporal stores", .is_own = true},
    {.name = "?permute", "s d c z", "order=132|213|231|312|321|123 streamed=0|1 m n k A(m*n*k) =B(m*n*k)", "0",
     "B := A of m x n x k with permuted indices; `order` lists A's indices in the order of B", .is_own = true},
    {.name = "?addop", "s d c z", "trans=NTC m n alpha A(trans=N?m:n,trans=N?n:m) ldA +B(m,n) ldB", "m*n*add", "B := B + alpha op(A)", .is_own = true},
    {.name = "?shift", "s d c z", "n k +p.int(n)", "0", "p := p + k: pivots of a part as pivots of the whole matrix", .is_own = true},
    {.name = "?tridi", "s d c z", UPLO "n:nb nb +A.sym(n) ldA =d.real(nb) e.real(n)", "0",
     "completes nb columns of a tridiagonal form after latrd: diagonal to d, e to A", .is_own = true},
    {.name = "?unfold", "s d c z", "storev=CR m n A(m,n) ldA =V(m,n) ldV", "0",
     "V := the reflectors below or above the diagonal of A, with ones and zeros", .is_own = true},
    {.name = "?loops3", "s d c z", "m n k alpha A(m,k) ldA B(k,n) ldB beta +C(m,n) ldC", "m*n*k*fma", "C := alpha A B + beta C in three plain loops",
     .is_own = true},
    {.name = "?loops6", "s d c z", "m n k nb:1 alpha A(m,k) ldA B(k,n) ldB beta +C(m,n) ldC", "m*n*k*fma",
      "C := alpha A B + beta C in six loops, blocks nb x nb",
     .is_own = true},
    {.name = "?mul", "s d c z", "n alpha x(n) incx y(n) incy beta +z(n) incz", "n*fma", "z := alpha x y + beta z, element by element", .is_own = true},
};

/* clang-format on */

const int routine_line_count = sizeof routine_lines / sizeof *routine_lines;
