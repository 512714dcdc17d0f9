! The checks of a tracer (T-TRACE) in Fortran: mpif.h's spellings, sentinels and types, for two ranks.
program rows
  use mpi
  implicit none
  integer :: error, rank, size, other, half, requests(2)
  integer :: status(MPI_STATUS_SIZE)
  double precision :: one(4), sum(4)
  integer :: numbers(3), back(3)
  character(len=5) :: word

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  other = 1 - rank
  numbers = rank
  one = 1d0
  word = 'hello'
  call MPI_Irecv(back, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(numbers, 3, MPI_INTEGER, other, 9, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Sendrecv(word, 5, MPI_CHARACTER, other, 1, word, 5, MPI_CHARACTER, other, 1, MPI_COMM_WORLD, status, error)
  call MPI_Allreduce(one, sum, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half, error)
  call MPI_Bcast(sum, 4, MPI_DOUBLE_PRECISION, 0, half, error)
  call MPI_Comm_free(half, error)
  if (back(2) /= other .or. nint(sum(1)) /= size) print *, 'wrong result'
  call MPI_Finalize(error)
end program rows
