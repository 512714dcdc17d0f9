! Queries that MPI refuses: rank 1 asks for what is not there. "returned": the error is returned, else it ends the job.
program queries
  use mpi
  implicit none
  integer :: rank, n, ierror
  character(len=20) :: how
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call get_command_argument(1, how)
  if (how == "returned") call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 1) call MPI_Type_size(MPI_DATATYPE_NULL, n, ierror) ! site:query
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program
