/**
 * Drawing with gnuplot, where it is installed.
 */
#ifndef CLI_PAGE_GNUPLOT_H
#define CLI_PAGE_GNUPLOT_H

#include <stdio.h>

enum gnuplot_result {
    GNUPLOT_DONE,
    GNUPLOT_MISSING, /**< it is not installed */
    GNUPLOT_FAILED   /**< it refused the script, and has said why on stderr */
};

/**
 * Has gnuplot draw what a script says.
 *
 * @param script  a file that can be read back (tmpfile()), written up to its end; it is rewound
 * @param out     a descriptor, which receives what the script draws where it sets no output
 */
enum gnuplot_result gnuplot_draw(FILE *script, int out);

#endif
