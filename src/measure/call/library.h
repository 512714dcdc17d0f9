/* Calls of other libraries than MPI that are recorded like MPI's: OpenSHMEM. Their functions have numbers from
 * MORA_FIRST_LIBRARY_FUNCTION on; the journal says once which name belongs to a number (DEFINE_FUNCTION), so that
 * readers need no table of theirs. Recorded is what is recorded of MPI: between start and end of the recorder, the
 * outermost call of a thread. Not in pattern mode, and nothing while recording is off. */
#ifndef MORA_MEASURE_CALL_LIBRARY_H
#define MORA_MEASURE_CALL_LIBRARY_H

#include "measure/call/sink.h"

/* A function; `is_defined` is the recorder's. */
struct mora_library_function {
  const char* name;
  uint8_t library; /* enum mora_library */
  uint8_t is_defined;
};

/* The program's next function of this name; if there is none (a library that was loaded privately), that of `library`,
 * a file name; NULL: nor is there that. */
void* mora_look_for_next(const char* name, const char* library);
/* The same; ends the program if there is none: it could not have been called without Mora either. */
void* mora_find_next(const char* name, const char* library);

/* Writes the definition, if that was not done. The gate is shut, or the thread is otherwise alone with its journal. */
void mora_library_define(struct mora_library_function* function, unsigned number);

/* With the gate neither open nor shut: 1 if it is open now. */
int mora_library_gate_opens(void);
/* The rest of a begin, with the gate open. */
int mora_library_enter(struct mora_call* call, struct mora_library_function* function, unsigned number, void* site);

/* Begins a call. 0: it is not recorded. `site`: return address in the program. */
static inline int mora_library_begin(struct mora_call* call, struct mora_library_function* function, unsigned number,
                                     void* site) {
  const int gate = mora_self.gate;
  if (gate != MORA_GATE_OPEN && (gate == MORA_GATE_SHUT || !mora_library_gate_opens())) return 0;
  return mora_library_enter(call, function, number, site);
}

#endif
