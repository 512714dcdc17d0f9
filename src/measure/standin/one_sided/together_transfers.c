/* Typed data at the target are the runs of bytes that its datatype covers: found by unpacking bytes of ones into
 * zeroes, so that MPI's own functions say what a type is. Only these runs are read and written. Operations are made on
 * elements of the predefined type that a datatype consists of, as MPI wants them. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "measure/standin/core/data.h"
#include "measure/standin/core/exchange.h"
#include "measure/standin/one_sided/together.h"
#include "measure/standin/one_sided/window_target.h"

enum { MOST_RUNS = 512 }; /* at a time; the system takes 1024 */

struct run {
  size_t at, bytes;
};

/* The memory of the target that a transfer covers, and a copy of it here. */
struct region {
  struct standin_window* window;
  int rank;
  char* address;       /* at the target, of the first byte */
  char *copy, *origin; /* origin: what MPI takes as the copy's address */
  struct run* runs;
  int n_runs;
  struct standin_typed type;
};

static void find_runs(struct region* region, size_t span, size_t bytes) {
  MPI_Aint offset;
  if (standin_is_plain(region->type.count, region->type.type, &offset)) {
    region->runs = standin_alloc(sizeof *region->runs);
    region->runs[region->n_runs++] = (struct run){0, bytes};
    return;
  }
  char* ones = standin_alloc(bytes);
  memset(ones, 0xff, bytes);
  memset(region->copy, 0, span);
  standin_unpack(region->origin, region->type.count, region->type.type, ones, bytes);
  free(ones);
  int room = 0;
  for (size_t at = 0; at < span;) {
    size_t end = at;
    while (end < span && region->copy[end]) end++;
    if (end > at) {
      if (region->n_runs == room) {
        room = 2 * room + 16;
        region->runs = realloc(region->runs, (size_t)room * sizeof *region->runs);
        if (!region->runs) standin_stop("no memory");
      }
      region->runs[region->n_runs++] = (struct run){at, end - at};
    }
    at = end + 1;
  }
}

/* 0: there is nothing to transfer. */
static int open_region(struct region* region, struct standin_window* window, int rank, MPI_Aint place,
                       struct standin_typed type) {
  const size_t bytes = standin_bytes(type.count, type.type);
  MPI_Aint lower = 0, extent = 0;
  memset(region, 0, sizeof *region);
  if (bytes == 0) return 0;
  PMPI_Type_get_true_extent(type.type, &lower, &extent);
  const size_t span = (size_t)(extent + (type.count - 1) * standin_extent(type.type));
  region->window = window;
  region->rank = rank;
  region->type = type;
  region->address = window->segments[rank].base + place * window->segments[rank].unit + lower;
  region->copy = standin_alloc(span);
  region->origin = region->copy - lower;
  find_runs(region, span, bytes);
  return 1;
}

static void close_region(struct region* region) {
  free(region->runs);
  free(region->copy);
}

static void copy_runs(const struct region* region, int writes) {
  const int world = region->window->comm.members[region->rank];
  const int is_here = world == standin_world_rank || region->window->creation;
  for (int first = 0; first < region->n_runs;) {
    struct iovec here[MOST_RUNS], there[MOST_RUNS];
    int n = 0;
    size_t total = 0;
    for (; n < MOST_RUNS && first < region->n_runs; n++, first++) {
      const struct run run = region->runs[first];
      here[n] = (struct iovec){region->copy + run.at, run.bytes};
      there[n] = (struct iovec){region->address + run.at, run.bytes};
      total += run.bytes;
      if (is_here)
        memcpy(writes ? there[n].iov_base : here[n].iov_base, writes ? here[n].iov_base : there[n].iov_base, run.bytes);
    }
    if (is_here) continue;
    const pid_t process = standin_process_of(world);
    const ssize_t done = writes ? process_vm_writev(process, here, (unsigned long)n, there, (unsigned long)n, 0)
                                : process_vm_readv(process, here, (unsigned long)n, there, (unsigned long)n, 0);
    if (done != (ssize_t)total)
      standin_stop("the memory of rank %d cannot be %s: %s", world, writes ? "written" : "read",
                   done < 0 ? strerror(errno) : "it ends there");
  }
}

static void read_region(const struct region* region) { copy_runs(region, 0); }
static void write_region(const struct region* region) { copy_runs(region, 1); }

static void origin_to_copy(const struct region* region, struct standin_typed origin) {
  standin_move(origin.buffer, origin.count, origin.type, region->origin, region->type.count, region->type.type);
}
static void copy_to_origin(const struct region* region, struct standin_typed origin) {
  standin_move(region->origin, region->type.count, region->type.type, origin.buffer, origin.count, origin.type);
}

static pthread_mutex_t* order_of(const struct region* region) {
  return &region->window->targets[region->rank].one_at_a_time;
}

int standin_together_put(struct standin_window* window, struct standin_typed origin, int rank, MPI_Aint place,
                         struct standin_typed target) {
  struct region region;
  if (!open_region(&region, window, rank, place, target)) return MPI_SUCCESS;
  origin_to_copy(&region, origin);
  write_region(&region);
  close_region(&region);
  return MPI_SUCCESS;
}

int standin_together_get(struct standin_window* window, struct standin_typed origin, int rank, MPI_Aint place,
                         struct standin_typed target) {
  struct region region;
  if (!open_region(&region, window, rank, place, target)) return MPI_SUCCESS;
  read_region(&region);
  copy_to_origin(&region, origin);
  close_region(&region);
  return MPI_SUCCESS;
}

/* ---- operations ---- */

/* The predefined type that a datatype consists of. */
static MPI_Datatype element_of(MPI_Datatype type) {
  int n_integers = 0, n_addresses = 0, n_types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner);
  if (combiner == MPI_COMBINER_NAMED || n_types == 0) return type;
  int* integers = standin_alloc((size_t)n_integers * sizeof *integers);
  MPI_Aint* addresses = standin_alloc((size_t)n_addresses * sizeof *addresses);
  MPI_Datatype* types = standin_alloc((size_t)n_types * sizeof *types);
  PMPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types);
  const MPI_Datatype element = element_of(types[0]);
  for (int i = 0; i < n_types; i++) {
    int unused = 0;
    PMPI_Type_get_envelope(types[i], &n_integers, &n_addresses, &unused, &combiner);
    if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&types[i]);
  }
  free(integers);
  free(addresses);
  free(types);
  return element;
}

/* copy = origin ∘ copy. */
static void apply(const struct region* region, struct standin_typed origin, MPI_Op op) {
  const size_t bytes = standin_bytes(region->type.count, region->type.type);
  const MPI_Datatype element = element_of(region->type.type);
  const int n = (int)(bytes / standin_bytes(1, element));
  char *packed = standin_alloc(bytes), *theirs = standin_alloc((size_t)n * (size_t)standin_extent(element)),
       *mine = standin_alloc((size_t)n * (size_t)standin_extent(element));
  standin_pack(region->origin, region->type.count, region->type.type, packed);
  standin_unpack(theirs, n, element, packed, bytes);
  standin_move(origin.buffer, origin.count, origin.type, mine, n, element);
  PMPI_Reduce_local(mine, theirs, n, element, op);
  standin_pack(theirs, n, element, packed);
  standin_unpack(region->origin, region->type.count, region->type.type, packed, bytes);
  free(packed);
  free(theirs);
  free(mine);
}

int standin_together_accumulate(struct standin_window* window, struct standin_typed origin,
                                const struct standin_typed* result, int rank, MPI_Aint place,
                                struct standin_typed target, MPI_Op op) {
  struct region region;
  if (!open_region(&region, window, rank, place, target)) return MPI_SUCCESS;
  pthread_mutex_lock(order_of(&region));
  if (result || op != MPI_REPLACE) read_region(&region);
  if (result) copy_to_origin(&region, *result);
  if (op == MPI_REPLACE)
    origin_to_copy(&region, origin);
  else if (op != MPI_NO_OP)
    apply(&region, origin, op);
  if (op != MPI_NO_OP) write_region(&region);
  pthread_mutex_unlock(order_of(&region));
  close_region(&region);
  return MPI_SUCCESS;
}

int standin_together_compare_and_swap(struct standin_window* window, const void* origin, const void* compare,
                                      void* result, MPI_Datatype type, int rank, MPI_Aint place) {
  struct region region;
  const struct standin_typed one = {NULL, 1, type};
  if (!open_region(&region, window, rank, place, one)) return MPI_SUCCESS;
  const size_t bytes = standin_bytes(1, type);
  pthread_mutex_lock(order_of(&region));
  read_region(&region);
  memcpy(result, region.copy, bytes);
  if (memcmp(region.copy, compare, bytes) == 0) {
    memcpy(region.copy, origin, bytes);
    write_region(&region);
  }
  pthread_mutex_unlock(order_of(&region));
  close_region(&region);
  return MPI_SUCCESS;
}
