/* The functions that a thread was in when a signal interrupted it. For signal handlers: allocates nothing, takes no
 * lock, calls nothing but mora_stack_ends_at (walk.h) and mora_unwind_rule_of (unwind_rule.h), which is
 * async-signal-safe as _dl_find_object is (glibc manual, "Dynamic Linker Introspection"). Each thread has a walker of
 * its own; not from a handler that interrupts another one that is here with the same walker. */
#ifndef MORA_MEASURE_STACK_INTERRUPTED_H
#define MORA_MEASURE_STACK_INTERRUPTED_H

#include "measure/stack/unwind_rule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MORA_INTERRUPTED_RULES = 2048 };

/* What a thread remembers between its walks: where its stack is, and rules that it has read. Begins as zeros. */
struct mora_interrupted_walker {
  uintptr_t low, high; /* of the stack */
  uint32_t unloads;    /* of code, when the rules were read */
  struct mora_known_rule {
    uintptr_t address;
    struct mora_unwind_rule rule;
  } known[MORA_INTERRUPTED_RULES];
};

/* Not in a handler: finds where the calling thread's stack is. 0: it cannot be walked here. A walker may go from one
 * thread, which has ended, to the next. */
int mora_interrupted_start(struct mora_interrupted_walker* walker);

/* Code was unloaded: what is known of addresses may be wrong from now on. Thread-safe. */
void mora_interrupted_code_unloaded(void);

/* What is followed from frame to frame, as the signal found it. */
struct mora_interrupted {
  uintptr_t pc, rsp, rbp, rbx;
};

/* Return addresses of the functions around the one at `pc`, innermost first, at most `most`, which is not 0; the last
 * may be an enum mora_stack_end, or be where a part of a team or a task was called (mora_stack_ends_at): in which wait
 * a task is executed is chance, and each order would be a path of its own. */
unsigned mora_interrupted_callers(struct mora_interrupted_walker* walker, struct mora_interrupted at,
                                  uint64_t* addresses, unsigned most);

#ifdef __cplusplus
}
#endif

#endif
