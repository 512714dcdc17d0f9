/* Reductions: operands are combined in pairs of neighbouring ranks, then pairs of pairs and so on, as recursive
 * doubling does, which both libraries use for short vectors (with a number of ranks that is no power of two, the first
 * ranks are paired until it is one): so sums of floating-point numbers are mostly the same, digit by digit. Cost: one
 * operation for each operand. */
#include "measure/standin/collectives/exchange_call.h"

#include <stdlib.h>
#include <string.h>

#include "measure/standin/communicators/meeting.h"
#include "measure/standin/core/exchange.h"

struct given {
  const void* buffer;
  int count;
  MPI_Datatype type;
  int key;
};

struct taken {
  int number, part; /* part -1: the one with this rank as its key */
  int which;
  void* buffer;
  int count;
  MPI_Datatype type;
};

struct standin_exchange {
  struct standin_pending pending;
  struct standin_comm* comm;
  struct standin_meeting* meeting;
  struct given* given;
  struct taken* taken;
  int n_given, n_taken, keyed, alone, of_all, owns_types;
  int next; /* taken before it have come */
  struct standin_reduction reduction;
};

struct standin_exchange* standin_exchange_new(struct standin_comm* comm) {
  struct standin_exchange* call = standin_alloc(sizeof *call);
  memset(call, 0, sizeof *call);
  call->comm = comm;
  return call;
}

/* Arrays grow at powers of two. */
static void* room_for_one_more(void* array, int n, size_t bytes) {
  if ((n & (n - 1)) != 0) return array;
  void* larger = realloc(array, (size_t)(n > 0 ? 2 * n : 1) * bytes);
  if (!larger) standin_stop("no memory");
  return larger;
}

void standin_gives(struct standin_exchange* call, const void* buffer, int count, MPI_Datatype type, int key) {
  call->given = room_for_one_more(call->given, call->n_given, sizeof *call->given);
  call->given[call->n_given++] = (struct given){buffer, count, type, key};
  if (key != -1) call->keyed = 1;
}

static void takes(struct standin_exchange* call, struct taken taken) {
  call->taken = room_for_one_more(call->taken, call->n_taken, sizeof *call->taken);
  call->taken[call->n_taken++] = taken;
}
void standin_takes(struct standin_exchange* call, int number, int part, void* buffer, int count, MPI_Datatype type) {
  takes(call, (struct taken){number, part, 0, buffer, count, type});
}
void standin_takes_own(struct standin_exchange* call, int number, int which, void* buffer, int count,
                       MPI_Datatype type) {
  takes(call, (struct taken){number, -1, which, buffer, count, type});
}
void standin_gives_alone(struct standin_exchange* call) { call->alone = 1; }
void standin_takes_of_all(struct standin_exchange* call) { call->of_all = 1; }

void standin_reduces(struct standin_exchange* call, const struct standin_reduction* reduction) {
  call->reduction = *reduction;
}

/* ---- reductions ---- */

/* Elements as they stand in memory, where the real library reduces them. */
struct operand {
  char* room; /* of its own; NULL: it stands in a gift */
  char* origin;
};

static struct operand new_operand(int count, MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  struct operand made;
  PMPI_Type_get_true_extent(type, &lower, &extent);
  made.room = standin_alloc((size_t)(extent + (count > 0 ? count - 1 : 0) * standin_extent(type)));
  made.origin = made.room - lower;
  return made;
}

static struct operand operand_of(const struct standin_exchange* call, int number, int as_copy) {
  const int count = call->reduction.count;
  const MPI_Datatype type = call->reduction.type;
  size_t bytes = 0;
  MPI_Aint offset;
  struct standin_gift* gift = standin_gift_of(call->meeting, number);
  char* part = gift ? standin_gift_part(gift, 0, &bytes) : NULL;
  if (!as_copy && bytes == standin_bytes(count, type) && standin_is_plain(count, type, &offset))
    return (struct operand){NULL, part - offset};
  const struct operand made = new_operand(count, type);
  standin_unpack(made.origin, count, type, part, bytes);
  return made;
}

/* left ∘ right stands in `right` afterwards, which is one of its own. */
static void combine(const struct standin_exchange* call, struct operand left, struct operand right) {
  PMPI_Reduce_local(left.origin, right.origin, call->reduction.count, call->reduction.type, call->reduction.op);
  free(left.room);
}

/* The n-th of the operands that the tree combines: the first `pairs` ones are pairs of members. */
static struct operand leaf(const struct standin_exchange* call, int pairs, int n, int as_copy) {
  const int first = call->reduction.first;
  if (n >= pairs) return operand_of(call, first + pairs + n, as_copy);
  const struct operand right = operand_of(call, first + 2 * n + 1, 1);
  combine(call, operand_of(call, first + 2 * n, 0), right);
  return right;
}

static struct operand tree(const struct standin_exchange* call, int pairs, int first, int n, int as_copy) {
  if (n == 1) return leaf(call, pairs, first, as_copy);
  const struct operand right = tree(call, pairs, first + n / 2, n / 2, 1);
  combine(call, tree(call, pairs, first, n / 2, 0), right);
  return right;
}

static struct operand reduce(const struct standin_exchange* call) {
  int leaves = 1;
  while (2 * leaves <= call->reduction.n) leaves *= 2;
  return tree(call, call->reduction.n - leaves, 0, leaves, 1);
}

/* The last one's part: the result for all. */
static void reduce_for_all(struct standin_exchange* call) {
  const size_t bytes = standin_bytes(call->reduction.count, call->reduction.type);
  struct standin_gift* result = standin_gift_new(1, &bytes);
  size_t n;
  char* to = standin_gift_part(result, 0, &n);
  if (bytes > 0) {
    const struct operand made = reduce(call);
    standin_pack(made.origin, call->reduction.count, call->reduction.type, to);
    free(made.room);
  }
  standin_set_result(call->comm, call->meeting, result);
}

static void put_result(const struct standin_exchange* call) {
  const size_t element = call->reduction.buffer ? standin_bytes(1, call->reduction.type) : 0;
  if (!call->reduction.buffer || element == 0 || call->reduction.count == 0) return;
  const size_t begin = (size_t)call->reduction.begin * element;
  if (call->reduction.for_all) {
    size_t bytes;
    const char* all = standin_gift_part(standin_result(call->meeting), 0, &bytes);
    standin_unpack(call->reduction.buffer, call->reduction.taken, call->reduction.type, all + begin, bytes - begin);
    return;
  }
  const struct operand made = reduce(call);
  standin_move(made.origin + call->reduction.begin * standin_extent(call->reduction.type), call->reduction.taken,
               call->reduction.type, call->reduction.buffer, call->reduction.taken, call->reduction.type);
  free(made.room);
}

/* ---- taking ---- */

/* Predefined types stay, as predefined operations take no copies of them. */
static int combiner_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner;
}
static void keep_type(MPI_Datatype* type) {
  const int combiner = combiner_of(*type);
  if (combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_INTEGER &&
      combiner != MPI_COMBINER_F90_COMPLEX)
    PMPI_Type_dup(*type, type);
}
static void free_type(MPI_Datatype* type) {
  if (combiner_of(*type) == MPI_COMBINER_DUP) PMPI_Type_free(type);
}

static void take(const struct standin_exchange* call, const struct taken* taken) {
  struct standin_gift* gift = standin_gift_of(call->meeting, taken->number);
  int part = taken->part;
  size_t bytes;
  if (!gift) return;
  if (part < 0) {
    const char* keys = standin_gift_part(gift, gift->n - 1, &bytes);
    int which = taken->which, key;
    for (part = 0; part < gift->n - 1; part++) {
      memcpy(&key, keys + (size_t)part * sizeof key, sizeof key);
      if (key == call->comm->rank && which-- == 0) break;
    }
    if (part == gift->n - 1) return;
  }
  const char* from = standin_gift_part(gift, part, &bytes);
  if (bytes > 0) standin_unpack(taken->buffer, taken->count, taken->type, from, bytes);
}

static void finish(struct standin_exchange* call) {
  for (int i = 0; i < call->n_taken; i++) take(call, &call->taken[i]);
  put_result(call);
  standin_part_from(call->comm, call->meeting);
  if (call->owns_types) {
    for (int i = 0; i < call->n_taken; i++) free_type(&call->taken[i].type);
    if (call->reduction.n > 0) free_type(&call->reduction.type);
  }
  free(call->given);
  free(call->taken);
}

static int has_come(struct standin_pending* self) {
  struct standin_exchange* call = (struct standin_exchange*)self;
  while (call->next < call->n_taken && standin_has_come(call->meeting, call->taken[call->next].number)) call->next++;
  if (call->next < call->n_taken) return 0;
  if ((call->of_all || call->reduction.buffer) && !standin_all_have_come(call->comm, call->meeting)) return 0;
  if (call->reduction.buffer && call->reduction.for_all && !standin_result(call->meeting)) return 0;
  finish(call);
  return 1;
}

static struct standin_awaited awaited(const struct standin_pending* self) {
  const struct standin_exchange* call = (const struct standin_exchange*)self;
  int missing = call->next < call->n_taken ? call->taken[call->next].number : 0;
  while (call->next >= call->n_taken && missing < standin_members(call->comm) - 1 &&
         standin_has_come(call->meeting, missing))
    missing++;
  const struct standin_awaited rank = {standin_world_rank_of(call->comm, missing), -1,
                                       "waits in a collective call for rank"};
  return rank;
}

/* The program may free its types before the call is complete. */
static void keep_types(struct standin_exchange* call) {
  call->owns_types = 1;
  for (int i = 0; i < call->n_taken; i++) keep_type(&call->taken[i].type);
  if (call->reduction.n > 0) keep_type(&call->reduction.type);
}

static struct standin_gift* make_gift(const struct standin_exchange* call) {
  if (call->n_given == 0) return NULL;
  const int n = call->n_given + call->keyed;
  size_t* sizes = standin_alloc((size_t)n * sizeof *sizes);
  for (int i = 0; i < call->n_given; i++) sizes[i] = standin_bytes(call->given[i].count, call->given[i].type);
  if (call->keyed) sizes[n - 1] = (size_t)call->n_given * sizeof(int);
  struct standin_gift* gift = standin_gift_new(n, sizes);
  for (int i = 0; i < call->n_given; i++) {
    char* to = standin_gift_part(gift, i, &sizes[i]);
    if (sizes[i] > 0) standin_pack(call->given[i].buffer, call->given[i].count, call->given[i].type, to);
  }
  if (call->keyed) {
    char* to = standin_gift_part(gift, n - 1, &sizes[n - 1]);
    for (int i = 0; i < call->n_given; i++) memcpy(to + (size_t)i * sizeof(int), &call->given[i].key, sizeof(int));
  }
  free(sizes);
  return gift;
}

int standin_exchange_run(struct standin_exchange* call) {
  int is_last;
  call->pending = (struct standin_pending){has_come, awaited};
  struct standin_gift* gift = make_gift(call);
  if (standin_starts_only()) keep_types(call);
  call->meeting = standin_meet(call->comm, gift, call->alone, &is_last);
  if (is_last && call->reduction.for_all) reduce_for_all(call);
  return standin_settle(&call->pending);
}
