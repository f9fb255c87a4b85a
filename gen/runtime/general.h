/*
 * Arguments of loops, and of tiles that read factors in place. Offsets and strides count real
 * numbers: a complex element has two.
 */
#ifndef KERNEL_GENERAL_H
#define KERNEL_GENERAL_H

#include <stddef.h>

enum { KERNEL_LOOPS = 12 };

/* How vectors are loaded from a factor. */
enum kernel_way {
    KERNEL_STRAIGHT,   /* contiguous along the first loop */
    KERNEL_SAME,       /* b has one element for all of the vector */
    KERNEL_TRANSPOSED, /* contiguous along the second loop: blocks are transposed */
    KERNEL_GATHERED    /* element by element */
};

/* Arguments of loops that compute c := alpha a b + beta c. c is contiguous along the first loop.
 * Along the second one, a transposed factor is contiguous, or it is summed. Then follow the loops
 * of the result, then the summed ones. */
struct kernel_loops {
    int results, count;
    ptrdiff_t extent[KERNEL_LOOPS];
    ptrdiff_t stride[KERNEL_LOOPS][3];
    ptrdiff_t offset[3];
    double alpha[2], beta[2]; /* real and imaginary parts */
    double sign[2];           /* sign of the imaginary parts of a and b: -1 if conjugated */
    enum kernel_way way[2];   /* how vectors of a and b are loaded */
    int streamed;    /* whether non-temporal stores write whole lines of c, unless c is read */
    int sums;        /* whether some loop is summed */
    int sums_second; /* whether the second loop is summed */
};

enum {
    KERNEL_SUMS = 64,  /* most combinations of the summed loops other than the innermost one */
    KERNEL_PHASES = 2, /* most numbers of columns of tiles */
    KERNEL_GROUPS = 3 * KERNEL_PHASES,
    KERNEL_OFFSETS = 128,       /* most tiles whose offsets are computed in advance */
    KERNEL_COPIES = 64 << 10,   /* bytes of both factors that are copied */
    KERNEL_COPIES_ALIGNED = 16, /* numbers: copies begin at multiples of a cache line */
    KERNEL_ROWS = 32 << 10      /* bytes of rows of a streamed result */
};

/* How a tile, some vectors by some columns of c, reads its factors. In the gathered ways, the
 * elements of the only vector of one factor, which is whole, are not contiguous. */
enum kernel_tile_way {
    KERNEL_TILE_SAME,           /* vectors of a for all columns, an element of b for each column */
    KERNEL_TILE_EACH,           /* vectors of a for all columns, vectors of b for each column */
    KERNEL_TILE_PAIRS,          /* vectors of a and of b for each column */
    KERNEL_TILE_SAME_GATHERED,  /* a is gathered */
    KERNEL_TILE_PAIRS_GATHERED, /* b is gathered */
    KERNEL_TILE_PAIRS_TURNED,   /* b is contiguous along as many columns as a vector has elements,
                                   and is transposed in registers */
    KERNEL_TILE_WAYS
};

/* Largest tiles, and numbers of tiles by their way, vectors (0: a single one, of which a part is
 * used) and columns. The largest number of vectors has a single column. */
enum { KERNEL_TILE_VECTORS = 4, KERNEL_TILE_COLUMNS = 8 };
#define KERNEL_TILE_NUMBER(way, vectors, columns)                                                  \
    (((int)(way) * (KERNEL_TILE_VECTORS + 1) + (vectors)) * KERNEL_TILE_COLUMNS + (columns)-1)

/* What becomes of the sums of a tile. */
enum kernel_finish {
    KERNEL_FINISH_STORE,
    KERNEL_FINISH_ADD,   /* to c */
    KERNEL_FINISH_SCALE, /* multiplied by alpha, or added to beta c, or conjugated */
    KERNEL_FINISH_REDUCE /* vectors are along a summed loop: each is added up */
};

/* Tiles of one size: those with the offsets from number `begin` to before `end`, along two loops,
 * the inner one first. */
struct kernel_group {
    int tile;           /* number of the function, see KERNEL_TILE_NUMBER() */
    int adds;           /* whether c has other sums already, if vectors are added up */
    int begin, end;     /* see struct kernel_tiles: `offsets` */
    ptrdiff_t first[3]; /* offsets of the first tile in a, b and c */
    ptrdiff_t count[2], step[2][3];
};

/* Tiles with the same number of columns. */
struct kernel_phase {
    int begin, end;            /* groups from number `begin` to before `end` */
    int width;                 /* columns of each tile */
    ptrdiff_t first;           /* offset of the first column in c if `streamed` */
    ptrdiff_t blocks, step[3]; /* inner loop around the groups, along columns */
};

/* A copy of a factor in which vectors are contiguous. */
struct kernel_copy {
    int is_made;
    int loops; /* loops of the copy: the first one is that of vectors. Along the second one the
                  factor is contiguous if `turns` */
    int turns;
    ptrdiff_t extent[KERNEL_LOOPS], from[KERNEL_LOOPS], to[KERNEL_LOOPS];
};

/* Arguments of tiles that compute c := alpha a b + beta c in place. c is contiguous along vectors.
 */
struct kernel_tiles {
    enum kernel_tile_way way;
    int phases, loops; /* loops around the groups are numbered from the innermost one */
    struct kernel_phase phase[KERNEL_PHASES];
    struct kernel_group group[KERNEL_GROUPS];
    ptrdiff_t offsets[KERNEL_OFFSETS][3]; /* of tiles in a, b and c */
    ptrdiff_t extent[KERNEL_LOOPS];
    ptrdiff_t stride[KERNEL_LOOPS][5]; /* of a, b and c as tiles read them; of factors to copy */
    ptrdiff_t offset[2];               /* of factors to copy */
    struct kernel_copy copy[2];
    ptrdiff_t copied;                /* numbers of the copy of a */
    ptrdiff_t column[3];             /* distance of columns in a tile */
    ptrdiff_t along;                 /* distance of the elements of a gathered vector */
    ptrdiff_t depth, step[2];        /* innermost summed loop */
    ptrdiff_t sums;                  /* combinations of the others */
    ptrdiff_t place[2][KERNEL_SUMS]; /* their offsets in a and b */
    ptrdiff_t length;                /* numbers along vectors */
    ptrdiff_t part;                  /* numbers in the vector of which a part is used */
    ptrdiff_t row;                   /* distance of columns in c itself if `streamed` */
    double alpha[2], beta[2];        /* real and imaginary parts */
    double sign[2];                  /* sign of the imaginary parts: -1 if conjugated */
    enum kernel_finish finish;
    int is_simple; /* whether there are only the loops of the groups, and no copies */
    int streamed;  /* whether non-temporal stores write c, from a buffer with blocks of columns */
};

/* Advances the loops from `first` to before `last` to their next values; returns 0 after the last
 * ones. */
__attribute__((unused)) static int kernel_next(ptrdiff_t at[KERNEL_LOOPS], ptrdiff_t place[3],
                                               const struct kernel_loops *loops, int first,
                                               int last) {
    for (int l = first; l < last; l++) {
        const int is_over = ++at[l] == loops->extent[l];
        for (int p = 0; p < 3; p++)
            place[p] += loops->stride[l][p] * (is_over ? 1 - loops->extent[l] : 1);
        if (!is_over) return 1;
        at[l] = 0;
    }
    return 0;
}

/* Advances the loops of tiles to their next values; returns 0 after the last ones. */
__attribute__((unused)) static int kernel_next_tiles(ptrdiff_t at[KERNEL_LOOPS], ptrdiff_t place[5],
                                                     const struct kernel_tiles *tiles, int loops) {
    for (int l = 0; l < loops; l++) {
        const int is_over = ++at[l] == tiles->extent[l];
        for (int p = 0; p < 5; p++)
            place[p] += tiles->stride[l][p] * (is_over ? 1 - tiles->extent[l] : 1);
        if (!is_over) return 1;
        at[l] = 0;
    }
    return 0;
}

#endif
