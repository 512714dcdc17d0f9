/* Packing and unpacking by MPI's own functions; contiguous data are copied directly (data.h). */
#include "measure/standin/core/data.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

size_t standin_bytes(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return (size_t)count * (size_t)size;
}

MPI_Aint standin_extent(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

int standin_is_plain(int count, MPI_Datatype type, MPI_Aint* offset) {
  MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  MPI_Count size = 0;
  *offset = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return 0;
  if (PMPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS) return 0;
  if (PMPI_Type_get_true_extent(type, &true_lower, &true_extent) != MPI_SUCCESS) return 0;
  *offset = true_lower;
  /* Without holes; a type map may still go backwards, which only predefined types surely do not. */
  if (true_extent != size || (count > 1 && extent != size)) return 0;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_DUP ||
         combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_INTEGER ||
         combiner == MPI_COMBINER_F90_COMPLEX;
}

/* Elements that PMPI_Pack takes at a time: its sizes are int. */
static int elements_at_a_time(size_t element) {
  const size_t most = (size_t)1 << 28;
  return element == 0 || element >= most ? 1 : (int)(most / element);
}

void standin_pack(const void* buffer, int count, MPI_Datatype type, void* bytes) {
  MPI_Aint offset;
  const size_t element = standin_bytes(1, type);
  if (count <= 0 || element == 0) return;
  if (standin_is_plain(count, type, &offset)) {
    memcpy(bytes, (const char*)buffer + offset, (size_t)count * element);
    return;
  }
  const MPI_Aint extent = standin_extent(type);
  const int step = elements_at_a_time(element);
  for (int at = 0; at < count; at += step) {
    const int n = count - at < step ? count - at : step;
    int position = 0;
    PMPI_Pack((const char*)buffer + at * extent, n, type, (char*)bytes + (size_t)at * element,
              (int)((size_t)n * element), &position, MPI_COMM_SELF);
  }
}

void standin_unpack(void* buffer, int count, MPI_Datatype type, const void* bytes, size_t n) {
  MPI_Aint offset;
  const size_t element = standin_bytes(1, type);
  if (count <= 0 || element == 0) return;
  if (n > (size_t)count * element) n = (size_t)count * element;
  if (standin_is_plain(count, type, &offset)) {
    if (n > 0) memmove((char*)buffer + offset, bytes, n);
    return;
  }
  const MPI_Aint extent = standin_extent(type);
  const int whole = (int)(n / element), step = elements_at_a_time(element);
  for (int at = 0; at < whole; at += step) {
    const int some = whole - at < step ? whole - at : step;
    int position = 0;
    PMPI_Unpack((const char*)bytes + (size_t)at * element, (int)((size_t)some * element), &position,
                (char*)buffer + at * extent, some, type, MPI_COMM_SELF);
  }
}

void standin_move(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type) {
  const size_t n = standin_bytes(from_count, from_type);
  MPI_Aint offset;
  if (n == 0 || to_count <= 0) return;
  if (standin_is_plain(from_count, from_type, &offset)) {
    standin_unpack(to, to_count, to_type, (const char*)from + offset, n);
    return;
  }
  void* bytes = standin_alloc(n);
  standin_pack(from, from_count, from_type, bytes);
  standin_unpack(to, to_count, to_type, bytes, n);
  free(bytes);
}

static void repeat(char* to, size_t room, const void* bytes, size_t n) {
  for (size_t at = 0; at < room; at += n) memcpy(to + at, bytes, room - at < n ? room - at : n);
}

void standin_fill(void* buffer, int count, MPI_Datatype type, const void* bytes, size_t n) {
  const size_t room = standin_bytes(count, type);
  MPI_Aint offset;
  if (room == 0) return;
  if (n >= room) {
    standin_unpack(buffer, count, type, bytes, room);
  } else if (standin_is_plain(count, type, &offset)) {
    char* to = (char*)buffer + offset;
    if (n > 0)
      repeat(to, room, bytes, n);
    else
      memset(to, 0, room);
  } else {
    char* all = standin_alloc(room);
    if (n > 0)
      repeat(all, room, bytes, n);
    else
      memset(all, 0, room);
    standin_unpack(buffer, count, type, all, room);
    free(all);
  }
}

void standin_set_status(MPI_Status* status, int source, int tag, size_t bytes, int cancelled) {
  if (status == MPI_STATUS_IGNORE) return;
  const int error = status->MPI_ERROR;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
  PMPI_Status_set_cancelled(status, cancelled);
  status->MPI_ERROR = error;
}

void standin_set_empty_status(MPI_Status* status) { standin_set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0); }

void standin_receive_buffer_set(struct standin_receive_buffer* into, void* buffer, int count, MPI_Datatype type,
                                int for_later) {
  MPI_Aint offset;
  into->capacity = standin_bytes(count, type);
  into->plain = standin_is_plain(count, type, &offset);
  into->buffer = (char*)buffer + (into->plain ? offset : 0);
  into->count = count;
  into->type = type;
  if (!into->plain && for_later && PMPI_Type_dup(type, &into->type) != MPI_SUCCESS)
    standin_stop("the MPI library gives no datatype");
  if (!for_later) into->plain |= 2; /* the type is the program's */
}

void standin_receive_buffer_fill(const struct standin_receive_buffer* into, const void* bytes, size_t n) {
  if (n > into->capacity) n = into->capacity;
  if (n == 0) return;
  if (into->plain & 1)
    memmove(into->buffer, bytes, n);
  else
    standin_unpack(into->buffer, into->count, into->type, bytes, n);
}

void standin_receive_buffer_zero(const struct standin_receive_buffer* into) {
  if (into->capacity == 0 || into->capacity > STANDIN_SMALL) return;
  if (into->plain & 1)
    memset(into->buffer, 0, into->capacity);
  else
    standin_fill(into->buffer, into->count, into->type, NULL, 0);
}

void standin_receive_buffer_free(struct standin_receive_buffer* into) {
  if (into->plain == 0) PMPI_Type_free(&into->type);
  into->plain = 1;
}
