! mpi_f08: routines with and without buffers, logicals, statuses, an absent ierror.
program p
  use mpi_f08
  implicit none
  integer :: rank, n, a(4), b(4), ierror
  type(MPI_Request) :: q(2)
  type(MPI_Comm) :: c, d
  type(MPI_Datatype) :: t
  type(MPI_Status) :: status
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  a = rank
  call MPI_Irecv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, q(1))
  call MPI_Isend(a, 4, MPI_INTEGER, mod(rank+1,n), 3, MPI_COMM_WORLD, q(2), ierror)
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank,2), rank, c)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., d)
  call MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_INTEGER, MPI_SUM, c)
  call MPI_Sendrecv(a, 2, MPI_INTEGER, mod(rank+1,n), 1, b, 2, MPI_INTEGER, mod(rank+n-1,n), 1, d, MPI_STATUS_IGNORE)
  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, t)
  call MPI_Type_commit(t)
  call MPI_Bcast(a, 1, t, 0, c)
  call MPI_Type_free(t)
  call MPI_Isend(a, 1, MPI_INTEGER, 0, 9, MPI_COMM_SELF, q(1))
  call MPI_Recv(b, 1, MPI_INTEGER, 0, 9, MPI_COMM_SELF, status)
  if (status%MPI_TAG /= 9) stop 3
  flag = .false.
  do while (.not. flag)
    call MPI_Test(q(1), flag, status, ierror)
  end do
  call MPI_Comm_set_name(d, 'ring')
  call MPI_Barrier(d)
  call MPI_Comm_free(c)
  call MPI_Comm_free(d)
  call MPI_Finalize()
end program
