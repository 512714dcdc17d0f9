! A serial section: rank 0 alone prepares each step, between two barriers.
program main
  use mpi
  use planted
  implicit none
  integer, parameter :: steps = 10
  integer :: rank, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, steps
    call work(6d0)
    call prepare()
  end do
  call planted_print('serial-section', '0', 'prepare')
  call MPI_Finalize(error)
contains
  subroutine prepare()
    call MPI_Barrier(MPI_COMM_WORLD, error) ! cause
    if (rank == 0) call work(18d0)
    call planted_arrival()
    call MPI_Barrier(MPI_COMM_WORLD, error) ! cause
  end subroutine
end program
