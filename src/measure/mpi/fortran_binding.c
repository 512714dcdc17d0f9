/* Looks up Fortran's routines and sentinels at run time, and converts their arguments (fortran_binding.h). */
#define _GNU_SOURCE
#include "measure/mpi/fortran_binding.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
static const char* const libraries[] = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
static const char* const libraries[] = {"libmpichfort.so.12"};
#endif

/* In the global scope (RTLD_DEFAULT, or RTLD_NEXT: behind us); else in the Fortran library, wherever it was loaded. */
static void* find_symbol(void* scope, const char* name) {
  void* found = dlsym(scope, name);
  for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; ++i) {
    void* handle = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (handle) found = dlsym(handle, name);
    dlerror();
  }
  return found;
}

mora_routine mora_find_routine(mora_routine* cache, const char* name) {
  mora_routine routine = __atomic_load_n(cache, __ATOMIC_RELAXED);
  if (!routine) {
    *(void**)&routine = find_symbol(RTLD_NEXT, name);
    __atomic_store_n(cache, routine, __ATOMIC_RELAXED);
  }
  return routine;
}

/* The sentinels are variables in common blocks, so their addresses are the values. A program's own copy of the block
 * comes first in the global scope and is the one the library uses. */
struct sentinels {
  const void* bottom;
  const void* in_place;
  const void* status_ignore;
  const void* statuses_ignore;
  const void *f08_status_ignore, *f08_statuses_ignore; /* of MPICH; Open MPI's are the same as above */
};

#ifdef OPEN_MPI
static struct sentinels find_sentinels(void) {
  struct sentinels found = {find_symbol(RTLD_DEFAULT, "mpi_fortran_bottom_"),
                            find_symbol(RTLD_DEFAULT, "mpi_fortran_in_place_"),
                            find_symbol(RTLD_DEFAULT, "mpi_fortran_status_ignore_"),
                            find_symbol(RTLD_DEFAULT, "mpi_fortran_statuses_ignore_"),
                            0,
                            0};
  return found;
}
#else
static struct sentinels find_sentinels(void) {
  /* common /mpipriv1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE; common /mpipriv2/ MPI_STATUSES_IGNORE, … */
  const MPI_Fint* one = find_symbol(RTLD_DEFAULT, "mpipriv1_");
  const MPI_Fint* two = find_symbol(RTLD_DEFAULT, "mpipriv2_");
  struct sentinels found = {one,
                            one ? one + 1 : 0,
                            one ? one + 2 : 0,
                            two,
                            find_symbol(RTLD_DEFAULT, "MPIR_F08_MPI_STATUS_IGNORE_OBJ"),
                            find_symbol(RTLD_DEFAULT, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ")};
  return found;
}
#endif

static const struct sentinels* sentinels(void) {
  static struct sentinels known;
  static int done;
  if (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    struct sentinels found = find_sentinels(); /* equal for all threads: a race only repeats it */
    known = found;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  }
  return &known;
}

const void* mora_buffer_from_fortran(const void* buffer) {
  if (!buffer) return buffer;
  if (buffer == sentinels()->in_place) return MPI_IN_PLACE;
  if (buffer == sentinels()->bottom) return MPI_BOTTOM;
  return buffer;
}

int mora_is_status_ignore(const MPI_Fint* status) {
  return status &&
         ((const void*)status == sentinels()->status_ignore || (const void*)status == sentinels()->f08_status_ignore);
}

int mora_is_statuses_ignore(const MPI_Fint* statuses) {
  return statuses && ((const void*)statuses == sentinels()->statuses_ignore ||
                      (const void*)statuses == sentinels()->f08_statuses_ignore);
}

void mora_statuses_from_fortran(MPI_Status* to, const MPI_Fint* from, int count) {
  for (int i = 0; i < count; ++i) PMPI_Status_f2c((MPI_Fint*)from + (size_t)i * MORA_FORTRAN_STATUS_INTS, &to[i]);
}

void mora_string_from_fortran(char* to, size_t size, const char* from, size_t length) {
  while (length > 0 && from[length - 1] == ' ') --length;
  if (length > size - 1) length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

void* mora_scratch(enum mora_scratch slot, int count, size_t bytes_each) {
  static __thread struct {
    void* memory;
    size_t bytes;
  } slots[MORA_SCRATCH_SLOTS];
  size_t bytes = (count > 0 ? (size_t)count : 1) * bytes_each;
  if (bytes > slots[slot].bytes) {
    size_t larger = bytes < 4096 ? 4096 : 2 * bytes;
    void* memory = realloc(slots[slot].memory, larger);
    if (!memory) return 0;
    slots[slot].memory = memory;
    slots[slot].bytes = larger;
  }
  return slots[slot].memory;
}
