/* Groups made from groups, and questions about two of them. */
#include <stdlib.h>
#include <string.h>

#include "measure/standin/core/standin.h"

/* Position of each world rank in a list, -1 where it is not. Valid until the next call. */
static const int* positions(const int* ranks, int n) {
  static int* table;
  if (!table) table = standin_alloc((size_t)standin_world_size * sizeof *table);
  memset(table, -1, (size_t)standin_world_size * sizeof *table);
  for (int i = 0; i < n; i++) table[ranks[i]] = i;
  return table;
}

static int refuse(int code) { return standin_error(NULL, code); }

int standin_Group_translate_ranks(MPI_Group first, int n, const int ranks[], MPI_Group second, int translated[]) {
  int size, other_size;
  const int* members = standin_group_members(first, &size);
  const int* others = standin_group_members(second, &other_size);
  const int* place = positions(others, other_size);
  if (size == 0 || other_size == 0) { /* MPI_PROC_NULL too: so do both libraries, unlike MPI-3.1 6.3.1 */
    for (int i = 0; i < n; i++) translated[i] = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  for (int i = 0; i < n; i++) {
    if (ranks[i] == MPI_PROC_NULL) {
      translated[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= size) return refuse(MPI_ERR_RANK);
    translated[i] = place[members[ranks[i]]] < 0 ? MPI_UNDEFINED : place[members[ranks[i]]];
  }
  return MPI_SUCCESS;
}

int standin_Group_compare(MPI_Group first, MPI_Group second, int* result) {
  int n, m, same = 1, similar = 1;
  const int* a = standin_group_members(first, &n);
  const int* b = standin_group_members(second, &m);
  *result = MPI_UNEQUAL;
  if (n != m) return MPI_SUCCESS;
  const int* place = positions(b, m);
  for (int i = 0; i < n; i++) {
    same &= a[i] == b[i];
    similar &= place[a[i]] >= 0;
  }
  *result = same ? MPI_IDENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}

/* Those of `a` that are (keep 1) or are not (keep 0) in `b`, and then, for a union, those of `b` that are not in `a`.
 */
static int combine(MPI_Group first, MPI_Group second, int keep, int unite, MPI_Group* made) {
  int n, m, count = 0;
  const int* a = standin_group_members(first, &n);
  const int* b = standin_group_members(second, &m);
  int* out = standin_alloc(((size_t)n + (size_t)m) * sizeof *out);
  const int* place = positions(b, m);
  for (int i = 0; i < n; i++)
    if (unite || (place[a[i]] >= 0) == keep) out[count++] = a[i];
  if (unite) {
    place = positions(a, n);
    for (int i = 0; i < m; i++)
      if (place[b[i]] < 0) out[count++] = b[i];
  }
  *made = standin_group_new(out, count);
  free(out);
  return MPI_SUCCESS;
}

int standin_Group_union(MPI_Group a, MPI_Group b, MPI_Group* made) { return combine(a, b, 0, 1, made); }
int standin_Group_intersection(MPI_Group a, MPI_Group b, MPI_Group* made) { return combine(a, b, 1, 0, made); }
int standin_Group_difference(MPI_Group a, MPI_Group b, MPI_Group* made) { return combine(a, b, 0, 0, made); }

/* The chosen positions in their order (a position twice, which MPI forbids, passes as in the real libraries), or the
 * others in the group's. */
static int select_members(MPI_Group group, const int* chosen, int n, int include, MPI_Group* made) {
  int size, count = 0;
  const int* members = standin_group_members(group, &size);
  char* marked = standin_alloc((size_t)size);
  memset(marked, 0, (size_t)size);
  for (int i = 0; i < n; i++) {
    if (chosen[i] < 0 || chosen[i] >= size) {
      free(marked);
      return refuse(MPI_ERR_RANK);
    }
    marked[chosen[i]] = 1;
  }
  int* out = standin_alloc((size_t)(size > n ? size : n) * sizeof *out);
  if (include)
    for (int i = 0; i < n; i++) out[count++] = members[chosen[i]];
  else
    for (int i = 0; i < size; i++)
      if (!marked[i]) out[count++] = members[i];
  *made = standin_group_new(out, count);
  free(out);
  free(marked);
  return MPI_SUCCESS;
}

int standin_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* made) {
  return select_members(group, ranks, n, 1, made);
}
int standin_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* made) {
  return select_members(group, ranks, n, 0, made);
}

static int select_ranges(MPI_Group group, int n, int ranges[][3], int include, MPI_Group* made) {
  int size, count = 0;
  standin_group_members(group, &size);
  int* chosen = standin_alloc((size_t)size * sizeof *chosen);
  for (int i = 0; i < n; i++) {
    const int first = ranges[i][0], final = ranges[i][1], stride = ranges[i][2];
    if (stride == 0) {
      free(chosen);
      return refuse(MPI_ERR_ARG);
    }
    for (int rank = first; stride > 0 ? rank <= final : rank >= final; rank += stride) {
      if (rank < 0 || rank >= size || count == size) {
        free(chosen);
        return refuse(MPI_ERR_RANK);
      }
      chosen[count++] = rank;
    }
  }
  const int rc = select_members(group, chosen, count, include, made);
  free(chosen);
  return rc;
}

int standin_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* made) {
  return select_ranges(group, n, ranges, 1, made);
}
int standin_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* made) {
  return select_ranges(group, n, ranges, 0, made);
}
