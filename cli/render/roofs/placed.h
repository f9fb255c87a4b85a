/**
 * Fields of a point under the roofs. The record `r` must have the members `place`, a struct
 * tcplan_point; `speed`, its 95 % interval or quartiles (0: unknown); and `per_cycle`.
 */
#ifndef CLI_RENDER_ROOFS_PLACED_H
#define CLI_RENDER_ROOFS_PLACED_H

#include "cli/render/fields.h"
#include "tcplan/points.h"
#include "tcplan/roofline.h"
#include "tcplan/study/digest.h"

/** Return the texts of cells. A share above 1 is marked. */
struct field_value placed_share(const struct tcplan_point *place, bool known,
                                const struct tcplan_span *speed);
struct field_value placed_model_share(const struct tcplan_point *place, bool known);

/* clang-format off */

#define PLACED_ROOF(value) field_if(r->place->roof > 0, value)
#define PLACED_SPAN(value) field_if(r->speed->low > 0, value)
#define PLACED_SHARE(value) field_if(r->place->roof > 0 && r->speed->low > 0, field_number((value) / (r->place->roof > 0 ? r->place->roof : 1)))
#define PLACED_NAME(ceiling, member) field_text(r->place->ceiling ? r->place->ceiling->member : NULL)

/** Defines fields of a point. In CSV, eight columns beginning with the intensity are at position
 * `at`, seven are at `after`, and the last one is the origin. */
#define PLACED(F, T, at, after, of_origin) \
    F(T, intensity_low, NUMBER, field_number(r->place->intensity_low), "operations per byte of actual traffic", ALWAYS, CSV(at)) \
    F(T, intensity_high, NUMBER, field_number(r->place->intensity_high), "operations per byte of compulsory traffic", ALWAYS, CSV((at) + 1)) \
    F(T, gflops, NUMBER, field_if(!r->per_cycle, field_number(r->place->gflops)), "speed", CSV((at) + 2)) \
    F(T, flops_per_cycle, NUMBER, field_if(r->per_cycle, field_number(r->place->gflops)), \
      "speed in operations per cycle, with --unit cycle", CSV((after) + 4)) \
    F(T, gflops_low, NUMBER, PLACED_SPAN(field_if(!r->per_cycle, field_number(r->speed->low))), \
      "lower end of the 95 % interval of the speed of an algorithm; lower quartile of the speed of a kernel", CSV(after)) \
    F(T, gflops_high, NUMBER, PLACED_SPAN(field_if(!r->per_cycle, field_number(r->speed->high))), \
      "upper end of the 95 % interval of the speed of an algorithm; upper quartile of the speed of a kernel", CSV((after) + 1)) \
    F(T, flops_per_cycle_low, NUMBER, PLACED_SPAN(field_if(r->per_cycle, field_number(r->speed->low))), \
      "like gflops_low, in operations per cycle", CSV((after) + 5)) \
    F(T, flops_per_cycle_high, NUMBER, PLACED_SPAN(field_if(r->per_cycle, field_number(r->speed->high))), \
      "like gflops_high, in operations per cycle", CSV((after) + 6)) \
    F(T, origin, TEXT, field_text(tcplan_origin_name(r->place->origin)), "source of the speed", ALWAYS, CSV(of_origin)) \
    F(T, efficiency, NUMBER, PLACED_ROOF(field_number(r->place->efficiency)), "speed relative to the roof", CSV((at) + 3)) \
    F(T, efficiency_low, NUMBER, PLACED_SHARE(r->speed->low), "gflops_low relative to the roof", CSV((after) + 2)) \
    F(T, efficiency_high, NUMBER, PLACED_SHARE(r->speed->high), "gflops_high relative to the roof", CSV((after) + 3)) \
    F(T, model_efficiency, NUMBER, PLACED_ROOF(field_number(r->place->model_efficiency)), "speed relative to the speed that the traffic of the point " \
      "allows", CSV((at) + 4)) \
    F(T, roof_gflops, NUMBER, PLACED_ROOF(field_if(!r->per_cycle, field_number(r->place->roof))), "the roof") \
    F(T, roof_flops_per_cycle, NUMBER, PLACED_ROOF(field_if(r->per_cycle, field_number(r->place->roof))), "the roof") \
    F(T, bound, TEXT, PLACED_ROOF(field_text(r->place->compute_bound ? "compute" : "bandwidth")), "kind of the limiting ceiling", \
      CSV((at) + 5), .schema = "\"enum\": [\"compute\", \"bandwidth\"]") \
    F(T, above_roof, FLAG, PLACED_ROOF(field_flag(r->place->above_roof)), "whether the point is above the roof, which is impossible") \
    F(T, above_model, FLAG, PLACED_ROOF(field_flag(r->place->above_model)), "whether the point is faster than its traffic allows") \
    F(T, level, TEXT, PLACED_NAME(bandwidth, level), "level of the bandwidth", CSV((at) + 6)) \
    F(T, bandwidth_kernel, TEXT, PLACED_NAME(bandwidth, name), "kernel of the bandwidth", CSV((at) + 7)) \
    F(T, compute_kernel, TEXT, PLACED_ROOF(PLACED_NAME(compute, name)), "kernel of the compute ceiling")

/** Defines three text columns: speed; speed relative to the roof with its interval; share of the speed that
 * the point's traffic permits. */
#define PLACED_COLUMNS(F, T, key, column, title, place, known, speed, applies_to, first, second, third) \
    F(T, key##_speed, NUMBER, field_if(known, field_number((place)->gflops)), "speed", COLUMN(column, title), .unit = placed_unit, .format = FIELD_THREE, \
      .optional = (first), .applies = (applies_to), .hidden = true) \
    F(T, key##_share, NUMBER, placed_share(place, known, speed), "speed relative to the roof", COLUMN((column) + 1, "of roof"), .shown = T##_##key##_share_, \
      .optional = (second), .applies = (applies_to), .hidden = true) \
    F(T, key##_model, NUMBER, placed_model_share(place, known), "speed relative to the speed that the traffic of the point allows", \
      COLUMN((column) + 2, "with its traffic"), .shown = T##_##key##_model_, .optional = (third), .applies = (applies_to), .hidden = true)

/* clang-format on */

#endif
