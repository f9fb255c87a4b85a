/* Divides `count` pieces of work among threads; `some` does the pieces `first` to `end` - 1. */
typedef void EMIT_function_some(void *context, int first, int end);

struct EMIT_function_division {
    EMIT_function_some *some;
    void *context;
    int count, threads;
};

static void EMIT_function_divide_team(struct team_member *team_member, void *team_context) {
    const struct EMIT_function_division *division = team_context;
    const ptrdiff_t count = division->count, threads = division->threads;
    for (ptrdiff_t p = -1; (p = team_next(team_member, (int)threads, p)) >= 0;)
        division->some(division->context, (int)(count * p / threads),
                       (int)(count * (p + 1) / threads));
}

static void EMIT_function_divide(EMIT_function_some *some, void *context, int count, int threads) {
    struct EMIT_function_division division = {some, context, count, threads};
    team_run(threads, EMIT_function_divide_team, &division);
}
