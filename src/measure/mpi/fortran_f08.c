/* `use mpi_f08` is not wrapped yet. Its start is: so that an empty recording has a reason the user gets to read. */
#include <stdlib.h>

#include "measure/mpi/fortran_binding.h"
#include "measure/runtime/recorder.h"

#ifdef OPEN_MPI
#define REAL(name) "pmpi_" name "_f08_"
#else
#define REAL(name) "pmpir_" name "_f08_"
#endif

static void report(void) {
  if (getenv("MORA_DIR"))
    mora_report_problem(
        NULL,
        "nothing was recorded: the program calls MPI through Fortran's mpi_f08 module, which Mora does not record yet");
}

MORA_EXPORT void mpi_init_f08_(MPI_Fint* ierror);
void mpi_init_f08_(MPI_Fint* ierror) {
  static mora_routine cache;
  const mora_routine real = mora_find_routine(&cache, REAL("init"));
  report();
  if (real) {
    ((void (*)(MPI_Fint*))real)(ierror);
  } else if (ierror) {
    *ierror = MPI_ERR_OTHER;
  }
}

MORA_EXPORT void mpi_init_thread_f08_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror);
void mpi_init_thread_f08_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {
  static mora_routine cache;
  const mora_routine real = mora_find_routine(&cache, REAL("init_thread"));
  report();
  if (real) {
    ((void (*)(MPI_Fint*, MPI_Fint*, MPI_Fint*))real)(required, provided, ierror);
  } else if (ierror) {
    *ierror = MPI_ERR_OTHER;
  }
}
