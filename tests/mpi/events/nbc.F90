! Non-blocking and neighbourhood collectives and a file from Fortran. Two processes.
program nbc
  use mpi
  implicit none
  integer :: error, rank, request, requests(2), ring, file
  integer :: values(8), others(8), sendtypes(2), recvtypes(2), counts(2)
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  integer(kind=MPI_OFFSET_KIND) :: at
  logical :: flag
  character(len=200) :: name
  values = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), error)
  call MPI_Ibcast(values, 3, MPI_INTEGER, 1, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Iallreduce(MPI_IN_PLACE, others, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(request, flag, MPI_STATUS_IGNORE, error)
  end do
  call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ 2 /), (/ .true. /), .false., ring, error)
  counts = (/ 1, 2 /)
  places = (/ 0, 4 /)
  sendtypes = MPI_INTEGER
  recvtypes = MPI_INTEGER
  call MPI_Neighbor_alltoall(values, 1, MPI_INTEGER, others, 1, MPI_INTEGER, ring, error)
  counts = (/ 2, 2 /)
  places = (/ 0, 8 /)
  call MPI_Ineighbor_alltoallw(values, counts, places, sendtypes, others, counts, places, recvtypes, ring, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call get_command_argument(1, name)
  call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  at = rank * 32
  call MPI_File_write_at_all(file, at, values, 8, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_iread_at(file, at, others, 8, MPI_INTEGER, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
end program nbc
