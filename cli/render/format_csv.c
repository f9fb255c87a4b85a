#include "cli/render/roofs/ceilings.h"
#include "cli/render/view.h"

const struct format format_csv = {.view = view_csv, .roofline = ceilings_print_csv};
