/* How one stack frame is left: where, at a given return address, the frame of the caller begins and where the caller's
 * rbp and rbx were saved. Read from the module's own unwind tables (.eh_frame, which compilers write for every function
 * on x86-64), not from frame pointers or debug information. Reading takes some microseconds, allocates nothing and
 * takes no lock (_dl_find_object, glibc 2.35). Thread-safe. */
#ifndef MORA_MEASURE_STACK_UNWIND_RULE_H
#define MORA_MEASURE_STACK_UNWIND_RULE_H

#include <features.h>
#include <stdint.h>

#include "journal/format.h"

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#define MORA_HAS_STACKS 1
#else
#define MORA_HAS_STACKS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of mora_unwind_rule::kind. The return address always stands 8 bytes below the caller's frame (CFA). */
enum mora_unwind_kind {
  MORA_UNWIND_SAVED_RBP = 1, /* rbp was saved at CFA + rbp_offset */
  MORA_UNWIND_FROM_RBP = 2,  /* CFA = rbp + cfa_offset, else rsp + cfa_offset */
  MORA_UNWIND_LOAD_CFA = 4,  /* CFA = the word at rbp + cfa_offset (frames that align their stack) */
  MORA_UNWIND_RBP_AT_RBP = 8 /* rbp was saved at rbp + rbp_offset */
};

struct mora_unwind_rule {
  int32_t cfa_offset;
  int16_t rbp_offset;
  uint8_t kind;
  uint8_t end; /* enum mora_stack_end; with is_outermost 0 and end 0 the rest holds */
  uint8_t is_outermost;
  uint8_t is_from_rbx; /* CFA = rbx + cfa_offset, for who follows rbx; for others the stack ends here (end) */
  int16_t rbx_offset;  /* rbx was saved at CFA + rbx_offset; 0: it is what it was */
};

/* The rule of the frame that `return_address` belongs to. */
struct mora_unwind_rule mora_unwind_rule_of(uintptr_t return_address);

/* Where the calling thread's stack lies, [low, high). Returns 0 if that cannot be told. Not async-signal-safe. */
int mora_stack_bounds(uintptr_t* low, uintptr_t* high);

#ifdef __cplusplus
}
#endif

#endif
