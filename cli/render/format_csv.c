#include "cli/render/view.h"

const struct format format_csv = {.view = view_csv};
