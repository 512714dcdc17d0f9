! Stencil with MPI_Sendrecv: rank 2 computes longer.
program main
  use mpi
  use planted
  implicit none
  integer, parameter :: steps = 10
  integer :: rank, size, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do i = 1, steps
    call smooth()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('stencil-fortran', '2', 'smooth')
  call MPI_Finalize(error)
contains
  subroutine smooth()
    double precision :: mine(100), other(100)
    integer :: left, right
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank + 1 < size)
    mine = rank
    call work(5d0)
    if (rank == 2) call planted_work(20d0, size - 1d0)
    call MPI_Sendrecv(mine, 100, MPI_DOUBLE_PRECISION, right, 0, other, 100, MPI_DOUBLE_PRECISION, left, 0, & ! cause
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! cause
    call MPI_Sendrecv(mine, 100, MPI_DOUBLE_PRECISION, left, 1, other, 100, MPI_DOUBLE_PRECISION, right, 1, & ! cause
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! cause
  end subroutine
end program
