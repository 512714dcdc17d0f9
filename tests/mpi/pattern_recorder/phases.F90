! Phases in Fortran: the module's, and MinI's by their Fortran names.
program phases
  use mora
  implicit none
#include "mora/mora_f.h"
  include 'mpif.h'
  integer :: ierror, i
  character(len=16) :: name
  call MPI_Init(ierror)
  do i = 0, 1
    write (name, '(a,i1)') 'round', i
    call mora_phase_begin(name)
    call MPI_Barrier(MPI_COMM_SELF, ierror)
    call mora_phase_end(name)
  end do
  MORA_PHASE_BEGIN("macro")
  MORA_PHASE_END("macro")
#ifdef WITH_MINI
  call mini_annotate_phase_start('mini ')
  call mini_annotate_phase_end('mini ')
#endif
  if (.not. mora_dry_run()) print '(a)', 'ran'
  call MPI_Finalize(ierror)
end program
