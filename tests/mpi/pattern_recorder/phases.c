/* Phases and blocks that only a dry run skips; compiled with and without -fPIE, and as C++. Prints what ran. */
#include <mora/mora.h>
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
/* as a program written for MinI declares them; weak, because it is linked without a library here */
extern void mini_annotate_phase_start(char*) __attribute__((weak));
extern void mini_annotate_phase_end(char*) __attribute__((weak));
#ifdef __cplusplus
}
#endif

int main(int argc, char** argv) {
  char name[16];
  mora_phase_begin("too early"); /* counted */
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "round%d", i);
    mora_phase_begin(name);
    mora_phase_begin("inner");
    MPI_Barrier(MPI_COMM_SELF);
    mora_phase_end("inner");
    mora_phase_end(name);
  }
  if (mini_annotate_phase_start) {
    snprintf(name, sizeof name, "mini");
    mini_annotate_phase_start(name);
    mini_annotate_phase_end(name);
  }
  int n = 0;
  for (int i = 0; i < 4; i++) {
    if (i % 2 == 0) MORA_SKIP_BEGIN
    if (i == 2) continue; /* leaves the loop's body, not the block alone */
    n += 10;
    MORA_SKIP_END
    else n++;
  }
  printf("ran %d, dry run %d\n", n, mora_dry_run());
  MPI_Finalize();
  return 0;
}
