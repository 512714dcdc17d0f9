"""MPI for the test programs: mpi4py's, or, with MORA_TEST_BINDING=ctypes, functions of C through ctypes."""
import ctypes
import functools
import os

if os.environ.get("MORA_TEST_BINDING") != "ctypes":
    from mpi4py import MPI

    rank = MPI.COMM_WORLD.rank
    gathered = MPI.COMM_WORLD.gather
    send_to_nobody = functools.partial(MPI.COMM_WORLD.Send, [bytearray(1), 1, MPI.BYTE], MPI.PROC_NULL)
    barrier = MPI.COMM_WORLD.Barrier
    finalize = MPI.Finalize
else:
    is_mpich = os.environ["MORA_TEST_FLAVOUR"] == "mpich"
    library = ctypes.CDLL("libmpich.so.12" if is_mpich else "libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
    with_lock, without_lock = ctypes.PyDLL(None), ctypes.CDLL(None)  # the whole process: what is preloaded, too

    def handle(of_mpich, of_openmpi):
        return ctypes.c_void_p(of_mpich if is_mpich else ctypes.addressof(ctypes.c_char.in_dll(library, of_openmpi)))

    world, double = handle(0x44000000, "ompi_mpi_comm_world"), handle(0x4c00080b, "ompi_mpi_double")
    (without_lock if "MORA_TEST_UNLOCKED" in os.environ else with_lock).MPI_Init_thread(None, None, 3, ctypes.byref(ctypes.c_int()))
    number = ctypes.c_int()
    with_lock.MPI_Comm_rank(world, ctypes.byref(number))
    rank = number.value
    barrier = functools.partial(without_lock.MPI_Barrier, world)  # no function of Python
    finalize = with_lock.MPI_Finalize
    send_to_nobody = functools.partial(without_lock.MPI_Send, ctypes.create_string_buffer(1), 0, double, -1 if is_mpich else -2, 0, world)

    def gathered(value):
        """All ranks' values, on rank 0."""
        values = (ctypes.c_double * 64)()
        size = ctypes.c_int()
        with_lock.MPI_Comm_size(world, ctypes.byref(size))
        without_lock.MPI_Gather(ctypes.byref(ctypes.c_double(value)), 1, double, values, 1, double, 0, world)
        return list(values)[:size.value]
