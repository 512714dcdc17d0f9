! Collectives, communicators from Fortran, any number of ranks. Prints results; the test compares them with an
! unrecorded run and counts the records of each rank against collectives.expected.
program collectives
#ifdef WITH_MODULE
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, ranks, ierr, i, part, copy, grid, other, group, provided, request
  integer :: sums(2), mine(2), all(32), counts(8), displacements(8), types(8), sent(16), got(16), zeros(8)
  integer, parameter :: nonsense = -12345 ! where an argument has no meaning it may be anything
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  mine = [rank + 1, 10 * rank]
  counts = 2
  zeros = 0
  displacements = [(2 * i, i = 0, 7)]

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  sums = 7 * (1 - min(rank, 1))
  call MPI_Bcast(sums, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  print '(a,i2,2i5)', 'bcast', rank, sums
  call MPI_Reduce(mine, sums, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i2,2i5)', 'reduce', rank, sums
  sums = mine
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    print '(a,i2,2i5)', 'reduce in place', rank, sums
  else
    call MPI_Reduce(sums, all, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  end if
  sums = mine
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  print '(a,i2,2i5)', 'allreduce in place', rank, sums
  call MPI_Scan(mine, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  print '(a,i2,2i5)', 'scan', rank, sums
  sums = 0
  call MPI_Exscan(mine, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank > 0) print '(a,i2,2i5)', 'exscan', rank, sums

  all = 0
  call MPI_Gather(mine, 2, MPI_INTEGER, all, merge(2, -1, rank == 0), merge(MPI_INTEGER, nonsense, rank == 0), 0, &
                  MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i2,16i5)', 'gather', rank, all(1:2 * ranks)
  call MPI_Gatherv(mine, 2, MPI_INTEGER, all, merge(counts, -7, rank == ranks - 1), displacements, &
                   merge(MPI_INTEGER, nonsense, rank == ranks - 1), ranks - 1, MPI_COMM_WORLD, ierr)
  call MPI_Scatter(all, merge(2, -1, rank == 0), merge(MPI_INTEGER, nonsense, rank == 0), sums, 2, &
                   MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'scatter', rank, sums
  call MPI_Scatterv(all, counts, displacements, MPI_INTEGER, sums, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'scatterv', rank, sums
  all(2 * rank + 1:2 * rank + 2) = mine
  call MPI_Allgather(MPI_IN_PLACE, 0, nonsense, all, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'allgather', rank, all(1:2 * ranks)
  call MPI_Allgatherv(mine, 2, MPI_INTEGER, all, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'allgatherv', rank, all(1:2 * ranks)

  sent = [(100 * rank + i, i = 1, 16)]
  call MPI_Alltoall(sent, 2, MPI_INTEGER, got, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'alltoall', rank, got(1:2 * ranks)
  call MPI_Alltoallv(sent, counts, displacements, MPI_INTEGER, got, counts, displacements, MPI_INTEGER, &
                     MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'alltoallv', rank, got(1:2 * ranks)
  types = MPI_INTEGER
  displacements = 4 * displacements
  call MPI_Alltoallw(sent, counts, displacements, types, got, counts, displacements, types, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'alltoallw', rank, got(1:2 * ranks)
  call MPI_Alltoallw(MPI_IN_PLACE, zeros, zeros, types, got, counts, displacements, types, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'alltoallw in place', rank, got(1:2 * ranks)
  call MPI_Reduce_scatter(sent, sums, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'reduce_scatter', rank, sums
  call MPI_Reduce_scatter_block(sent, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  print '(a,i2,16i5)', 'reduce_scatter_block', rank, sums
  call MPI_Ibarrier(MPI_COMM_WORLD, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)

  ! communicators
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  call MPI_Comm_set_name(copy, 'a copy  of the world   ', ierr)
  call MPI_Comm_get_name(copy, name, i, ierr)
  print '(a,i2,i4,1x,a)', 'name', rank, i, name(1:i)
  call MPI_Comm_split(copy, mod(rank, 2), -rank, part, ierr)
  call MPI_Comm_size(part, i, ierr)
  print '(a,2i4)', 'split', rank, i
  call MPI_Allreduce(mine, sums, 2, MPI_INTEGER, MPI_SUM, part, ierr)
  print '(a,i2,2i5)', 'part', rank, sums
  call MPI_Comm_free(part, ierr)
  call MPI_Comm_split(copy, merge(1, MPI_UNDEFINED, rank == 0), 0, part, ierr)
  if (rank == 0) call MPI_Barrier(part, ierr)
  if (rank == 0) call MPI_Comm_free(part, ierr)
  call MPI_Comm_group(copy, group, ierr)
  call MPI_Comm_create(copy, group, other, ierr)
  call MPI_Group_free(group, ierr)
  call MPI_Barrier(other, ierr)
  call MPI_Comm_free(other, ierr)
  call MPI_Cart_create(copy, 1, [ranks], [.true.], .false., grid, ierr)
  call MPI_Cart_shift(grid, 0, 1, i, part, ierr)
  print '(a,3i4)', 'cart', rank, i, part
  call MPI_Barrier(grid, ierr)
  call MPI_Comm_free(grid, ierr)
  call MPI_Comm_disconnect(copy, ierr)
  call MPI_Finalize(ierr)
end program
