! Serialised output by token: each rank appends to the file when the rank before it has.
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
    call append()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call planted_print('token-output', '-', 'append')
  call MPI_Finalize(error)
contains
  subroutine append()
    integer :: token
    double precision :: begin
    token = 0
    call work(3d0)
    begin = now()
    if (rank > 0) call MPI_Recv(token, 1, MPI_INTEGER, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! cause
    call planted_loss(now() - begin)
    call work(6d0) ! the output itself
    if (rank + 1 < size) call MPI_Send(token, 1, MPI_INTEGER, rank + 1, 0, MPI_COMM_WORLD, error) ! cause
    begin = now()
    call MPI_Barrier(MPI_COMM_WORLD, error) ! cause
    call planted_loss(now() - begin)
  end subroutine
end program
