! Point-to-point from Fortran, two ranks. Prints what arrived; the test compares that with an unrecorded run and counts
! the records of each rank against point_to_point.expected.
program point_to_point
#ifdef WITH_MODULE
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, other, ierr, i, n, request, requests(4), indices(4), done, which, status(MPI_STATUS_SIZE)
  integer :: statuses(MPI_STATUS_SIZE, 4), message, kept(4)
  integer :: data(8), got(8), more(8, 4)
  logical :: flag

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  if (rank < 2) then
    data = [(100 * rank + i, i = 1, 8)]

    ! blocking; a status, and the ignored one
    if (rank == 0) then
      call MPI_Send(data, 8, MPI_INTEGER, other, 11, MPI_COMM_WORLD, ierr)
      call MPI_Ssend(data, 4, MPI_INTEGER, other, 12, MPI_COMM_WORLD, ierr)
      call MPI_Recv(got, 8, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
      call show('any', got, 5, status)
    else
      call MPI_Recv(got, 8, MPI_INTEGER, other, 11, MPI_COMM_WORLD, status, ierr)
      call show('recv', got, 8, status)
      call MPI_Recv(got, 8, MPI_INTEGER, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      print '(a,8i5)', 'ignored', got(1:4)
      call MPI_Send(data, 5, MPI_INTEGER, other, 13, MPI_COMM_WORLD, ierr)
    end if

    ! nobody
    call MPI_Send(data, 8, MPI_INTEGER, MPI_PROC_NULL, 14, MPI_COMM_WORLD, ierr)
    call MPI_Recv(got, 8, MPI_INTEGER, MPI_PROC_NULL, 14, MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, n, ierr)
    print '(a,l2,i3)', 'nobody', status(MPI_SOURCE) == MPI_PROC_NULL, n

    ! sendrecv
    call MPI_Sendrecv(data, 3, MPI_INTEGER, other, 15, got, 8, MPI_INTEGER, other, 15, MPI_COMM_WORLD, status, ierr)
    call show('sendrecv', got, 3, status)
    got = data
    call MPI_Sendrecv_replace(got, 2, MPI_INTEGER, other, 16, other, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    print '(a,8i5)', 'replaced', got(1:2)

    ! non-blocking, completed one by one
    call MPI_Irecv(got, 8, MPI_INTEGER, other, 21, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(data, 6, MPI_INTEGER, other, 21, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, status, ierr)
    call show('wait', got, 6, status)
    print '(a,l2)', 'null', request == MPI_REQUEST_NULL
    call MPI_Isend(data, 8, MPI_INTEGER, other, 22, MPI_COMM_WORLD, request, ierr)
    call MPI_Recv(got, 8, MPI_INTEGER, other, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierr)
    end do

    ! all of them, in any order: statuses, ignored statuses
    call start_four
    call MPI_Waitall(4, requests, statuses, ierr)
    do i = 1, 4
      print '(a,2i5)', 'all', statuses(MPI_TAG, i), more(i, i)
    end do
    call start_four
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    print '(a,4i5)', 'all ignored', (more(i, i), i = 1, 4)

    call start_four
    kept = 0
    do i = 1, 4
      call MPI_Waitany(4, requests, which, status, ierr)
      kept(which) = status(MPI_TAG)
    end do
    print '(a,4i5)', 'waitany', kept
    call MPI_Waitany(4, requests, which, MPI_STATUS_IGNORE, ierr)
    print '(a,l2)', 'waitany undefined', which == MPI_UNDEFINED

    call start_four
    kept = 0
    n = 0
    do while (n < 4)
      call MPI_Testsome(4, requests, done, indices, statuses, ierr)
      do i = 1, done
        kept(indices(i)) = statuses(MPI_TAG, i)
      end do
      n = n + done
    end do
    print '(a,4i5)', 'testsome', kept

    call start_four
    n = 0
    do while (n < 4)
      call MPI_Waitsome(4, requests, done, indices, MPI_STATUSES_IGNORE, ierr)
      n = n + done
    end do
    print '(a,4i5)', 'waitsome', (more(i, i), i = 1, 4)

    call start_four
    n = 0
    do while (n < 4)
      call MPI_Testany(4, requests, which, flag, status, ierr)
      if (flag) n = n + 1
    end do
    call start_four
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, ierr)
    end do

    ! persistent
    call MPI_Recv_init(got, 8, MPI_INTEGER, other, 41, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Send_init(data, 7, MPI_INTEGER, other, 41, MPI_COMM_WORLD, requests(2), ierr)
    do i = 1, 3
      call MPI_Startall(2, requests, ierr)
      call MPI_Waitall(2, requests, statuses, ierr)
      call show('persistent', got, 7, statuses(:, 1))
    end do
    call MPI_Start(requests(1), ierr)
    call MPI_Send(data, 1, MPI_INTEGER, other, 41, MPI_COMM_WORLD, ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)

    ! probes, plain and matched
    call MPI_Isend(data, 4, MPI_INTEGER, other, 51, MPI_COMM_WORLD, request, ierr)
    call MPI_Probe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, status, ierr)
    call MPI_Recv(got, 8, MPI_INTEGER, status(MPI_SOURCE), 51, MPI_COMM_WORLD, status, ierr)
    call show('probe', got, 4, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(data, 3, MPI_INTEGER, other, 52, MPI_COMM_WORLD, request, ierr)
    call MPI_Mprobe(other, 52, MPI_COMM_WORLD, message, status, ierr)
    call MPI_Mrecv(got, 8, MPI_INTEGER, message, status, ierr)
    call show('mprobe', got, 3, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(data, 2, MPI_INTEGER, other, 53, MPI_COMM_WORLD, request, ierr)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(other, 53, MPI_COMM_WORLD, flag, message, status, ierr)
    end do
    call MPI_Imrecv(got, 8, MPI_INTEGER, message, requests(1), ierr)
    call MPI_Wait(requests(1), status, ierr)
    call show('improbe', got, 2, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)

    ! a receive that never happens
    call MPI_Irecv(got, 8, MPI_INTEGER, other, 61, MPI_COMM_WORLD, request, ierr)
    call MPI_Cancel(request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Test_cancelled(status, flag, ierr)
    print '(a,l2)', 'cancelled', flag

    ! from the bottom of memory
    call from_bottom
  end if
  call MPI_Finalize(ierr)

contains

  subroutine show(what, values, count, from)
    character(*), intent(in) :: what
    integer, intent(in) :: values(:), count, from(MPI_STATUS_SIZE)
    integer :: arrived
    call MPI_Get_count(from, MPI_INTEGER, arrived, ierr)
    print '(a,3i5,a,8i5)', what, from(MPI_SOURCE), from(MPI_TAG), arrived, ':', values(1:count)
  end subroutine

  subroutine start_four
    integer :: k
    more = 0
    do k = 1, 3
      call MPI_Irecv(more(1, k), 8, MPI_INTEGER, other, 30 + k, MPI_COMM_WORLD, requests(k), ierr)
    end do
    call MPI_Irecv(more(1, 4), 8, MPI_INTEGER, rank, 34, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Send(data, 8, MPI_INTEGER, other, 31, MPI_COMM_WORLD, ierr)
    call MPI_Send(data, 8, MPI_INTEGER, other, 32, MPI_COMM_WORLD, ierr)
    call MPI_Send(data, 8, MPI_INTEGER, other, 33, MPI_COMM_WORLD, ierr)
    call MPI_Send(data, 8, MPI_INTEGER, rank, 34, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine from_bottom
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
    integer :: type
    call MPI_Get_address(data, address(1), ierr)
    call MPI_Type_create_hindexed(1, [8], address, MPI_INTEGER, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Isend(MPI_BOTTOM, 1, type, other, 71, MPI_COMM_WORLD, request, ierr)
    call MPI_Recv(got, 8, MPI_INTEGER, other, 71, MPI_COMM_WORLD, status, ierr)
    call show('bottom', got, 8, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Type_free(type, ierr)
  end subroutine
end program
