/* Which functions are recorded: all but queries, unless they are asked for, and but those that the user leaves out. */
#include <stdlib.h>
#include <string.h>

#include "measure/call/call.h"
#include "mpi/function_table.h"

uint8_t mora_enabled[MORA_FN_COUNT + 1];
int mora_polls_left_out;

static int is_set(const char* variable, const char* value) {
  const char* given = getenv(variable);
  return given && strcmp(given, value) == 0;
}

/* "3-7,12", numbers of functions. */
static void leave_out(const char* ranges) {
  while (*ranges) {
    char* rest;
    const unsigned long first = strtoul(ranges, &rest, 10);
    const unsigned long last = *rest == '-' ? strtoul(rest + 1, &rest, 10) : first;
    for (unsigned long i = first; i > 0 && i <= last && i <= MORA_FN_COUNT; i++) mora_enabled[i] = MORA_LEFT_OUT;
    if (*rest != ',') return;
    ranges = rest + 1;
  }
}

void mora_choose_functions(void) {
  const int with_queries = is_set("MORA_RECORD_QUERIES", "1");
  const uint8_t recorded = !mora_stacks            ? MORA_RECORDED
                           : mora_stacks_are_plain ? MORA_RECORDED_STACK
                                                   : MORA_RECORDED_SLOWLY;
  for (unsigned i = 1; i <= MORA_FN_COUNT; i++)
    mora_enabled[i] = with_queries || !(mora_function_traits(i) & MORA_TRAIT_QUERY) ? recorded : 0;
  const char* ranges = getenv("MORA_LEFT_OUT");
  if (ranges) leave_out(ranges);
  mora_polls_left_out = is_set("MORA_POLLS", "0");
}
