! The overload moves: each rank in turn has more to do for three steps.
program main
  use mpi
  use planted
  implicit none
  integer, parameter :: steps = 12
  integer :: rank, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do i = 0, steps - 1
    call advance()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('moving', '0-3', 'advance')
  call MPI_Finalize(error)
contains
  subroutine advance()
    double precision :: mine, all
    mine = rank
    call work(5d0)
    if (rank == i / 3) call work(20d0)
    call planted_arrival()
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! cause
  end subroutine
end program
