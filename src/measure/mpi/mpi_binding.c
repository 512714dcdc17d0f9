#define _GNU_SOURCE
#include "measure/mpi/mpi_binding.h"

#include <dlfcn.h>
#include <string.h>

int mora_mpi_found;
int mora_mpi_is_foreign;
struct mora_real mora_real;

static void find_names(void* scope, const char* names, void** addresses) {
  for (const char* name = names; *name; name += strlen(name) + 1) *addresses++ = dlsym(scope, name);
}

#ifdef OPEN_MPI
struct mora_handles mora_handles;

static void find_handles(void* scope) { find_names(scope, MORA_HANDLE_NAMES, (void**)&mora_handles); }

static const char only_in_this_flavour[] = "ompi_mpi_comm_world";
#else
static void find_handles(void* scope) { (void)scope; }

static const char only_in_this_flavour[] = "MPIR_F08_MPI_BOTTOM";
#endif

static const char* const libraries[] = {"libmpi.so.40", "libmpich.so.12"};

void mora_find_mpi_now(void) {
  void* scope = RTLD_DEFAULT;
  int found = dlsym(scope, "PMPI_Init") != 0;
  if (!found) {
    for (int i = 0; i < 2 && !found; ++i) {
      scope = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD); /* never closed: the pointers must stay valid */
      found = scope != 0;
    }
  }
  if (found) {
    find_names(scope, MORA_REAL_NAMES, (void**)&mora_real);
    find_handles(scope);
    mora_mpi_is_foreign = !dlsym(scope, only_in_this_flavour);
    __atomic_store_n(&mora_mpi_found, 1, __ATOMIC_RELEASE);
  }
  dlerror(); /* the program must not see errors of our look-ups */
}
