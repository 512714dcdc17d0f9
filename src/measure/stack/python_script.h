/* What an interpreter of Python was given to execute. */
#ifndef MORA_MEASURE_STACK_PYTHON_SCRIPT_H
#define MORA_MEASURE_STACK_PYTHON_SCRIPT_H

#include <stddef.h>

/* The file or module that this process's interpreter executes, ended by a zero, cut where it is longer. 0: there is no
 * interpreter, or it was given none; `name` is as before. */
int mora_python_script(char* name, size_t bytes);

#endif
