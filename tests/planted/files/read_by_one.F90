! Serial input: rank 0 reads and gives each rank its part; the others wait for it.
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
    call read_input()
    call work(5d0)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('read-by-one', '0', 'read_input')
  call MPI_Finalize(error)
contains
  subroutine read_input()
    double precision :: all(16), part
    if (rank == 0) then
      all = rank
      call work(20d0)
    end if
    call planted_arrival()
    call MPI_Scatter(all, 1, MPI_DOUBLE_PRECISION, part, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error) ! cause
  end subroutine
end program
