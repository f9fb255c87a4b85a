/* The first sector, run and pair of each share of the work, and the ends of the last
 * share.EMIT_about_shares */
static const struct EMIT_function_share {
    ptrdiff_t sector, run, pair;
} EMIT_function_shares[] = {
    EMIT_shares,
};
