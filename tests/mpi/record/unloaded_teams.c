/* A library that has teams of OpenMP and is unloaded, again and again, with what it needs; compiled twice: as the
 * library (-DLIBRARY) and, without OpenMP, as the program, whose arguments are the library's file, the name of the
 * OpenMP library, which nothing else needs, and perhaps "global": both have their names in the whole program. */
#ifdef LIBRARY
int work(int threads) {
  int sum = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp atomic
    sum++;
#pragma omp barrier
#pragma omp critical(in_library)
    sum += 1;
  }
  return sum;
}
#else
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD)) abort();
  for (int i = 0; i < 4; i++) {
    void* library = dlopen(argv[1], RTLD_NOW | (argc > 3 ? RTLD_GLOBAL : RTLD_LOCAL));
    int (*work)(int) = library ? (int (*)(int))dlsym(library, "work") : NULL;
    if (!work || work(3) != 6 || dlclose(library) != 0) abort();
    if (!malloc((size_t)1 << (20 + i))) abort(); /* the next one comes to another place */
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
#endif
