/*
 * Products of matrices with extents and strides as arguments: types of the arguments, and offsets
 * of indices in memory. Offsets and strides count real numbers: a complex element has two.
 */
#ifndef KERNEL_GENERAL_H
#define KERNEL_GENERAL_H

#include <stddef.h>

enum { KERNEL_PIECES = 24 };

/* Rows, columns or contracted indices of a product: one index, or several fused ones, innermost
 * first. */
struct kernel_role {
    int count;
    ptrdiff_t extent[KERNEL_PIECES];
    ptrdiff_t stride[2][KERNEL_PIECES]; /* strides in the two operands with the role */
};

/* Arguments of a product c := alpha a b + beta c. */
struct kernel_gemm {
    ptrdiff_t m, n, k;
    struct kernel_role rows;       /* rows of a and c */
    struct kernel_role columns;    /* columns of b and c */
    struct kernel_role contracted; /* contracted indices of a and b */
    double alpha[2], beta[2];      /* real and imaginary parts */
    double sign[2];                /* sign of the imaginary parts of a and b: -1 if conjugated */
    int vectors, tile_columns;     /* vectors and columns of a tile, at most the kernel's largest */
    ptrdiff_t panel_rows;    /* rows that are packed, or read in place, at once: whole tiles */
    ptrdiff_t block_k;       /* contracted indices that are packed at once */
    ptrdiff_t block_columns; /* columns that are packed at once: whole tiles */
    ptrdiff_t near_columns;  /* columns packed at once if no memory can be allocated; equal to
                                block_columns if none is needed */
    int in_place;            /* whether tiles read a in place if its rows are contiguous */
    int by_rows; /* whether a has smaller strides along contracted indices than along rows */
};

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

/* Computes the offsets of `count` indices of a role in an operand, from index `first` on. */
__attribute__((unused)) static void kernel_places(ptrdiff_t *to, const struct kernel_role *role,
                                                  int operand, ptrdiff_t first, ptrdiff_t count) {
    const ptrdiff_t *stride = role->stride[operand];
    ptrdiff_t at[KERNEL_PIECES], base = 0;
    for (int d = 0; d < role->count; d++) {
        at[d] = d + 1 < role->count ? first % role->extent[d] : first;
        first = d + 1 < role->count ? first / role->extent[d] : 0;
        base += at[d] * stride[d];
    }
    while (count > 0) {
        const ptrdiff_t left = role->extent[0] - at[0];
        const ptrdiff_t run = left < count ? left : count;
        for (ptrdiff_t x = 0; x < run; x++) to[x] = base + stride[0] * x;
        to += run;
        count -= run;
        at[0] += run;
        base += stride[0] * run;
        for (int d = 0; d + 1 < role->count && at[d] == role->extent[d]; d++) {
            base += stride[d + 1] - stride[d] * role->extent[d];
            at[d] = 0;
            at[d + 1]++;
        }
    }
}

/* Returns the offset of one index of a role in an operand. */
__attribute__((unused)) static inline ptrdiff_t kernel_place(const struct kernel_role *role,
                                                             int operand, ptrdiff_t index) {
    const ptrdiff_t *stride = role->stride[operand];
    ptrdiff_t place = 0;
    for (int d = 0; d + 1 < role->count; d++, stride++) {
        place += index % role->extent[d] * *stride;
        index /= role->extent[d];
    }
    return place + index * *stride;
}

/* Returns whether the rows of a tile from index `first` on have equal distances, because they are
 * within the innermost index. */
__attribute__((unused)) static int kernel_is_run(const struct kernel_role *role, ptrdiff_t first,
                                                 ptrdiff_t rows) {
    return role->count == 1 || first % role->extent[0] + rows <= role->extent[0];
}

#endif
