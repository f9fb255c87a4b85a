/**
 * Everything tcplan offers: parse, enumerate, predict, rank, execute, emit.
 */
#ifndef TCPLAN_TCPLAN_H
#define TCPLAN_TCPLAN_H

#include "tcplan/algorithm.h"
#include "tcplan/analysis.h"
#include "tcplan/benchmark.h"
#include "tcplan/blas.h"
#include "tcplan/candidates.h"
#include "tcplan/canonical.h"
#include "tcplan/ceilings.h"
#include "tcplan/contraction.h"
#include "tcplan/emit.h"
#include "tcplan/emit_library.h"
#include "tcplan/execute.h"
#include "tcplan/explain.h"
#include "tcplan/host.h"
#include "tcplan/library.h"
#include "tcplan/machine.h"
#include "tcplan/nest.h"
#include "tcplan/plan.h"
#include "tcplan/points.h"
#include "tcplan/portability.h"
#include "tcplan/predict.h"
#include "tcplan/problem.h"
#include "tcplan/progress.h"
#include "tcplan/provider.h"
#include "tcplan/result_fields.h"
#include "tcplan/results.h"
#include "tcplan/results_file.h"
#include "tcplan/roofline.h"
#include "tcplan/selftest.h"
#include "tcplan/shapes.h"
#include "tcplan/sizes.h"
#include "tcplan/status.h"
#include "tcplan/store.h"
#include "tcplan/strides.h"
#include "tcplan/traffic.h"
#include "tcplan/version.h"
#include "tcplan/xml.h"

#endif
