! One-sided communication from Fortran, two ranks: fence, lock, post/start/complete/wait. Prints the window's contents.
program one_sided
#ifdef WITH_MODULE
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, ierr, window, allocated, group, partner, other, i
  integer :: memory(8), got(4), values(4)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, where_from, base
  logical :: flag

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  memory = 0
  values = [(10 * rank + i, i = 1, 4)]
  bytes = 32
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call MPI_Win_set_name(window, 'eight integers', ierr)

  where_from = 0
  call MPI_Win_fence(MPI_MODE_NOPRECEDE, window, ierr)
  call MPI_Put(values, 4, MPI_INTEGER, other, where_from, 4, MPI_INTEGER, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  print '(a,i2,8i4)', 'put', rank, memory
  where_from = 2
  call MPI_Get(got, 2, MPI_INTEGER, other, where_from, 2, MPI_INTEGER, window, ierr)
  call MPI_Accumulate(values, 4, MPI_INTEGER, MPI_PROC_NULL, where_from, 4, MPI_INTEGER, MPI_SUM, window, ierr)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, window, ierr)
  print '(a,i2,2i4)', 'get', rank, got(1:2)

  where_from = 4
  call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window, ierr)
  call MPI_Put(values, 4, MPI_INTEGER, other, where_from, 4, MPI_INTEGER, window, ierr)
  call MPI_Win_unlock(other, window, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  print '(a,i2,8i4)', 'locked', rank, memory

  call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
  call MPI_Group_incl(group, 1, [other], partner, ierr)
  if (rank == 0) then
    call MPI_Win_post(partner, 0, window, ierr)
    call MPI_Win_wait(window, ierr)
    call MPI_Win_post(partner, 0, window, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Win_test(window, flag, ierr)
    end do
    print '(a,i2,8i4)', 'exposed', rank, memory
  else
    do i = 1, 2
      call MPI_Win_start(partner, 0, window, ierr)
      call MPI_Accumulate(values, 4, MPI_INTEGER, other, where_from, 4, MPI_INTEGER, MPI_SUM, window, ierr)
      call MPI_Win_complete(window, ierr)
    end do
  end if
  call MPI_Group_free(partner, ierr)
  call MPI_Group_free(group, ierr)
  call MPI_Win_free(window, ierr)

  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, allocated, ierr)
  call MPI_Win_fence(0, allocated, ierr)
  call MPI_Win_free(allocated, ierr)
  print '(a,i2,l2)', 'freed', rank, allocated == MPI_WIN_NULL
  call MPI_Finalize(ierr)
end program
