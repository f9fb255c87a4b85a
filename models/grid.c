#include "models/grid.h"

#include <assert.h>
#include <math.h>

double grid_node(enum tcplan_model_grid grid, int j, int n) {
    if (n == 1) return 0.5;
    const double share = (double)j / (n - 1);
    return grid == TCPLAN_MODEL_CARTESIAN ? share : 0.5 * (1 - cos(share * acos(-1)));
}

int grid_line(int64_t out[GRID_POINTS], enum tcplan_model_grid grid, int n, int64_t low,
              int64_t high, int64_t multiple) {
    int count = 0;
    if (low == high) {
        out[0] = low;
        return 1;
    }
    for (int j = 0; j < n; j++) {
        const double x = (double)low + grid_node(grid, j, n) * (double)(high - low);
        const int64_t rounded = multiple * (int64_t)floor(x / (double)multiple + 0.5);
        if (count == 0 || rounded > out[count - 1]) out[count++] = rounded;
    }
    return count;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

void grid_make(struct grid *out, const struct tcplan_model_domain *domain, const int degree[],
               const struct tcplan_model_config *config) {
    *out = (struct grid){.count = domain->count, .total = 1};
    for (int i = 0; i < domain->count; i++) {
        const int wanted = degree[i] + config->overfitting;
        const int n = wanted + 1 + config->oversampling;
        assert(n <= GRID_POINTS);
        out->points[i] = grid_line(out->at[i], config->grid, n, domain->low[i], domain->high[i],
                                   config->multiple);
        out->degree[i] =
            smaller(wanted, out->points[i] > 2 ? out->points[i] - 2 : out->points[i] - 1);
        out->total *= (size_t)out->points[i];
    }
}

void grid_point(int64_t out[TCPLAN_MODEL_SIZES], const struct grid *grid, size_t place) {
    for (int i = TCPLAN_MODEL_SIZES - 1; i >= 0; i--) {
        const size_t points = i < grid->count ? (size_t)grid->points[i] : 1;
        out[i] = i < grid->count ? grid->at[i][place % points] : 0;
        place /= points;
    }
}

bool grid_halve(int *size, int64_t *at, const struct tcplan_model_domain *domain,
                int64_t multiple) {
    double widest = 0;
    for (int i = 0; i < domain->count; i++) {
        const int64_t low = domain->low[i], high = domain->high[i];
        const int64_t middle = multiple * ((low + high + multiple) / (2 * multiple));
        const double ratio = (double)high / (double)low;
        if (middle <= low || middle >= high || ratio <= widest) continue;
        widest = ratio;
        *size = i;
        *at = middle;
    }
    return widest > 0;
}
