/**
 * tcplan: plan a tensor contraction once, execute it often.
 *
 *   struct tcplan_product *product;
 *   struct tcplan_plan *plan;
 *   tcplan_product_parse(&product, "C_abc=A_ai*B_ibc", "a=b=c=400,i=8", NULL,
 *                        TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error);
 *   tcplan_plan_new(&plan, NULL, product, &error);
 *   tcplan_plan_execute(plan, A, B, C, NULL);
 *
 * Functions return an enum tcplan_status, fill an error that may be NULL, and neither print nor end
 * the program. See docs/library.md. This interface is stable. A second one, tcplan/unstable.h,
 * serves the command and tools, is installed separately, and may change with any version.
 */
#ifndef TCPLAN_TCPLAN_H
#define TCPLAN_TCPLAN_H

#include "tcplan/listing.h"
#include "tcplan/network_emit.h"
#include "tcplan/network_order.h"
#include "tcplan/network_plan.h"
#include "tcplan/plan.h"
#include "tcplan/planner.h"
#include "tcplan/plans.h"
#include "tcplan/product.h"
#include "tcplan/progress.h"
#include "tcplan/status.h"
#include "tcplan/types.h"
#include "tcplan/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the version of the library at run time as a constant string, `0.2.0`.
 * TCPLAN_VERSION_STRING is the version of the headers at compile time.
 */
TCPLAN_API const char *tcplan_version(void);

#ifdef __cplusplus
}
#endif

#endif
