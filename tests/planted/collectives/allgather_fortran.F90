! Three ranks; rank 1 computes longer before MPI_Allgather.
program main
  use mpi
  use planted
  implicit none
  integer, parameter :: steps = 10
  integer :: rank, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do i = 1, steps
    call solve()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('allgather-fortran', '1', 'solve')
  call MPI_Finalize(error)
contains
  subroutine solve()
    double precision :: mine, others(16)
    mine = rank
    call work(5d0)
    if (rank == 1) call work(25d0)
    call planted_arrival()
    call MPI_Allgather(mine, 1, MPI_DOUBLE_PRECISION, others, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error) ! cause
  end subroutine
end program
