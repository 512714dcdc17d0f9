! Pairs work in turn: each rank of a pair sends its result to the other and waits for the answer; one works at a time.
program main
  use mpi
  use planted
  implicit none
  integer, parameter :: steps = 15
  integer :: rank, size, error, i
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do i = 1, steps
    call turn()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('pairs-in-turn', '-', 'turn')
  call MPI_Finalize(error)
contains
  subroutine turn()
    double precision :: value, begin
    value = rank
    if (mod(rank, 2) == 0) then
      call work(8d0)
      begin = now()
      call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, rank + 1, 0, MPI_COMM_WORLD, error) ! cause
      call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! cause
      call planted_loss(now() - begin)
    else
      begin = now()
      call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! cause
      call planted_loss(now() - begin)
      call work(8d0)
      call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, rank - 1, 1, MPI_COMM_WORLD, error) ! cause
    end if
  end subroutine
end program
