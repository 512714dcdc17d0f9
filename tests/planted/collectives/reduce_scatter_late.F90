! Five ranks; rank 3 computes longer before MPI_Reduce_scatter_block.
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
    call assemble()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('reduce-scatter-late', '3', 'assemble')
  call MPI_Finalize(error)
contains
  subroutine assemble()
    double precision :: mine(16), part
    mine = rank
    call work(5d0)
    if (rank == 3) call work(20d0)
    call planted_arrival()
    call MPI_Reduce_scatter_block(mine, part, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! cause
  end subroutine
end program
