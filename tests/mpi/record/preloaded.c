/* A library that a user preloads into the program: says so once per process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

__attribute__((constructor)) static void loaded(void) {
  if (strcmp(program_invocation_short_name, "ring") == 0) fputs("the user's library is here\n", stderr);
}
