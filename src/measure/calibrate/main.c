/* Measures one pair of ranks of each class of distance, one class after the other, then several pairs at once, then
 * computation. Ranks that are not measured sleep. Source: Mora's rule calibration-practice.
 *
 *     mora_calibrate RAW_FILE SECONDS SEED LARGEST_BYTES */
#include <stdlib.h>
#include <string.h>

#include "measure/calibrate/calibrate.h"

enum { class_count = 4 };
static const char* const classes[class_count] = {"same_core", "same_package", "same_node", "other_node"};

/* What has a time of its own to share: in hundredths of all. */
enum { of_computation = 3, of_collectives = 7, of_together = 15, of_windows = 40 /* of what is left for a class */ };

struct run {
  int rank, ranks;
  double ns;
  int64_t largest;
  uint64_t seed;
  struct mora_place* places;
  char* memory; /* three buffers */
  FILE* raw;    /* of rank 0 */
};

static char* buffer_of(const struct run* run, int number) {
  return run->memory + (size_t)number * ((size_t)run->largest + 8);
}

static int ranks_of_node(const struct run* run) {
  int n = 0;
  for (int r = 0; r < run->ranks; ++r) n += strcmp(run->places[r].host, run->places[0].host) == 0;
  return n;
}

/* Pairs are of rank 0, which writes the raw file. */
static void measure_class(const struct run* run, int c, int partner, int64_t duration) {
  struct mora_pair pair = {classes[c], run->rank,     0,           partner, buffer_of(run, 0), buffer_of(run, 1),
                           run->raw,   MPI_COMM_NULL, MPI_WIN_NULL};
  const int is_in = run->rank == 0 || run->rank == partner;
  mora_wait_for_all();
  MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, run->rank, &pair.comm);
  if (is_in) {
    mora_seed(run->seed + (uint64_t)c);
    const int64_t windows = duration * of_windows / 100;
    mora_measure_messages(&pair, duration - windows, run->largest);
    MPI_Win_create(buffer_of(run, 2), (MPI_Aint)run->largest + 8, 1, MPI_INFO_NULL, pair.comm, &pair.window);
    mora_measure_windows(&pair, windows, run->largest);
    MPI_Win_free(&pair.window);
    MPI_Comm_free(&pair.comm);
  }
  mora_wait_for_all();
}

static void measure(const struct run* run) {
  int partners[class_count], found = 0;
  for (int c = 0; c < class_count; ++c) {
    partners[c] = -1;
    for (int r = run->ranks - 1; r > 0; --r) {
      if (strcmp(mora_class_of(&run->places[0], &run->places[r]), classes[c]) == 0) partners[c] = r;
    }
    if (partners[c] > 0) ++found;
  }
  const double for_classes = run->ns * (100 - of_computation - of_collectives - of_together) / 100;
  for (int c = 0; c < class_count; ++c) {
    if (partners[c] > 0) measure_class(run, c, partners[c], (int64_t)(for_classes / found));
  }
  mora_seed(run->seed);
  for (int across = 0; across <= 1; ++across)
    mora_measure_together(run->places, run->ranks, across, (int64_t)(run->ns * of_together / 200), run->largest,
                          buffer_of(run, 0), run->raw);
  if (ranks_of_node(run) == run->ranks)
    mora_measure_collectives(run->ranks, (int64_t)(run->ns * of_collectives / 100), run->memory, run->largest,
                             run->raw);
  mora_measure_computation((int64_t)(run->ns * of_computation / 100), run->raw);
}

static void write_head(const struct run* run, const char* seed) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  library[strcspn(library, "\n,")] = 0;
  for (char* tab = library; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  fprintf(run->raw, "# mora-calibration 2\n# library,%s\n# ranks,%d\n# host,%s\n# seed,%s\n", library, run->ranks,
          run->places[0].host, seed);
  fprintf(run->raw, "# ranks_of_node,%d\n# processors_of_node,%d\n", ranks_of_node(run),
          mora_processors(run->places, run->ranks, &run->places[0]));
  fprintf(run->raw, "class,from,to,pass,test,bytes,ns\n");
}

int main(int argc, char** argv) {
  struct run run;
  memset(&run, 0, sizeof run);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  if (argc != 5 || run.ranks < 2) {
    if (run.rank == 0)
      fprintf(stderr, "mora_calibrate: %s\n", run.ranks < 2 ? "needs at least two ranks" : "four arguments");
    MPI_Finalize();
    return 2;
  }
  run.ns = atof(argv[2]) * 1e9;
  run.seed = strtoull(argv[3], NULL, 10);
  run.largest = atoll(argv[4]);
  struct mora_place own;
  run.places = malloc((size_t)run.ranks * sizeof *run.places);
  mora_own_place(&own);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, run.places, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  run.memory = malloc(3 * ((size_t)run.largest + 8));
  memset(run.memory, 1, 3 * ((size_t)run.largest + 8));
  run.raw = run.rank == 0 ? fopen(argv[1], "w") : NULL;
  int is_open = run.rank != 0 || run.raw != NULL;
  MPI_Bcast(&is_open, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!is_open) {
    if (run.rank == 0) fprintf(stderr, "mora_calibrate: cannot write %s\n", argv[1]);
    MPI_Finalize();
    return 3;
  }
  if (run.rank == 0) write_head(&run, argv[3]);
  measure(&run);
  int failed = 0;
  if (run.raw != NULL) {
    fprintf(run.raw, "# end\n");
    failed = ferror(run.raw) != 0;
    failed = fclose(run.raw) != 0 || failed;
  }
  free(run.memory);
  free(run.places);
  MPI_Finalize();
  return failed ? 3 : 0;
}
