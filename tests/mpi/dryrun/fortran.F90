! Groups, communicators, topologies and requests in Fortran: their numbers must mean the same as the handles in C.
program fortran_everything
  use mpi
  implicit none
  integer :: ierror, rank, n, comm, cart, sub, group, world, even, inter, merged, half
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), status(MPI_STATUS_SIZE), ranges(3, 1)
  integer :: dims(2), coords(2), source, destination, i, r, s, mine(4), got(4), count, length, index
  integer, allocatable :: in(:), out(:)
  logical :: periods(2), flag, remain(2)
  character(len=1024) :: directory
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierror)
  call get_environment_variable("EVERYTHING_DIR", directory, length)
  if (length > 0) then
    write (name, '(i0)') rank
    open (unit=6, file=trim(directory) // "/" // trim(name) // ".txt", status="replace")
  end if
  print *, "world", rank, n

  call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
  ranges(:, 1) = (/0, n - 1, 2/)
  call MPI_Group_range_incl(world, 1, ranges, even, ierror)
  call MPI_Group_size(even, s, ierror)
  call MPI_Group_rank(even, r, ierror)
  print *, "even", s, r == MPI_UNDEFINED, merge(-1, r, r == MPI_UNDEFINED)
  allocate (in(s), out(s))
  in = (/(i - 1, i=1, s)/)
  call MPI_Group_translate_ranks(even, s, in, world, out, ierror)
  print *, "translated", out
  call MPI_Comm_create(MPI_COMM_WORLD, even, comm, ierror)
  if (comm /= MPI_COMM_NULL) then
    call MPI_Comm_rank(comm, r, ierror)
    print *, "created", r
    call MPI_Comm_group(comm, group, ierror)
    call MPI_Group_compare(group, even, i, ierror)
    print *, "same group", i == MPI_IDENT
    call MPI_Group_free(group, ierror)
    call MPI_Comm_free(comm, ierror)
    print *, "freed", comm == MPI_COMM_NULL
  else
    print *, "not in it"
  end if
  call MPI_Group_free(even, ierror)
  print *, "group is null", even == MPI_GROUP_NULL

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 3), -rank, comm, ierror)
  call MPI_Comm_rank(comm, r, ierror)
  call MPI_Comm_size(comm, s, ierror)
  print *, "split", r, s
  call MPI_Comm_set_name(comm, "thirds", ierror)
  call MPI_Comm_get_name(comm, name, length, ierror)
  print *, "name ", name(1:length)

  dims = 0
  periods = (/.true., .false./)
  call MPI_Dims_create(n, 2, dims, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart, ierror)
  call MPI_Cart_coords(cart, rank, 2, coords, ierror)
  print *, "cart", dims, coords
  do i = 0, 1
    call MPI_Cart_shift(cart, i, 1, source, destination, ierror)
    print *, "shift", merge(-1, source, source == MPI_PROC_NULL), &
        merge(-1, destination, destination == MPI_PROC_NULL)
  end do
  remain = (/.true., .false./)
  call MPI_Cart_sub(cart, remain, sub, ierror)
  call MPI_Comm_rank(sub, r, ierror)
  call MPI_Comm_size(sub, s, ierror)
  print *, "sub", r, s
  call MPI_Topo_test(sub, i, ierror)
  print *, "is cart", i == MPI_CART

  if (n > 1) then
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, rank < n / 2), rank, half, ierror)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, merge(n / 2, 0, rank < n / 2), 3, inter, ierror)
    call MPI_Comm_remote_size(inter, s, ierror)
    call MPI_Comm_test_inter(inter, flag, ierror)
    print *, "inter", s, flag
    call MPI_Intercomm_merge(inter, rank < n / 2, merged, ierror)
    call MPI_Comm_rank(merged, r, ierror)
    print *, "merged", r
  end if

  ! to oneself, on a communicator where one's rank is another
  call MPI_Comm_rank(comm, r, ierror)
  mine = (/rank, rank + 1, rank + 2, rank + 3/)
  got = -1
  do i = 1, 2
    call MPI_Irecv(got(2 * i - 1), 2, MPI_INTEGER, r, i, comm, requests(i), ierror)
  end do
  do i = 1, 2
    call MPI_Isend(mine(2 * i - 1), 2, MPI_INTEGER, r, i, comm, requests(2 + i), ierror)
  end do
  call MPI_Waitall(4, requests, statuses, ierror)
  call MPI_Get_count(statuses(:, 1), MPI_INTEGER, count, ierror)
  print *, "myself", got, statuses(MPI_SOURCE, 1) == r, statuses(MPI_TAG, 2), count
  print *, "requests are null", all(requests == MPI_REQUEST_NULL)
  call MPI_Send_init(mine, 1, MPI_INTEGER, r, 9, comm, requests(1), ierror)
  call MPI_Recv_init(got, 1, MPI_INTEGER, r, 9, comm, requests(2), ierror)
  call MPI_Startall(2, requests, ierror)
  call MPI_Waitall(2, requests, statuses, ierror)
  print *, "persistent", got(1) == mine(1), requests(1) /= MPI_REQUEST_NULL, requests(2) /= MPI_REQUEST_NULL
  call MPI_Start(requests(1), ierror)
  call MPI_Start(requests(2), ierror)
  call MPI_Wait(requests(2), status, ierror)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  print *, "again", status(MPI_TAG)
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)
  print *, "freed", requests(1) == MPI_REQUEST_NULL
  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_PROC_NULL, 1, comm, requests(1), ierror)
  requests(2) = MPI_REQUEST_NULL
  call MPI_Waitany(2, requests, index, status, ierror)
  print *, "any", index
  call MPI_Comm_free(comm, ierror)
  call MPI_Group_free(world, ierror)
  call MPI_Finalize(ierror)
  call MPI_Finalized(flag, ierror)
  print *, "finalized", flag
end program
