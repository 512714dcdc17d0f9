/* An OpenMP library that is linked into the program, as a tool meets it: the library's functions are in the program's
 * file. One team of one thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

enum { parallel_begin = 3, parallel_end = 4, implicit_task = 7, sync_region = 23, callbacks = 64 };
enum { at_begin = 1, at_end = 2, barrier_of_parallel = 9 };

union data {
  uint64_t value;
  void* pointer;
};
typedef void (*callback_t)(void);
struct start_tool_result {
  int (*initialize)(callback_t (*lookup)(const char* name), int device, union data* tool);
  void (*finalize)(union data* tool);
  union data tool;
};

static callback_t set[callbacks];

static int set_callback(int event, callback_t callback) {
  if (event < callbacks) set[event] = callback;
  return 5;
}

static callback_t lookup(const char* name) {
  return strcmp(name, "ompt_set_callback") == 0 ? (callback_t)set_callback : NULL;
}

#define CALL(event, ...) ((void (*)())set[event])(__VA_ARGS__)
#define OWN_FRAME __attribute__((noinline))
#define KEPT __asm__ volatile("")

static OWN_FRAME void inner(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  KEPT;
}

static OWN_FRAME void main_omp_outlined(void) {
  inner();
  KEPT;
}

static OWN_FRAME void __kmp_invoke_microtask(void (*part)(void)) {
  part();
  KEPT;
}

static OWN_FRAME void __kmpc_fork_call(void (*part)(void)) {
  void* const site = __builtin_return_address(0);
  union data maker = {0}, team = {0}, task = {0};
  CALL(parallel_begin, &maker, (void*)0, &team, 1u, (int)0x80000001u, site);
  CALL(implicit_task, (int)at_begin, &team, &task, 1u, 0u, 2);
  __kmp_invoke_microtask(part);
  CALL(sync_region, (int)barrier_of_parallel, (int)at_begin, &team, &task, site);
  CALL(sync_region, (int)barrier_of_parallel, (int)at_end, &team, &task, site);
  CALL(implicit_task, (int)at_end, (void*)0, &task, 0u, 0u, 2);
  CALL(parallel_end, &team, &maker, (int)0x80000001u, site);
}

static OWN_FRAME void outer(void) {
  inner();
  __kmpc_fork_call(main_omp_outlined);
  KEPT;
}

int main(int argc, char** argv) {
  typedef struct start_tool_result* start_tool(unsigned, const char*);
  start_tool* const start = (start_tool*)dlsym(RTLD_DEFAULT, "ompt_start_tool");
  struct start_tool_result* const tool = start ? start(201811, "linked") : NULL;
  if (!tool || !tool->initialize(lookup, 0, &tool->tool)) return 1;
  MPI_Init(&argc, &argv);
  outer();
  MPI_Finalize();
  tool->finalize(&tool->tool);
  return 0;
}
