! Strings, callbacks, files, topologies and inter-communicators from Fortran, four ranks: what is passed through untouched.
module callbacks
  implicit none
contains
  subroutine add_up(from, into, count, type)
    integer, intent(in) :: from(*), count, type
    integer, intent(inout) :: into(*)
    into(1:count) = into(1:count) + from(1:count) + 0 * type
  end subroutine

  subroutine copy_twice(comm, key, extra, value, copied, flag, ierr)
#ifdef WITH_MODULE
    use mpi
#else
    include 'mpif.h'
#endif
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: extra, value, copied
    logical :: flag
    copied = 2 * value + 0 * (comm + key) + 0 * extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine

  subroutine forget(comm, key, value, extra, ierr)
#ifdef WITH_MODULE
    use mpi
#else
    include 'mpif.h'
#endif
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    ierr = MPI_SUCCESS
    print '(a,i6)', 'forget', int(value)
  end subroutine
end module

program other_calls
  use callbacks
#ifdef WITH_MODULE
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  type(c_ptr) :: place
  integer, pointer :: seen(:)
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, ranks, ierr, info, op, key, copy, n, file, grid, rows, graph, half, between, both, request, window
  integer :: near(4), coords(2), status(MPI_STATUS_SIZE), sums(2), world_group, some, group_comm, position, color
  integer(kind=MPI_ADDRESS_KIND) :: value, bytes
  integer(kind=MPI_OFFSET_KIND) :: where_to
  logical :: flag, periods(2)
  character(len=40) :: text, name
  character(len=64) :: packed
  character(len=MPI_MAX_ERROR_STRING) :: message
  character(len=MPI_MAX_PROCESSOR_NAME) :: host

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)

  ! strings: hidden lengths
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'a key ', ' a value  ', ierr)
  call MPI_Info_set(info, 'other', 'x', ierr)
  text = '?'
  call MPI_Info_get(info, 'a key', 40, text, flag, ierr)
  print '(a,i2,l2,1x,a)', 'info', rank, flag, trim(text)
  call MPI_Info_delete(info, 'other', ierr)
  call MPI_Info_get_nkeys(info, n, ierr)
  call MPI_Info_get_nthkey(info, 0, name, ierr)
  print '(a,2i2,1x,a)', 'keys', rank, n, trim(name)
  call MPI_Info_free(info, ierr)
  call MPI_Get_processor_name(host, n, ierr)
  print '(a,i2,l2)', 'host', rank, n == len_trim(host)
  call MPI_Error_string(MPI_ERR_RANK, message, n, ierr)
  print '(a,i2,l2)', 'error', rank, n > 0 .and. n == len_trim(message)
  call MPI_Type_contiguous(3, MPI_INTEGER, n, ierr)
  call MPI_Type_set_name(n, 'three', ierr)
  call MPI_Type_get_name(n, name, position, ierr)
  print '(a,2i2,1x,a)', 'type', rank, position, trim(name)
  call MPI_Type_free(n, ierr)

  ! callbacks
  call MPI_Op_create(add_up, .true., op, ierr)
  call MPI_Allreduce([rank, 1], sums, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  print '(a,i2,2i4)', 'op', rank, sums
  call MPI_Op_free(op, ierr)
  call MPI_Comm_create_keyval(copy_twice, forget, key, 7_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 21_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_idup(MPI_COMM_WORLD, copy, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_get_attr(copy, key, value, flag, ierr)
  print '(a,i2,l2,i4)', 'attribute', rank, flag, int(value)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
  call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, 1000, 1, copy, ierr)
  print '(a,i2,l2)', 'refused', rank, ierr /= MPI_SUCCESS

  ! packing, files
  position = 0
  call MPI_Pack([rank, 5], 2, MPI_INTEGER, packed, 64, position, copy, ierr)
  position = 0
  call MPI_Unpack(packed, 64, position, sums, 2, MPI_INTEGER, copy, ierr)
  print '(a,i2,2i4)', 'packed', rank, sums
  call MPI_File_open(copy, 'other_calls.data', ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                     MPI_INFO_NULL, file, ierr)
  where_to = 4 * rank
  call MPI_File_write_at(file, where_to, rank + 50, 1, MPI_INTEGER, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  call MPI_File_sync(file, ierr)
  call MPI_Barrier(copy, ierr)
  where_to = 4 * mod(rank + 1, ranks)
  call MPI_File_read_at_all(file, where_to, sums, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  print '(a,2i2,i4)', 'file', rank, n, sums(1)
  call MPI_File_close(file, ierr)

  ! topologies
  periods = [.true., .false.]
  call MPI_Cart_create(copy, 2, [2, ranks / 2], periods, .true., grid, ierr)
  call MPI_Cart_coords(grid, rank, 2, coords, ierr)
  call MPI_Cart_sub(grid, [.false., .true.], rows, ierr)
  call MPI_Comm_size(rows, n, ierr)
  print '(a,4i2)', 'rows', rank, coords, n
  near = -1
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, near, 1, MPI_INTEGER, grid, ierr)
  print '(a,i2,4i3)', 'near', rank, near
  call MPI_Dist_graph_create_adjacent(copy, 1, [mod(rank + 1, ranks)], MPI_UNWEIGHTED, 1, [mod(rank + ranks - 1, ranks)], &
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
  call MPI_Dist_graph_neighbors_count(graph, n, position, flag, ierr)
  print '(a,3i2,l2)', 'graph', rank, n, position, flag
  call MPI_Comm_free(graph, ierr)
  call MPI_Comm_free(rows, ierr)
  call MPI_Comm_free(grid, ierr)

  ! inter-communicators, groups
  color = mod(rank, 2)
  call MPI_Comm_split(copy, color, rank, half, ierr)
  call MPI_Intercomm_create(half, 0, copy, 1 - color, 9, between, ierr)
  call MPI_Comm_remote_size(between, n, ierr)
  call MPI_Allreduce([rank, 1], sums, 2, MPI_INTEGER, MPI_SUM, between, ierr)
  call MPI_Intercomm_merge(between, color == 1, both, ierr)
  call MPI_Comm_rank(both, position, ierr)
  print '(a,6i3)', 'between', rank, n, sums, position
  call MPI_Comm_group(copy, world_group, ierr)
  call MPI_Group_incl(world_group, 2, [2, 1], some, ierr)
  if (rank == 1 .or. rank == 2) then
    call MPI_Comm_create_group(copy, some, 3, group_comm, ierr)
    call MPI_Comm_rank(group_comm, n, ierr)
    print '(a,2i3)', 'group', rank, n
    call MPI_Comm_free(group_comm, ierr)
  end if
  call MPI_Group_free(some, ierr)
  call MPI_Group_free(world_group, ierr)
  call MPI_Comm_free(both, ierr)
  call MPI_Comm_free(between, ierr)
  call MPI_Comm_free(half, ierr)

  ! memory by C pointer: another symbol in Open MPI
  bytes = 16
#ifdef WITH_MODULE
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, copy, place, window, ierr)
  call c_f_pointer(place, seen, [4])
  seen = rank
  print '(a,2i3)', 'seen', rank, seen(4)
#else
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, copy, value, window, ierr)
  print '(a,2i3)', 'seen', rank, rank
#endif
  call MPI_Win_free(window, ierr)
  call MPI_Comm_free(copy, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Pcontrol(1)
  print '(a,i2,l2)', 'clock', rank, MPI_Wtime() >= 0.0d0 .and. MPI_Wtick() > 0.0d0
  call MPI_Finalize(ierr)
end program
