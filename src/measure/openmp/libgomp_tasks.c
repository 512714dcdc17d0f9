/* Tasks of GCC's OpenMP library: the function that a task executes is wrapped, as that is where its execution begins
 * and ends, on whichever thread and in whichever wait. The library never leaves a task in the middle: what a thread
 * executes while a task of its own waits stands on its stack, tied or not, so that executions are nested.
 *
 * A task's data stand behind what the wrapper needs, in one block that the library copies as it would copy the data, or
 * lets the program copy: what becomes of a task whose group is cancelled depends on that. */
#include <stdlib.h>
#include <string.h>

#include "measure/openmp/libgomp.h"

/* Stands in front of the data. The library writes into the first words of what it takes to be the data: the number of
 * an event (detach), or the part of the loop; and reads the third one, of a loop's reductions. */
struct task {
  uint64_t first_words[3];
  work_of* work;
  void* site;
  uint32_t offset; /* of the data */
  uint32_t given;  /* how many of the words are the library's */
};

typedef void copy_of(void* to, void* from);

/* What the library copies of a task whose data the program copies itself. */
struct source {
  struct task task;
  copy_of* copy;
  void* data;
};

/* A task that is executed at once is so above its block, and may make the next one there. GCC gives all but scalars a
 * copy, which takes none. */
enum { most_bytes_on_stack = 1 << 10 };
enum { flag_no_group = 1 << 11, flag_detach = 1 << 13 }; /* gomp-constants.h */

__thread uint64_t mora_gomp_task_ended;

static inline void* data_of(struct task* task) { return (char*)task + task->offset; }

static CALLS_PART void execute_task(void* given) {
  struct task* task = given;
  void* site = task->site;
  if (task->given) memcpy(data_of(task), task->first_words, task->given * sizeof *task->first_words);
  const unsigned around = mora_gomp_workshares;
  mora_gomp_workshares = 0;
  const int begun = mora_task_begin(site);
  task->work(data_of(task));
  if (begun) mora_gomp_task_ended = mora_task_end(begun, site);
  mora_gomp_workshares = around;
}

static void copy_task(void* to, void* from) {
  struct source* source = from;
  struct task* task = to;
  *task = source->task;
  if (task->given) memcpy(source->data, task->first_words, task->given * sizeof *task->first_words);
  source->copy(data_of(task), source->data);
}

struct block {
  void* data;
  copy_of* copy;
  long bytes, alignment;
};

static inline int is_asked(void) { return mora_teams_are_recorded() && !mora_runtime_tells; }

static inline struct task task_of(work_of* work, const void* data, long bytes, long alignment, void* site,
                                  unsigned given) {
  struct task task = {.work = work, .site = site, .given = given * 8 <= (unsigned long)bytes ? given : 0};
  task.offset = (uint32_t)((sizeof task + (unsigned long)alignment - 1) & ~((unsigned long)alignment - 1));
  if (bytes >= (long)sizeof task.first_words) memcpy(task.first_words, data, sizeof task.first_words);
  return task;
}

static inline long least_alignment(long alignment) {
  return alignment < (long)_Alignof(struct task) ? (long)_Alignof(struct task) : alignment;
}

/* Declares `block`, what the library is given instead of the program's, until `END_BLOCK`. */
#define BLOCK(given)                                                                           \
  const long aligned = least_alignment(alignment);                                             \
  struct source source = {task_of(work, data, bytes, aligned, site, given), copy, data};       \
  const unsigned long whole = source.task.offset + (unsigned long)bytes;                       \
  const unsigned long room = copy ? 1 : whole + (unsigned long)aligned;                        \
  char* const large = room > most_bytes_on_stack ? malloc(room) : NULL;                        \
  char on_stack[large ? 1 : room];                                                             \
  struct block block = {&source, copy_task, (long)whole, aligned};                             \
  if (!copy) {                                                                                 \
    char* const begin = large ? large : on_stack;                                              \
    block.data = begin + (-(uintptr_t)begin & ((uintptr_t)aligned - 1));                       \
    block.copy = NULL;                                                                         \
    memcpy(block.data, &source.task, sizeof source.task);                                      \
    if (bytes > 0) memcpy((char*)block.data + source.task.offset, data, (unsigned long)bytes); \
  }
#define END_BLOCK \
  if (large) free(large)

static __attribute__((noinline)) void make_task(work_of* work, void* data, copy_of* copy, long bytes, long alignment,
                                                _Bool is_deferred, unsigned flags, void** depend, int priority,
                                                void* event, void* site);

MORA_EXPORT void GOMP_task(work_of*, void*, copy_of*, long, long, _Bool, unsigned, void**, int, void*);
void GOMP_task(work_of* work, void* data, copy_of* copy, long bytes, long alignment, _Bool is_deferred, unsigned flags,
               void** depend, int priority, void* event) {
  if (is_asked())
    make_task(work, data, copy, bytes, alignment, is_deferred, flags, depend, priority, event, SITE);
  else
    REAL(GOMP_task)(work, data, copy, bytes, alignment, is_deferred, flags, depend, priority, event);
}

static void make_task(work_of* work, void* data, copy_of* copy, long bytes, long alignment, _Bool is_deferred,
                      unsigned flags, void** depend, int priority, void* event, void* site) {
  BLOCK((flags & flag_detach) != 0)
  REAL(GOMP_task)
  (execute_task, block.data, block.copy, block.bytes, block.alignment, is_deferred, flags, depend, priority, event);
  END_BLOCK;
}

/* A loop whose iterations become tasks. Unless it has no group, it waits for them. */
#define TASKLOOP(name, number)                                                                                         \
  static __attribute__((noinline)) void make_##name(work_of* work, void* data, copy_of* copy, long bytes,              \
                                                    long alignment, unsigned flags, unsigned long tasks, int priority, \
                                                    number start, number end, number step, void* site);                \
  MORA_EXPORT void name(work_of*, void*, copy_of*, long, long, unsigned, unsigned long, int, number, number, number);  \
  void name(work_of* work, void* data, copy_of* copy, long bytes, long alignment, unsigned flags, unsigned long tasks, \
            int priority, number start, number end, number step) {                                                     \
    if (is_asked())                                                                                                    \
      make_##name(work, data, copy, bytes, alignment, flags, tasks, priority, start, end, step, SITE);                 \
    else                                                                                                               \
      REAL(name)(work, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);                        \
  }                                                                                                                    \
  static void make_##name(work_of* work, void* data, copy_of* copy, long bytes, long alignment, unsigned flags,        \
                          unsigned long tasks, int priority, number start, number end, number step, void* site) {      \
    const uint64_t wait = flags & flag_no_group ? 0 : mora_gomp_now();                                                 \
    if (wait) WRITE(MORA_SYNC_TASKLOOP, MORA_SYNC_BEGIN, wait, 0, site, FRAME);                                        \
    BLOCK(2)                                                                                                           \
    REAL(name)                                                                                                         \
    (execute_task, block.data, block.copy, block.bytes, block.alignment, flags, tasks, priority, start, end, step);    \
    END_BLOCK;                                                                                                         \
    if (wait) WRITE(MORA_SYNC_TASKLOOP, MORA_SYNC_END, mora_sync_now(), 0, NULL, FRAME);                               \
  }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

WAIT(GOMP_taskwait, void, , MORA_SYNC_TASKWAIT, 0)
WAIT(GOMP_taskwait_depend, void** depend, depend, MORA_SYNC_TASKWAIT, 0)
WAIT(GOMP_taskgroup_end, void, , MORA_SYNC_TASKWAIT, 0)
