! Late broadcast: root 0 reads its input first.
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
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('bcast-fortran', '0', 'read_input')
  call MPI_Finalize(error)
contains
  subroutine read_input()
    double precision :: values(10)
    values = rank
    call work(5d0)
    if (rank == 0) call work(20d0)
    call planted_arrival()
    call MPI_Bcast(values, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error) ! cause
    call MPI_Barrier(MPI_COMM_WORLD, error) ! cause
  end subroutine
end program
