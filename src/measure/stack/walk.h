/* The call stack of a recorded call, exactly, at the price of a few loads a frame.
 *
 * Stacks are walked outwards from the call and interned on the way: a frame is a node of a tree (return address, inner
 * neighbour), and knows how it is left (unwind_rule.h) and which node came outside of it last. A walk therefore reads,
 * for every frame, the return address from the stack and compares it with the node's guess; the number of the last node
 * names the whole stack. Nothing is assumed to be as it was at an earlier call: every return address is read again at
 * the place that the rules give, so a stack is exact whatever the program did since (alloca, longjmp, exceptions). Of a
 * call that finds all words that an earlier walk read where that one read them, nothing more is read (memo.h).
 *
 * Cost: four instructions a frame of a call like an earlier one; 1-2 ns a frame that was seen in this place before, 1-3
 * us a new one. Memory: 48 bytes a node, at most MORA_STACK_FRAMES of them for each thread, and 128 KiB of memos,
 * reserved when its stacks are started, touched when used. Every thread has stacks and numbers of its own. Every load
 * is inside the thread's stack, above the caller's own frame: tables that are wrong end a stack, they do not end the
 * program. Does not allocate, lock or change errno. */
#ifndef MORA_MEASURE_STACK_WALK_H
#define MORA_MEASURE_STACK_WALK_H

#include "measure/stack/memo.h"
#include "measure/stack/unwind_rule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MORA_STACK_FRAMES = 1 << 16, MORA_STACK_DEEPEST = 512 };

/* New frames of a stack, in order outwards: numbers `first`, `first` + 1, ...; the first one is the caller of frame
 * `inner` (0: it made the call). The last may be an enum mora_stack_end instead of an address. */
typedef void mora_stack_define(uint32_t first, uint32_t inner, const uint64_t* addresses, unsigned count);

/* Starts stacks of the calling thread, up to `deepest` frames. `define` is told of every new frame before its number is
 * given out. 0: there is no memory, or no way to unwind here. */
int mora_stack_start(unsigned deepest, mora_stack_define* define);
/* Of the calling thread. */
void mora_stack_stop(void);

/* Starts stacks of another thread, after mora_stack_start. `earlier`: what a thread had that has ended and whose
 * numbers go on, or NULL. Returns what is to be given for the next one; NULL: there is no memory. Where nothing can be
 * unwound, all numbers of the thread are 0. */
struct mora_stack_walker* mora_stack_start_thread(struct mora_stack_walker* earlier);

/* As mora_stack_number, but 0 unless the call is as the last one was in this place. */
static inline uint32_t mora_stack_known(const void* own_frame, const void* site) {
  const struct mora_stack_memos* memos = mora_stack_memos;
  const struct mora_stack_memo* memo = memos->last[mora_stack_hash(own_frame, site)];
  return __builtin_expect(memos->unloads == mora_stack_unloads && mora_stack_is_as_in(memo, own_frame, site), 1)
             ? memo->number
             : 0;
}

/* The same, where mora_stack_known gave 0. */
uint32_t mora_stack_find(const void* own_frame, const void* site);

/* The stack outwards from the call that returns to `site`: of the function whose frame is given, or of one outside of
 * it. `own_frame`: __builtin_frame_address(0), which keeps a frame pointer in the function that asks. 0: no more stacks
 * fit (counted). */
static inline uint32_t mora_stack_number(const void* own_frame, const void* site) {
  const uint32_t number = mora_stack_known(own_frame, site);
  return number ? number : mora_stack_find(own_frame, site);
}

/* In the call that initialises MPI: if the calling thread is in a Python interpreter, its functions are known from now
 * on. */
void mora_stack_start_python(void);

/* The stack `number` of the calling thread with the functions of Python that it is in behind it (MORA_STACK_PYTHON), as
 * many as of others at most; the number itself if there are none. While mora_python_is_on. */
uint32_t mora_stack_in_python(uint32_t number);

/* The frames of a stack, in order outwards, as they were told to `define`; their number. For checks. */
unsigned mora_stack_addresses(uint32_t number, uint64_t* addresses, unsigned room);

/* Code was unloaded: what is known of return addresses may be wrong from now on. Thread-safe. */
void mora_stack_code_unloaded(void);

/* What a thread does of a team's work, or of a task, is called by the recorder's functions in the section mora_parts,
 * or by a library in [begin, end): there stacks end, as what is outside is another one's (measure/openmp). */
void mora_stack_end_in(uintptr_t begin, uintptr_t end);
/* Whether a function that returns there is called so. Async-signal-safe. */
int mora_stack_ends_at(uint64_t address);

/* Calls whose stack is not known because the table is full. */
extern uint64_t mora_stack_refused;

#ifdef __cplusplus
}
#endif

#endif
