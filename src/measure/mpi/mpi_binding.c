#define _GNU_SOURCE
#include "measure/mpi/mpi_binding.h"

#include <dlfcn.h>

int mora_mpi_found;

#ifdef OPEN_MPI
#define DEFINE_HANDLE(name) void* mora_handle_##name;
MORA_FOR_EACH_HANDLE(DEFINE_HANDLE)

static void find_handles(void)
{
#define FIND_HANDLE(name) mora_handle_##name = dlsym(RTLD_DEFAULT, #name);
  MORA_FOR_EACH_HANDLE(FIND_HANDLE)
}

static const char library[] = "libmpi.so.40";
#else
static void find_handles(void) {}

static const char library[] = "libmpich.so.12";
#endif

void mora_find_mpi_now(void)
{
  if (!dlsym(RTLD_DEFAULT, "PMPI_Init")) dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  find_handles();
  dlerror(); /* our failed look-ups are not the program's */
  __atomic_store_n(&mora_mpi_found, dlsym(RTLD_DEFAULT, "PMPI_Init") != 0, __ATOMIC_RELEASE);
}
