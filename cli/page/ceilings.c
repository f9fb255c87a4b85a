#include "cli/page/parts.h"
#include "cli/page/roofline_plot.h"

enum { NARROW = 560 };

/** Twice: as wide as the page may be, and for narrow screens, on which letters keep their size; the
 * style shows one of them. */
void page_write_ceilings(struct page *page) {
    static const struct width {
        const char *class;
        double width;
    } widths[] = {{"broad", PLOT_WIDTH}, {"narrow", NARROW}};
    struct plot_roofs roofs[PLOT_ROOFS];
    if (!page->ceilings) return;
    const struct tcplan_machine *machine = &page->ceilings->machine;
    const int count = roofs_of(roofs, page->ceilings);
    if (count == 0) return;
    fputs("<h2>The machine's ceilings</h2>\n", page->file);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        const struct roofline_plot plot = {
            .title = *machine->cpu ? machine->cpu : machine->source,
            .subtitle = "how fast it computes and loads at best, as measured",
            .width = widths[w].width,
            .embedded = true,
            .roofs_count = count,
            .roofs = roofs};
        fprintf(page->file, "<figure class=\"%s\">\n", widths[w].class);
        if (!roofline_plot_print(page->file, &plot)) page->no_memory = true;
        fputs("</figure>\n", page->file);
    }
}
