#include "measure/openmp/teams.h"

#include <stdlib.h>
#include <string.h>

#include "measure/call/sampling.h"
#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/stack/walk.h"

int mora_teams_accepted;

int mora_teams_are_wanted(void) {
  const char* setting = getenv("MORA_OPENMP");
  return !mora_pattern && !(setting && strcmp(setting, "0") == 0);
}

void mora_teams_start(void) { __atomic_store_n(&mora_teams_accepted, mora_teams_are_wanted(), __ATOMIC_RELAXED); }

void mora_teams_stop(void) { __atomic_store_n(&mora_teams_accepted, 0, __ATOMIC_RELAXED); }

/* Whether the calling thread may write now; then the gate is shut until leave(). */
static inline int enter(void) {
  if (!mora_teams_are_recorded()) return 0;
  if (__builtin_expect(mora_self.gate != MORA_GATE_OPEN, 0) && (mora_self.gate == MORA_GATE_SHUT || !mora_gate_opens()))
    return 0;
  mora_self.gate = MORA_GATE_SHUT; /* what writing a chunk calls may be parallel itself */
  return 1;
}

static inline void leave(void) { mora_self.gate = mora_self.gate_resting; }

/* A record's head at `ticks`; samples that were taken before stand before it, those taken since then do not count. */
static inline uint64_t* record_at(uint64_t ticks, uint64_t end, uint64_t site) {
  if (__builtin_expect(mora_has_samples(), 0)) mora_samples_write(ticks);
  const uint64_t duration = end - ticks;
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = ticks;
  record[2] = (site & UINT64_C(0xffffffffffff)) | (duration >> 32 << 48);
  record[3] = duration << 32;
  return record;
}

static inline void write_team(enum mora_team_step step, uint64_t team, int threads, uint64_t site) {
  const uint64_t now = mora_ticks();
  if (__builtin_expect(mora_has_samples(), 0)) mora_samples_write(now);
  if (__builtin_expect(now >= mora_self.core_due, 0)) mora_core_read_here(now, step == MORA_TEAM_END);
  uint64_t* record = record_at(now, now, site);
  record[4] = mora_pair((int32_t)step, threads);
  record[5] = team;
  mora_publish_fact(record, 6, MORA_SHAPE_TEAM);
}

uint64_t mora_team_fork(unsigned threads, void* site, const void* own_frame) {
  if (!enter()) return 0;
  uint64_t team = 0;
  if (mora_threads_expect()) {
    struct mora_thread* self = mora_self.thread;
    team = ((uint64_t)self->number << MORA_THREAD_BITS) + ++self->teams;
    write_team(MORA_TEAM_FORK, team, (int)threads, mora_site_of(site, own_frame));
  }
  leave();
  return team;
}

void mora_team_join(uint64_t team) {
  mora_self.is_idle = 0;
  if (!enter()) return;
  write_team(MORA_TEAM_JOIN, team, 0, 0);
  leave();
}

int mora_team_begin(uint64_t team) {
  mora_self.is_idle = 0;
  if (!enter()) return 0;
  write_team(MORA_TEAM_BEGIN, team, 0, 0);
  leave();
  return 1;
}

void mora_team_end(uint64_t team) {
  mora_self.is_idle = 1;
  if (!enter()) return;
  write_team(MORA_TEAM_END, team, 0, 0);
  leave();
}

void* mora_called_at(void* site, const void* own_frame) {
  uint64_t addresses[MORA_STACK_DEEPEST + 1];
  if (!mora_stacks || !mora_stack_ends_at((uintptr_t)site) || !enter()) return site;
  const uint32_t number = mora_stack_number(own_frame, site);
  leave();
  const unsigned count = number ? mora_stack_addresses(number, addresses, MORA_STACK_DEEPEST + 1) : 0;
  unsigned i = 0;
  while (i < count && mora_stack_ends_at(addresses[i])) i++;
  return i < count ? (void*)(uintptr_t)addresses[i] : site;
}

uint64_t mora_sync_now(void) {
  if (mora_self.gate != MORA_GATE_OPEN || !mora_teams_are_recorded()) return 0;
  return mora_ticks();
}

static inline void write_sync(enum mora_sync kind, enum mora_sync_step step, uint64_t begin, uint64_t end,
                              uint64_t object, uint64_t site) {
  uint64_t* record = record_at(begin, end, site);
  record[4] = mora_pair((int32_t)kind, (int32_t)step);
  record[5] = object;
  mora_publish_fact(record, 6, MORA_SHAPE_SYNC);
}

/* A runtime that tells by itself waits for a taskloop's tasks behind it. */
static int is_wait(enum mora_sync kind) {
  return kind == MORA_SYNC_BARRIER || kind == MORA_SYNC_IMPLICIT_BARRIER || kind == MORA_SYNC_TASKWAIT ||
         (kind == MORA_SYNC_TASKLOOP && !mora_runtime_tells);
}

void mora_sync_write(enum mora_sync kind, enum mora_sync_step step, uint64_t begin, uint64_t object, void* site,
                     const void* own_frame) {
  if (is_wait(kind)) mora_self.is_idle = step == MORA_SYNC_BEGIN;
  if (!enter()) return;
  const uint64_t end = step == MORA_SYNC_ACQUIRED ? mora_ticks() : begin;
  write_sync(kind, step, begin, end, object, site ? mora_site_of(site, own_frame) : 0);
  leave();
}

/* What a task interrupts is waiting, unless the thread that makes the task executes it at once. */
enum { recorded = 1, was_idle = 2 };

int mora_task_begin(void* site) {
  if (!enter()) return 0;
  const uint64_t now = mora_ticks();
  write_sync(MORA_SYNC_TASK, MORA_SYNC_BEGIN, now, now, 0, (uintptr_t)site);
  const int state = recorded | (mora_self.is_idle ? was_idle : 0);
  mora_self.is_idle = 0;
  leave();
  return state;
}

uint64_t mora_task_end(int begun, void* site) {
  uint64_t now = 0;
  if (enter()) {
    now = mora_ticks();
    write_sync(MORA_SYNC_TASK, MORA_SYNC_END, now, now, 0, (uintptr_t)site);
    leave();
  }
  mora_self.is_idle = (begun & was_idle) != 0;
  return now;
}
