! A module procedure is slow on one rank; also through a procedure argument (CALLBACK) or other procedures (DEEP), by a
#ifndef WITH_LIBRARY
module solver ! recursive one (RECURSIVE), by two of which one is slow (PLACES), in a shared library.
  implicit none
contains
  subroutine relax(ms, x)
    real(8), intent(in) :: ms
    real(8), intent(inout) :: x
    real(8) :: start, t
    integer :: i
    call cpu_time(start)
    do
      do i = 1, 20000
        x = x * 0.999d0 + 0.001d0
      end do
      call cpu_time(t)
      if (t - start > ms * 1d-3) exit
    end do
  end subroutine

  subroutine apply(work, ms, x)
    procedure(relax) :: work
    real(8), intent(in) :: ms
    real(8), intent(inout) :: x
    call work(ms, x)
    x = x + 1  ! or the call would be a jump
  end subroutine

#define PASS(name, next) subroutine name(ms, x); real(8), intent(in) :: ms; real(8), intent(inout) :: x; call next(ms, x); x = x + 1; end subroutine
  PASS(level1, relax)
  PASS(level2, level1)
  PASS(level3, level2)
  PASS(level4, level3)
  PASS(level5, level4)
  PASS(level6, level5)

  recursive subroutine again(ms, x, more)
    real(8), intent(in) :: ms
    real(8), intent(inout) :: x
    integer, intent(in) :: more
    call relax(ms, x)
    if (more > 0) call again(ms, x, more - 1)
    x = x + 1
  end subroutine

  subroutine coarse(ms, x)
    real(8), intent(in) :: ms
    real(8), intent(inout) :: x
    call relax(ms, x)
    x = x + 1
  end subroutine

  subroutine fine(ms, x)
    real(8), intent(in) :: ms
    real(8), intent(inout) :: x
    call relax(ms, x)
    x = x + 2
  end subroutine
end module
#endif

#ifndef IS_LIBRARY
program slow
  use mpi
  use solver
  implicit none
  integer :: ierr, rank, size, step, r, n
  real(8) :: x, begin, spent, all(64), slowest, others(64), swap
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  spent = 0
  x = 3
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  do step = 1, 100
    begin = MPI_Wtime()
#if defined CALLBACK
#define CALLER ' caller=solver::apply'
    call apply(relax, merge(23.3d0, 1.9d0, rank == 2), x)
#elif defined DEEP
#define CALLER ' caller=solver::level1'
    call level6(merge(23.3d0, 1.9d0, rank == 2), x)
#elif defined RECURSIVE
#define CALLER ' caller=solver::again'
    call again(merge(23.3d0, 1.9d0, rank == 2) / 4, x, 3)
#elif defined PLACES
#define CALLER ' caller=solver::fine'
    call coarse(1.3d0, x)
    begin = MPI_Wtime()
    call fine(merge(23.3d0, 1.9d0, rank == 2), x)
#else
    call relax(merge(23.3d0, 1.9d0, rank == 2), x)
#endif
    spent = spent + MPI_Wtime() - begin
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call PMPI_Gather(spent, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    slowest = all(3)
    n = 0
    do r = 1, size
      if (r == 3) cycle
      n = n + 1
      others(n) = all(r)
    end do
    swap = (minval(others(1:n)) + maxval(others(1:n))) / 2  ! of two
#ifndef CALLER
#define CALLER ''
#endif
#ifdef WITH_LIBRARY
#define LAST '19'
#else /* inlined, without what is behind the loop */
#define LAST '18'
#endif
    write (*, '(a,f0.6,a)') 'slow: rank=2 function=solver::relax file=slow_fortran.F90 lines=6-' // LAST // ' excess=', &
      slowest - swap, CALLER
  end if
  if (x < 0) write (*, *) x
  call MPI_Finalize(ierr)
end program
#endif
