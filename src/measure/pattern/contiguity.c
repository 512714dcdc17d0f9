/* A type is contiguous iff any number of its elements, one behind the other, is one run of bytes that is sent in the
 * order in which it lies: then nothing has to be copied before sending (why that matters: Kotomatas 2018, 3.3; the
 * rule: `contiguous-datatypes`, docs/rules.md). MPI's numbers alone do not decide it: size, extent and true extent are
 * equal also where the type map goes back and forth (a struct that lists its second field first) or visits a place
 * twice and leaves another out. So, where they are equal, the type is taken apart (MPI_Type_get_contents), part by
 * part, in the order of its type map: each part must begin where the one before it ended. Bytes before the first one do
 * not matter (a displacement of the whole is no copy), neither do lower and upper bounds but for the extent.
 *
 * Subarrays and distributed arrays ascend in memory and visit nothing twice: for them the numbers decide, once their
 * element is a run. Limit: MPICH's types with large counts are judged by their numbers alone. Cost: linear in the size
 * of the type's description; repeated parts are looked at twice only. Once per type, when it is first used. */
#include "measure/pattern/contiguity.h"

#include <sys/mman.h>

#include "measure/handles/handle_map.h"

/* The bytes of a type map so far: [first, end), or nothing. */
struct run {
  int64_t first, end;
  int some;
};

struct contents {
  int combiner, n_integers, n_addresses, n_types, known;
  int* integers;
  MPI_Aint* addresses;
  MPI_Datatype* types;
  size_t bytes;
};

static int is_leaf(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/* `known` 0: cannot be taken apart. */
static struct contents envelope_of(MPI_Datatype type) {
  struct contents c = {.combiner = MPI_COMBINER_NAMED};
#ifdef OPEN_MPI
  c.known = PMPI_Type_get_envelope(type, &c.n_integers, &c.n_addresses, &c.n_types, &c.combiner) == MPI_SUCCESS;
#else
  MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
  c.known =
      PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &c.combiner) == MPI_SUCCESS && large == 0;
  c.n_integers = (int)integers;
  c.n_addresses = (int)addresses;
  c.n_types = (int)types;
#endif
  return c;
}

static int open_contents(struct contents* c) {
  const size_t types = (size_t)c->n_types * sizeof *c->types, addresses = (size_t)c->n_addresses * sizeof *c->addresses;
  c->bytes = types + addresses + (size_t)c->n_integers * sizeof *c->integers + 8;
  char* memory = mora_grow(NULL, 0, c->bytes);
  if (!memory) return 0;
  c->types = (MPI_Datatype*)(void*)memory;
  c->addresses = (MPI_Aint*)(void*)(memory + (types + 7) / 8 * 8);
  return 1;
}

static void close_contents(struct contents* c) {
  for (int i = 0; i < c->n_types; i++) {
    const struct contents part = envelope_of(c->types[i]);
    if (!is_leaf(part.combiner)) PMPI_Type_free(&c->types[i]); /* handles of contents are new ones */
  }
  munmap(c->types, c->bytes);
}

static int append(struct run* run, MPI_Datatype type, int64_t at);

static int64_t extent_of(MPI_Datatype type) {
  MPI_Count low = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &low, &extent);
  return extent;
}

static int append_block(struct run* run, MPI_Datatype type, int64_t at, int64_t count) {
  if (count <= 0) return 1;
  if (!append(run, type, at)) return 0;
  if (count == 1) return 1;
  /* If the first two elements are a run, all are. */
  const int64_t extent = extent_of(type), before = run->end;
  if (!append(run, type, at + extent)) return 0;
  run->end += (count - 2) * (run->end - before);
  return 1;
}

static int append_leaf_by_numbers(struct run* run, MPI_Datatype type, int64_t at) {
  MPI_Count size = 0, low = 0, extent = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || PMPI_Type_get_true_extent_x(type, &low, &extent) != MPI_SUCCESS)
    return 0;
  if (size == 0) return 1;
  if (extent != size || (run->some && run->end != at + low)) return 0;
  if (!run->some) run->first = at + low;
  run->some = 1;
  run->end = at + low + size;
  return 1;
}

static int append_list(struct run* run, const struct contents* c, int64_t at, int count, const int* lengths, int each,
                       const int* displacements, int64_t unit, const MPI_Datatype* types) {
  for (int i = 0; i < count; i++) {
    const int64_t offset = displacements ? displacements[i] * unit : (int64_t)c->addresses[i];
    if (!append_block(run, types ? types[i] : c->types[0], at + offset, lengths ? lengths[i] : each)) return 0;
  }
  return 1;
}

static int append_vector(struct run* run, const struct contents* c, int64_t at, int64_t stride) {
  for (int i = 0; i < c->integers[0]; i++)
    if (!append_block(run, c->types[0], at + i * stride, c->integers[1])) return 0;
  return 1;
}

/* Appends the parts of a type; stops at the first gap, as the number of parts may be large. */
static int append_parts(struct run* run, MPI_Datatype type, const struct contents* c, int64_t at) {
  const int* n = c->integers;
  switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return append(run, c->types[0], at);
    case MPI_COMBINER_CONTIGUOUS:
      return append_block(run, c->types[0], at, n[0]);
    case MPI_COMBINER_VECTOR:
      return append_vector(run, c, at, n[2] * extent_of(c->types[0]));
    case MPI_COMBINER_HVECTOR:
      return append_vector(run, c, at, c->addresses[0]);
    case MPI_COMBINER_INDEXED:
      return append_list(run, c, at, n[0], n + 1, 0, n + 1 + n[0], extent_of(c->types[0]), 0);
    case MPI_COMBINER_HINDEXED:
      return append_list(run, c, at, n[0], n + 1, 0, 0, 0, 0);
    case MPI_COMBINER_INDEXED_BLOCK:
      return append_list(run, c, at, n[0], 0, n[1], n + 2, extent_of(c->types[0]), 0);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return append_list(run, c, at, n[0], 0, n[1], 0, 0, 0);
    case MPI_COMBINER_STRUCT:
      return append_list(run, c, at, n[0], n + 1, 0, 0, 0, c->types);
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY: {
      struct run element = {0, 0, 0};
      if (!append_block(&element, c->types[0], 0, 2)) return 0;
      return append_leaf_by_numbers(run, type, at);
    }
    default:
      return append_leaf_by_numbers(run, type, at);
  }
}

static int append(struct run* run, MPI_Datatype type, int64_t at) {
  struct contents c = envelope_of(type);
  if (!c.known || is_leaf(c.combiner) || !open_contents(&c)) return append_leaf_by_numbers(run, type, at);
  c.integers = (int*)(void*)((char*)c.addresses + (size_t)c.n_addresses * sizeof *c.addresses);
#ifdef OPEN_MPI
  const int rc = PMPI_Type_get_contents(type, c.n_integers, c.n_addresses, c.n_types, c.integers, c.addresses, c.types);
#else
  const int rc =
      PMPI_Type_get_contents_c(type, c.n_integers, c.n_addresses, 0, c.n_types, c.integers, c.addresses, NULL, c.types);
#endif
  if (rc != MPI_SUCCESS) {
    munmap(c.types, c.bytes);
    return append_leaf_by_numbers(run, type, at);
  }
  const int joined = append_parts(run, type, &c, at);
  close_contents(&c);
  return joined;
}

struct mora_type_shape mora_type_shape(MPI_Datatype type) {
  struct mora_type_shape shape = {0};
  MPI_Count size = 0, low = 0, extent = 0, true_low = 0, true_extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &low, &extent);
  PMPI_Type_get_true_extent_x(type, &true_low, &true_extent);
  const struct contents c = envelope_of(type);
  shape.size = size;
  shape.extent = extent;
  shape.combiner = c.combiner;
  shape.predefined = is_leaf(c.combiner);
  struct run run = {0, 0, 0};
  shape.contiguous = size == 0 || (extent == size && true_extent == size && append(&run, type, 0));
  return shape;
}
