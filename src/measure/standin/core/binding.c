/* The real MPI library's functions and handles, behind us in the search order, or loaded privately (a Python module).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "measure/standin/core/standin_entry.h"

struct mora_real mora_real;
#ifdef OPEN_MPI
struct mora_handles mora_handles;
static const char library[] = "libmpi.so.40";
#else
static const char library[] = "libmpich.so.12";
#endif

static void find_names(void* scope, const char* names, void** addresses) {
  for (const char* name = names; *name; name += strlen(name) + 1) *addresses++ = dlsym(scope, name);
}

void standin_find_mpi(void) {
  static int found;
  if (__atomic_load_n(&found, __ATOMIC_ACQUIRE)) return;
  void* scope = RTLD_NEXT;
  if (!dlsym(scope, "PMPI_Init")) scope = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (scope) {
    find_names(scope, MORA_REAL_NAMES, (void**)&mora_real);
#ifdef OPEN_MPI
    /* a program may have copies of its own, which are the ones that count */
    find_names(dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") ? RTLD_DEFAULT : scope, MORA_HANDLE_NAMES,
               (void**)&mora_handles);
#endif
    __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
  }
  dlerror();
}
