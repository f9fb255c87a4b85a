/* A CBLAS whose dgemm breaks off at some extents, for batch_crash.sh; all else is the system's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Uses up the stack. */
static int dig(volatile char *above) {
    volatile char here[4096];
    here[0] = above ? above[0] : 0;
    return dig(here) + here[0];
}

/** As long as the file `hang` is there: tells which process it is in and does not come back. */
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

void cblas_dgemm(int order, int turned_a, int turned_b, int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                 int ldb, double beta, double *c, int ldc);

void cblas_dgemm(int order, int turned_a, int turned_b, int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                 int ldb, double beta, double *c, int ldc) {
    (void)order, (void)turned_a, (void)turned_b, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta, (void)c, (void)ldc;
    break_off(m);
    break_off(n);
    break_off(k);
}
