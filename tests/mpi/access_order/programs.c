/* Small programs of one-sided communication for 4 processes: `programs valid` runs those that MPI allows, one after the
 * other, `programs NAME` one of them, or one that has conflicting accesses; without arguments it lists the latter. */
#include "programs.h"

int rank, size, value = 1, result, results[4], *memory, shared_memory[16];
MPI_Win win;

static int run(const struct program* programs, const char* name, int all) {
  int count = 0;
  for (; programs->name; ++programs, ++count) {
    if (!name || (!all && strcmp(name, programs->name) != 0)) continue;
    if (rank == 0) fprintf(stderr, "%s\n", programs->name);
    programs->run();
  }
  return count;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    printf("%d valid\n", run(valid_locks, NULL, 0) + run(valid_others, NULL, 0) + run(valid_epochs, NULL, 0));
    for (const struct program* p = conflicting; p->name; ++p) printf("%s\n", p->name);
    return 0;
  }
  const int all = strcmp(argv[1], "valid") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  run(valid_locks, argv[1], all);
  run(valid_others, argv[1], all);
  run(valid_epochs, argv[1], all);
  run(conflicting, argv[1], 0);
  MPI_Finalize();
  return 0;
}
