#include "base/alloc.h"
#include "cli/batch.h"
#include "cli/commands.h"

enum exit_status cmd_batch(const struct options *options) {
    if (options->argument_count == 0) {
        diagnose("batch needs a library, such as tccg.xml, or - for standard input");
        fputs("see 'tcplan batch --help'\n", stderr);
        return EXIT_USAGE;
    }
    struct batch *batch = base_alloc(sizeof *batch);
    if (!batch) return diagnose_no_memory();
    const enum exit_status status = batch_run(batch, options);
    batch_free(batch);
    base_free(batch);
    return status;
}
