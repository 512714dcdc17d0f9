/* One-sided operations. Those to this rank itself are done by the real library. Of other ranks the same is assumed as
 * of messages (assumed_messages.h): they hold what this rank holds and do to it what it does to them. So what is put or
 * accumulated elsewhere also arrives at the same place of the own window, and what is got elsewhere is the own
 * window's; where the own window is too small, or memory is attached by address, puts go nowhere and gets give zeroes
 * (up to 64 KiB, larger buffers stay).
 *
 * MPI_Fetch_and_op and MPI_Compare_and_swap at another rank are about counters and locks that many change: each such
 * element is kept for itself (first the own window's, else zero), and a fetch adds what all ranks would add meanwhile:
 * tickets of a common counter go up by the number of ranks, so this rank draws its share of them.
 *
 * Of all ranks together everything is real (together.h). */
#include <stdlib.h>
#include <string.h>

#include "measure/standin/collectives/reductions.h"
#include "measure/standin/core/data.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/messages/messages.h"
#include "measure/standin/one_sided/together.h"
#include "measure/standin/one_sided/window.h"

static int check(const struct standin_window* window, int count, MPI_Datatype type, int target) {
  int wrong = MPI_SUCCESS;
  if (count < 0) wrong = MPI_ERR_COUNT;
  if (type == MPI_DATATYPE_NULL) wrong = MPI_ERR_TYPE;
  if (target != MPI_PROC_NULL && (target < 0 || target >= window->comm.size)) wrong = MPI_ERR_RANK;
  return wrong == MPI_SUCCESS ? wrong : standin_error(NULL, wrong);
}

/* 1: the access may be made to the own window. */
static int is_inside(const struct standin_window* window, int target, MPI_Aint place, int count, MPI_Datatype type) {
  if (target == window->comm.rank) return 1;
  if (window->dynamic || count == 0) return 0;
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_true_extent(type, &lower, &extent);
  const MPI_Aint first = place * window->unit + lower, last = first + extent + (count - 1) * standin_extent(type);
  return place >= 0 && first >= 0 && last <= window->size;
}

static struct standin_shadow* shadow_of(const struct standin_window* window, int target, MPI_Aint place) {
  struct standin_shadow* shadow = window->shadows;
  while (shadow && (shadow->target != target || shadow->place != place)) shadow = shadow->next;
  return shadow;
}

static int flushed(const struct standin_window* window, int rc) {
  return rc == MPI_SUCCESS ? PMPI_Win_flush(0, window->handle) : rc;
}

/* What is written over or added to an element that is kept for itself. */
static void change_shadow(const struct standin_window* window, const void* origin, int origin_count,
                          MPI_Datatype origin_type, int target, MPI_Aint place, MPI_Datatype type, MPI_Op op) {
  struct standin_shadow* shadow = shadow_of(window, target, place);
  if (!shadow || origin_count < 1 || standin_bytes(1, type) != shadow->n ||
      standin_bytes(origin_count, origin_type) < shadow->n)
    return;
  if (op == MPI_NO_OP) return;
  char* all = standin_alloc(standin_bytes(origin_count, origin_type));
  standin_pack(origin, origin_count, origin_type, all);
  if (op == MPI_REPLACE)
    memcpy(shadow->bytes, all, shadow->n);
  else
    PMPI_Reduce_local(all, shadow->bytes, 1, type, op);
  free(all);
}

static struct standin_typed side(const void* buffer, int count, MPI_Datatype type) {
  const struct standin_typed it = {(void*)(uintptr_t)buffer, count, type};
  return it;
}

static int put(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint place, int count,
               MPI_Datatype type, struct standin_window* window) {
  const int wrong = check(window, count, type, target);
  if (wrong != MPI_SUCCESS || target == MPI_PROC_NULL) return wrong;
  if (standin_plan.together)
    return standin_together_put(window, side(origin, origin_count, origin_type), target, place,
                                side(NULL, count, type));
  if (target != window->comm.rank && window->shadows)
    change_shadow(window, origin, origin_count, origin_type, target, place, type, MPI_REPLACE);
  if (!is_inside(window, target, place, count, type)) return MPI_SUCCESS;
  return flushed(window, PMPI_Put(origin, origin_count, origin_type, 0, place, count, type, window->handle));
}

static int get(void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint place, int count,
               MPI_Datatype type, struct standin_window* window) {
  const int wrong = check(window, count, type, target);
  if (wrong != MPI_SUCCESS || target == MPI_PROC_NULL) return wrong;
  if (standin_plan.together)
    return standin_together_get(window, side(origin, origin_count, origin_type), target, place,
                                side(NULL, count, type));
  const struct standin_shadow* shadow = target != window->comm.rank ? shadow_of(window, target, place) : NULL;
  if (shadow && standin_bytes(count, type) == shadow->n) {
    standin_unpack(origin, origin_count, origin_type, shadow->bytes, shadow->n);
    return MPI_SUCCESS;
  }
  if (is_inside(window, target, place, count, type))
    return flushed(window, PMPI_Get(origin, origin_count, origin_type, 0, place, count, type, window->handle));
  if (standin_bytes(origin_count, origin_type) <= STANDIN_SMALL)
    standin_fill(origin, origin_count, origin_type, NULL, 0);
  return MPI_SUCCESS;
}

static int accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint place,
                      int count, MPI_Datatype type, MPI_Op op, struct standin_window* window) {
  const int wrong = check(window, count, type, target);
  if (wrong != MPI_SUCCESS || target == MPI_PROC_NULL) return wrong;
  if (standin_plan.together)
    return standin_together_accumulate(window, side(origin, origin_count, origin_type), NULL, target, place,
                                       side(NULL, count, type), op);
  if (target != window->comm.rank && window->shadows)
    change_shadow(window, origin, origin_count, origin_type, target, place, type, op);
  if (!is_inside(window, target, place, count, type)) return MPI_SUCCESS;
  return flushed(window, PMPI_Accumulate(origin, origin_count, origin_type, 0, place, count, type, op, window->handle));
}

static int get_accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, void* result,
                          int result_count, MPI_Datatype result_type, int target, MPI_Aint place, int count,
                          MPI_Datatype type, MPI_Op op, struct standin_window* window) {
  const int wrong = check(window, count, type, target);
  if (wrong != MPI_SUCCESS || target == MPI_PROC_NULL) return wrong;
  if (standin_plan.together) {
    const struct standin_typed before = side(result, result_count, result_type);
    return standin_together_accumulate(window, side(origin, origin_count, origin_type), &before, target, place,
                                       side(NULL, count, type), op);
  }
  if (is_inside(window, target, place, count, type))
    return flushed(window, PMPI_Get_accumulate(origin, origin_count, origin_type, result, result_count, result_type, 0,
                                               place, count, type, op, window->handle));
  if (standin_bytes(result_count, result_type) <= STANDIN_SMALL)
    standin_fill(result, result_count, result_type, NULL, 0);
  return MPI_SUCCESS;
}

/* The element at another rank. NULL: of no size that we keep. */
static struct standin_shadow* element(struct standin_window* window, int target, MPI_Aint place, MPI_Datatype type) {
  struct standin_shadow* shadow = shadow_of(window, target, place);
  const size_t n = standin_bytes(1, type);
  if (shadow && shadow->n == n) return shadow;
  if (n > sizeof shadow->bytes) return NULL;
  if (!shadow) {
    shadow = standin_alloc(sizeof *shadow);
    memset(shadow, 0, sizeof *shadow);
    shadow->target = target;
    shadow->place = place;
    shadow->next = window->shadows;
    window->shadows = shadow;
    if (is_inside(window, target, place, 1, type) && window->base)
      memcpy(shadow->bytes, window->base + place * window->unit, n);
  }
  shadow->n = n;
  return shadow;
}

int standin_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op,
                         struct standin_window* window) {
  const int wrong = check(window, 1, type, target);
  if (wrong != MPI_SUCCESS || target == MPI_PROC_NULL) return wrong;
  if (standin_plan.together) {
    const struct standin_typed before = side(result, 1, type);
    return standin_together_accumulate(window, side(origin, 1, type), &before, target, place, side(NULL, 1, type), op);
  }
  if (target == window->comm.rank)
    return flushed(window, PMPI_Fetch_and_op(origin, result, type, 0, place, op, window->handle));
  struct standin_shadow* shadow = element(window, target, place, type);
  if (!shadow) return MPI_SUCCESS;
  memcpy(result, shadow->bytes, shadow->n);
  if (op == MPI_NO_OP) return MPI_SUCCESS;
  if (op == MPI_REPLACE) {
    memcpy(shadow->bytes, origin, shadow->n);
    return MPI_SUCCESS;
  }
  char all[sizeof shadow->bytes];
  standin_power(origin, all, 1, type, op, window->comm.size);
  return PMPI_Reduce_local(all, shadow->bytes, 1, type, op);
}

int standin_Compare_and_swap(const void* origin, const void* compare, void* result, MPI_Datatype type, int target,
                             MPI_Aint place, struct standin_window* window) {
  const int wrong = check(window, 1, type, target);
  if (wrong != MPI_SUCCESS || target == MPI_PROC_NULL) return wrong;
  if (standin_plan.together)
    return standin_together_compare_and_swap(window, origin, compare, result, type, target, place);
  if (target == window->comm.rank)
    return flushed(window, PMPI_Compare_and_swap(origin, compare, result, type, 0, place, window->handle));
  struct standin_shadow* shadow = element(window, target, place, type);
  if (!shadow) return MPI_SUCCESS;
  memcpy(result, shadow->bytes, shadow->n);
  if (memcmp(shadow->bytes, compare, shadow->n) == 0) memcpy(shadow->bytes, origin, shadow->n);
  return MPI_SUCCESS;
}

int standin_Put(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint place, int count,
                MPI_Datatype type, struct standin_window* window) {
  return put(origin, origin_count, origin_type, target, place, count, type, window);
}

int standin_Get(void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint place, int count,
                MPI_Datatype type, struct standin_window* window) {
  return get(origin, origin_count, origin_type, target, place, count, type, window);
}

int standin_Accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint place,
                       int count, MPI_Datatype type, MPI_Op op, struct standin_window* window) {
  return accumulate(origin, origin_count, origin_type, target, place, count, type, op, window);
}

int standin_Get_accumulate(const void* origin, int origin_count, MPI_Datatype origin_type, void* result,
                           int result_count, MPI_Datatype result_type, int target, MPI_Aint place, int count,
                           MPI_Datatype type, MPI_Op op, struct standin_window* window) {
  return get_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target, place, count,
                        type, op, window);
}
