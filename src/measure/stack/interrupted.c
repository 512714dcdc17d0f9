/* A signal interrupts anywhere: in the middle of a prologue, or in a function that keeps other things in rbp. Unwind
 * tables are exact at every instruction (gcc, clang: -fasynchronous-unwind-tables, the default on x86-64), so the frame
 * at the interrupted instruction is left by the rule for that address, all others by those for the call in front of the
 * return address. Rules are kept by address in a small table, as reading one takes a microsecond; nothing else is
 * remembered from one walk to the next. Every load is inside the thread's stack, not far below the interrupted frame.
 * Cost: some ns a frame seen before, 0.3-2 us a new one. Stacks elsewhere (coroutines, alternate signal stacks) are not
 * walked.
 *
 * The step is that of walk.c, which keeps its rules with its nodes and is not async-signal-safe. */
#define _GNU_SOURCE
#include "measure/stack/interrupted.h"

#include <string.h>

#include "measure/stack/walk.h"

#if MORA_HAS_STACKS

enum { smallest_address = 4096, red_zone = 128 };

static uint32_t unloads;

int mora_interrupted_start(struct mora_interrupted_walker* walker) {
  return mora_stack_bounds(&walker->low, &walker->high);
}

void mora_interrupted_code_unloaded(void) { __atomic_add_fetch(&unloads, 1, __ATOMIC_RELEASE); }

static const struct mora_unwind_rule* rule_of(struct mora_interrupted_walker* walker, uintptr_t address) {
  struct mora_known_rule* known = &walker->known[(address ^ address >> 11) % MORA_INTERRUPTED_RULES];
  if (known->address != address) {
    known->rule = mora_unwind_rule_of(address);
    known->address = address;
  }
  return &known->rule;
}

/* The part of a stack that is walked. */
struct room {
  uintptr_t low, high;
};

static int is_inside(uintptr_t address, struct room room) {
  return address >= room.low && address <= room.high - sizeof(uintptr_t);
}

/* From a frame to its caller's: 0 if the rule does not fit the stack. */
static int leave(const struct mora_unwind_rule* rule, struct room room, struct mora_interrupted* at) {
  const uintptr_t offset = (uintptr_t)(intptr_t)rule->cfa_offset;
  uintptr_t cfa = (rule->is_from_rbx ? at->rbx : at->rsp) + offset;
  uintptr_t saved = at->rbp;
  if (rule->kind & (MORA_UNWIND_FROM_RBP | MORA_UNWIND_LOAD_CFA)) cfa = at->rbp + offset;
  if (rule->kind & MORA_UNWIND_LOAD_CFA) {
    if (!is_inside(cfa, room)) return 0;
    cfa = *(const uintptr_t*)cfa;
  }
  if (cfa < at->rsp + sizeof(uintptr_t) || !is_inside(cfa - sizeof(uintptr_t), room)) return 0;
  if (rule->kind & (MORA_UNWIND_SAVED_RBP | MORA_UNWIND_RBP_AT_RBP)) {
    if (rule->kind & MORA_UNWIND_SAVED_RBP) saved = cfa;
    saved += (uintptr_t)(intptr_t)rule->rbp_offset;
    if (!is_inside(saved, room)) return 0;
    at->rbp = *(const uintptr_t*)saved;
  }
  if (rule->rbx_offset) {
    saved = cfa + (uintptr_t)(intptr_t)rule->rbx_offset;
    if (!is_inside(saved, room)) return 0;
    at->rbx = *(const uintptr_t*)saved;
  }
  at->pc = *(const uintptr_t*)(cfa - sizeof(uintptr_t));
  at->rsp = cfa;
  return 1;
}

unsigned mora_interrupted_callers(struct mora_interrupted_walker* walker, struct mora_interrupted at,
                                  uint64_t* addresses, unsigned most) {
  const uint32_t now = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);
  if (now != walker->unloads) {
    memset(walker->known, 0, sizeof walker->known);
    walker->unloads = now;
  }
  if (at.rsp < walker->low || at.rsp >= walker->high) {
    addresses[0] = MORA_STACK_FOREIGN;
    return 1;
  }
  /* At the end of a function rbp may be back already, and its place, as the table has it, below rsp: nobody has written
   * there yet (System V ABI, the red zone). */
  const struct room room = {at.rsp - walker->low < red_zone ? walker->low : at.rsp - red_zone, walker->high};
  ++at.pc; /* rules are asked for by the address behind an instruction's first byte */
  for (unsigned count = 0;;) {
    if (count > 0 && mora_stack_ends_at(at.pc)) return count;
    const struct mora_unwind_rule* rule = rule_of(walker, at.pc);
    if (rule->is_outermost) return count;
    unsigned end = rule->is_from_rbx ? 0 : rule->end;
    if (!end && !leave(rule, room, &at)) end = MORA_STACK_INCONSISTENT;
    if (!end && at.pc < smallest_address) end = MORA_STACK_INCONSISTENT;
    if (!end && count + 1 == most) end = MORA_STACK_TOO_DEEP;
    addresses[count++] = end ? end : at.pc;
    if (end) return count;
  }
}

#else

int mora_interrupted_start(struct mora_interrupted_walker* walker) {
  (void)walker;
  return 0;
}
void mora_interrupted_code_unloaded(void) {}
unsigned mora_interrupted_callers(struct mora_interrupted_walker* walker, struct mora_interrupted at,
                                  uint64_t* addresses, unsigned most) {
  (void)walker, (void)at, (void)most;
  addresses[0] = MORA_STACK_NO_TABLE;
  return 1;
}

#endif
