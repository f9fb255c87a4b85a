#include "cli/render/roofs/placed.h"

static struct field_value flagged(double share, bool flag) {
    return share > 0 ? field_printed("%.1f %%%s", 100 * share, flag ? " !" : "") : field_unknown();
}

/** Returns a point's share of the roof with its interval, such as "65.4 % (63.0 - 67.1)". */
struct field_value placed_share(const struct tcplan_point *place, bool known,
                                const struct tcplan_span *speed) {
    if (!known) return field_unknown();
    if (!(place->roof > 0) || !(speed->low > 0))
        return flagged(place->efficiency, place->efficiency > 1);
    return field_printed("%.1f %% (%.1f - %.1f)%s", 100 * place->efficiency,
                         100 * speed->low / place->roof, 100 * speed->high / place->roof,
                         place->above_roof ? " !" : "");
}

struct field_value placed_model_share(const struct tcplan_point *place, bool known) {
    return flagged(known ? place->model_efficiency : 0, place->model_efficiency > 1);
}
