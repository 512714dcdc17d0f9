/* Every stack held against another unwinder, which reads the tables with code of its own: a mode for tests and for
 * doubts (MORA_STACK_CHECK=LIBRARY, such as libunwind.so.8 or libgcc_s.so.1). A call costs some microseconds more. The
 * part that the walk knows must be equal frame by frame; where the walk says that it is whole, both must end together.
 * As mora_stack_number(): one thread only. Allocates and locks if the other unwinder does. */
#ifndef MORA_MEASURE_STACK_CHECK_H
#define MORA_MEASURE_STACK_CHECK_H

#include <stdint.h>

/* Of the unwinder, a shared library that has _Unwind_Backtrace and _Unwind_GetIP. 0: there is none of this name. */
int mora_stack_check_start(const char* library);

/* `number`: what mora_stack_number() gave for the call that returns to `site`, not 0. */
void mora_stack_check(uint32_t number, const void* site);

extern uint64_t mora_stacks_checked, mora_stacks_different;

#endif
