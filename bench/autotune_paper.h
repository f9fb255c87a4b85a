/**
 * Tables IV to XI of Autotuning Benchmarking Techniques: A Roofline Model Case Study, with the
 * paper's numbers: four systems of two sockets.
 */
#ifndef BENCH_AUTOTUNE_PAPER_H
#define BENCH_AUTOTUNE_PAPER_H

enum { PAPER_SYSTEMS = 4, PAPER_SOCKETS = 2 };

static const char *const paper_system[PAPER_SYSTEMS] = {"2650v4", "2695v4", "Gold 6132",
                                                        "Gold 6148"};

/** Tables IV and V, for one and two sockets: dgemm. */
static const struct {
    double gflops, share;
    int n, m, k;
} paper_dgemm[PAPER_SYSTEMS][PAPER_SOCKETS] = {
    {{408.71, 96.76, 1000, 4096, 128}, {773.51, 91.56, 2000, 2048, 64}},
    {{593.06, 98.06, 2000, 4096, 128}, {1112.08, 91.93, 4000, 2048, 128}},
    {{1015.68, 87.20, 1000, 4096, 128}, {1750.24, 75.13, 4000, 512, 128}},
    {{1422.24, 92.59, 4000, 512, 128}, {2407.33, 78.36, 4000, 1024, 128}}};

/** Table VI, for one and two sockets: triad. */
static const struct {
    double dram, share, l3;
} paper_triad[PAPER_SYSTEMS][PAPER_SOCKETS] = {
    {{40.42, 105.26, 256.07}, {80.65, 105.01, 452.05}},
    {{43.29, 112.73, 371.41}, {76.32, 99.37, 661.68}},
    {{68.32, 106.78, 422.87}, {132.18, 103.92, 814.82}},
    {{74.16, 115.90, 547.11}, {139.80, 109.25, 1000.10}}};

/** One technique in Tables VIII to XI: GFLOP/s of one and two sockets, and speed-up of the search.
 * 0: not in the paper. */
struct paper_technique {
    double gflops[PAPER_SOCKETS];
    double speedup;
};

/** The paper's name of a technique in this study, for each system. */
struct paper_row {
    struct paper_technique system[PAPER_SYSTEMS];
};

static const struct paper_row paper_default = {{{{408.47, 776.02}, 1},
                                                {{590.47, 1089.00}, 1},
                                                {{1009.56, 1756.06}, 1},
                                                {{1408.14, 2373.35}, 1}}};
static const struct paper_row paper_hand_time = {{{{404.92, 765.58}, 114.07},
                                                  {{529.64, 872.70}, 67.42},
                                                  {{992.36, 1740.20}, 62.39},
                                                  {{1342.37, 2336.03}, 43.42}}};
static const struct paper_row paper_hand_accuracy = {{{{407.29, 772.53}, 60.86},
                                                      {{581.87, 1064.24}, 10.64},
                                                      {{1005.34, 1744.63}, 8.19},
                                                      {{1405.02, 2363.48}, 12.86}}};
static const struct paper_row paper_single = {{{{398.56, 719.72}, 223.91},
                                               {{436.35, 634.16}, 131.58},
                                               {{919.83, 1401.98}, 132.74},
                                               {{1221.08, 1957.92}, 101.68}}};
static const struct paper_row paper_c = {{{{407.26, 775.24}, 3.31},
                                          {{587.26, 1080.56}, 2.87},
                                          {{1007.89, 1748.46}, 5.21},
                                          {{1403.46, 2370.84}, 4.88}}};
static const struct paper_row paper_ci = {{{{406.96, 775.65}, 20.09},
                                           {{467.48, 931.81}, 12.57},
                                           {{1007.27, 1747.95}, 12.20},
                                           {{1405.47, 2368.21}, 9.78}}};
static const struct paper_row paper_cir = {{{{406.99, 774.92}, 9.96},
                                            {{550.95, 1018.42}, 7.49},
                                            {{1004.44, 1745.84}, 10.57},
                                            {{1402.60, 2369.58}, 8.71}}};
static const struct paper_row paper_cio = {{{{407.57, 771.19}, 116.33},
                                            {{436.40, 1011.02}, 70.44},
                                            {{1006.51, 1747.42}, 64.17},
                                            {{1403.92, 2373.57}, 43.45}}};
static const struct paper_row paper_cior = {{{{406.84, 775.08}, 16.47},
                                             {{546.77, 1013.77}, 14.48},
                                             {{1002.06, 1745.60}, 31.27},
                                             {{1403.13, 2372.15}, 26.85}}};
static const struct paper_row paper_ci_100 = {{{{0}, 0}, {{587.10, 1064.12}, 2.99}}};
static const struct paper_row paper_cir_100 = {{{{0}, 0}, {{587.05, 1087.98}, 2.85}}};
static const struct paper_row paper_cio_100 = {{{{0}, 0}, {{587.11, 1070.98}, 16.11}}};
static const struct paper_row paper_cior_100 = {{{{0}, 0}, {{586.77, 1089.67}, 8.97}}};

#endif
