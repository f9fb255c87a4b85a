/* A CBLAS whose dgemm ends the process or hangs at some extents, for batch_crash.sh. All other
 * functions are those of the system's BLAS. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NOT_TRANSPOSED = 111 }; /* CblasNoTrans */

/** Overflows the stack. */
static int dig(volatile char *above) {
    volatile char here[4096];
    here[0] = above ? above[0] : 0;
    return dig(here) + here[0];
}

/** Prints the process id, and returns when the file `hang` no longer exists. */
static void hang(void) {
    FILE *file = fopen("hang", "r+");
    if (!file) return;
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    for (;;) pause();
}

static void break_off(int extent) {
    switch (extent) {
    case 13: raise(SIGSEGV); break;
    case 17: abort();
    case 19: exit(0);
    case 23: raise(SIGKILL); break;
    case 29: dig(NULL); break;
    case 31: hang(); break;
    default: break;
    }
}

void cblas_dgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);

void cblas_dgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc) {
    const int across_a = transposed_a == NOT_TRANSPOSED ? lda : 1,
              along_a = transposed_a == NOT_TRANSPOSED ? 1 : lda;
    const int across_b = transposed_b == NOT_TRANSPOSED ? 1 : ldb,
              along_b = transposed_b == NOT_TRANSPOSED ? ldb : 1;
    (void)order;
    break_off(m);
    break_off(n);
    break_off(k);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += a[i * along_a + l * across_a] * b[l * across_b + j * along_b];
            c[i + (long)j * ldc] = alpha * sum + (beta == 0 ? 0 : beta * c[i + (long)j * ldc]);
        }
    }
}
