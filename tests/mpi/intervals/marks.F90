! Marks from Fortran, with the macros and without; the names have trailing blanks.
#include "mora/mora_f.h"
program marks
  use mpi
  use mora
  implicit none
  integer :: rank, ierror, i
  character(len=12) :: names(2) = ["assemble    ", "solve       "]

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  MORA_SEQUENTIAL_BEGIN() ! line: sequential
  MORA_SEQUENTIAL_END()
  do i = 1, 2
    MORA_INTERVAL_BEGIN(i * 10) ! line: step
    MORA_REGION_BEGIN(names(i)) ! line: names
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    MORA_REGION_END(trim(names(i)))
    MORA_INTERVAL_END(i * 10)
  end do
  call mora_replicated_begin(2)
  call mora_replicated_end()
  call mora_interval_begin(3, "elsewhere.f90", 7)
  call mora_interval_end(3)
  call MPI_Pcontrol(int(z'0A0005AA')) ! line: level
  call MPI_Pcontrol(int(z'0A0005BB'))
  call MPI_Finalize(ierror)
  print '(a,i0)', "rank ", rank
end program
