/* Numbers for the places in Python functions that a thread is at (python_frames.h), for call stacks. Each thread has
 * places and numbers of its own. A place keeps its number while the same code is there: code whose file is none
 * (`<string>`, from exec and the like, or does not exist), which often makes way for other code at the same address, is
 * compared by its names and lines each time. Names are kept until they were told. Does not allocate, lock or change
 * errno (but for handlers, which keep it). */
#ifndef MORA_MEASURE_STACK_PYTHON_PLACES_H
#define MORA_MEASURE_STACK_PYTHON_PLACES_H

#include "journal/format.h"
#include "measure/stack/python_frames.h"

struct mora_python;

/* A place: its number and lines, the function's first line, and names without a zero behind them. */
typedef void mora_python_define(uint32_t number, struct mora_python_lines lines, int32_t first_line, const char* file,
                                unsigned file_bytes, const char* name, unsigned name_bytes);

/* Whether functions of Python are told (mora_python_start); there is an interpreter, and they cannot be told; they will
 * perhaps be told as soon as the interpreter says so. */
extern int mora_python_is_on, mora_python_is_refused, mora_python_is_awaited;

/* Of the thread that initialises MPI, in that call. */
struct mora_python* mora_python_start(void);
/* Of another thread, as of mora_stack_start_thread. */
struct mora_python* mora_python_start_thread(struct mora_python* earlier);

/* Whether the thread is at the place whose number in stacks is `address`. */
int mora_python_is_at(uint64_t address, const struct mora_python_code* code);
/* The number of the place in stacks: MORA_STACK_PYTHON + n; 0: no more fit. */
uint64_t mora_python_place(const struct mora_python_code* code);
/* Numbers of all places of the thread, innermost first, for a signal handler; none if it interrupted what is here. */
unsigned mora_python_interrupted(uint64_t* addresses, unsigned most);
/* Tells the places of the thread that are new. */
void mora_python_tell(mora_python_define* define);

#endif
