/* The functions of a Python interpreter (CPython 3.9 to 3.13) that the calling thread is in.
 *
 * Bindings to MPI give up the interpreter lock before they call MPI, and CPython's documented functions that tell
 * frames may be called with it only. Taking it there could wait for ever, and would change what is measured. So the
 * frames are read where they stand, without the lock, without taking references, without writing:
 *
 *   - While a thread is in a call nobody but itself changes its chain of frames, and a frame holds a reference on its
 *     code, as that holds its names and tables, which never change. So what is read stays there, whoever has the lock.
 *   - PyGILState_GetThisThreadState(), which is documented to work without the lock, gives the thread's state. Where
 *     state, frame and code keep their words is no documented interface; they stand in a table by version, and count
 *     only once they are confirmed: at the start, where the thread has the lock (MPI_Init of a binding's import), or
 *     else as soon as the interpreter has called us with it (Py_AddPendingCall, which any thread may call), every
 * frame, name, file and line is compared with what the documented functions say in this very process. Anything
 * different, or another version: no functions of Python are told.
 *   - A signal handler may interrupt the interpreter in the middle of leaving a frame: it reads through
 *     process_vm_readv, which fails where there is no memory any more.
 *
 * Nothing is linked: the functions are looked up in the process. Allocates nothing, takes no lock. */
#ifndef MORA_MEASURE_STACK_PYTHON_FRAMES_H
#define MORA_MEASURE_STACK_PYTHON_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* How words are read. */
enum mora_python_reading { MORA_PYTHON_IN_CALL = 0, MORA_PYTHON_IN_HANDLER = 1 };

/* What one frame executes. */
struct mora_python_code {
  uintptr_t code, instruction;
  uintptr_t file, name, table; /* objects of the code */
  int32_t first_line;
};

enum { MORA_PYTHON_FILE_BYTES = 2048, MORA_PYTHON_NAME_BYTES = 1024, MORA_PYTHON_TABLE_BYTES = 1 << 20 };

/* Whether an interpreter runs in this process. */
int mora_python_is_here(void);
/* Of one that is here: whether the calling thread has its lock. */
int mora_python_has_lock(void);
/* Has the interpreter call `function` once, in a thread of its choice that has the lock (Py_AddPendingCall). 0: it does
 * not. */
int mora_python_when_locked(int (*function)(void*), void* argument);
/* Of one that is here: the calling thread has its lock, and all was confirmed: 1. `table` has room for
 * MORA_PYTHON_TABLE_BYTES. Leaves no exception. */
int mora_python_confirm(uint8_t* table);

/* After mora_python_confirm: the innermost frame of the calling thread; 0: none. */
uintptr_t mora_python_innermost(enum mora_python_reading reading);
/* What a frame executes, and the frame outside of it (0: none). 0: it cannot be read. */
int mora_python_look(uintptr_t frame, enum mora_python_reading reading, struct mora_python_code* code,
                     uintptr_t* outside);

/* Names in UTF-8, without a zero behind them; their bytes. 0: unknown. */
unsigned mora_python_file(const struct mora_python_code* code, char* text);
unsigned mora_python_name(const struct mora_python_code* code, char* text);
struct mora_python_lines {
  int32_t at, last; /* that is executed, 0: none; of the function's code */
};
/* `table` is overwritten. */
struct mora_python_lines mora_python_lines(const struct mora_python_code* code, uint8_t* table);
/* Equal for equal names and lines, but for lines far behind the first of a function that is very long. */
uint64_t mora_python_content(const struct mora_python_code* code, enum mora_python_reading reading);

#endif
