#include "measure/standin/assumed/rank0_messages.h"

#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/assumed/root_data.h"
#include "measure/standin/core/registry.h"
#include "measure/standin/core/shared.h"

enum { MOST_BYTES = 256, MOST_TO_ONE = 4096, MOST_IN_ALL = 65536 };

/* contribution: tag, length (low, high), 1 if data follow, data */
enum { TAG, LOW, HIGH, KNOWN, DATA };

static uint64_t key_of(const struct standin_comm* comm, int world_rank, uint32_t number) {
  return standin_hash(standin_hash(comm->identity ^ UINT64_C(0x746964696e6773), (uint64_t)world_rank + 1), number);
}

static struct mora_map published; /* (communicator, world rank) → messages so far */
static int in_all;

void standin_publish_rank0_message(const struct standin_comm* comm, int peer, int tag, const void* buffer, int count,
                                   MPI_Datatype type) {
  const int to = standin_world_rank == 0 && comm->remote_size == 0 ? standin_member(comm, peer) : -1;
  if (to <= 0) return;
  if (in_all >= MOST_IN_ALL || !standin_registry_has_room()) {
    standin_note("messages of rank 0 after the first 65536: other ranks do not know them");
    return;
  }
  const uint64_t channel = ((uint64_t)comm->id << 32 | (uint32_t)to) + 1;
  const struct mora_map_slot* slot = mora_map_find(&published, channel);
  const uint32_t number = slot ? (uint32_t)slot->value + 1 : 1;
  if (number > MOST_TO_ONE) {
    standin_note("messages of rank 0 after the first 4096 to a rank: it does not know them");
    return;
  }
  in_all++;
  if (!mora_map_set(&published, channel, number)) standin_stop("no memory");
  const size_t bytes = standin_bytes(count, type);
  int words[DATA + MOST_BYTES / 4] = {tag, (int)(uint32_t)bytes, (int)(bytes >> 32), bytes <= MOST_BYTES};
  if (words[KNOWN] && bytes > 0) standin_pack(buffer, count, type, words + DATA);
  standin_publish(key_of(comm, to, number), words, words[KNOWN] ? DATA + (int)((bytes + 3) / 4) : DATA);
}

/* Messages from rank 0 that were read from the registry and not received so far, per communicator. */
struct stream {
  uint32_t read;
  int over; /* rank 0 ended, or there are too many */
  int n, capacity;
  const struct standin_contribution** waiting;
};
static struct stream* streams;
static uint32_t n_streams;

static struct stream* stream_of(const struct standin_comm* comm) {
  if (comm->id >= n_streams) {
    const uint32_t n = comm->id * 2 + 16;
    streams = realloc(streams, n * sizeof *streams);
    if (!streams) standin_stop("no memory");
    memset(streams + n_streams, 0, (n - n_streams) * sizeof *streams);
    n_streams = n;
  }
  return &streams[comm->id];
}

static void keep(struct stream* stream, const struct standin_contribution* message) {
  if (stream->n == stream->capacity) {
    stream->capacity = stream->capacity * 2 + 8;
    stream->waiting = realloc(stream->waiting, (size_t)stream->capacity * sizeof *stream->waiting);
    if (!stream->waiting) standin_stop("no memory");
  }
  stream->waiting[stream->n++] = message;
}

int standin_next_rank0_message(const struct standin_comm* comm, int source, int tag, int take,
                               struct standin_rank0_message* message) {
  if (source < 0 || standin_world_rank == 0 || comm->remote_size > 0 || standin_member(comm, source) != 0) return 0;
  struct stream* stream = stream_of(comm);
  for (int i = 0;; i++) {
    if (i == stream->n) {
      const struct standin_contribution* next =
          stream->over || stream->read >= MOST_TO_ONE
              ? NULL
              : standin_wait_for_contribution(key_of(comm, standin_world_rank, stream->read + 1), 0,
                                              STANDIN_NEED_MESSAGE);
      if (!next) {
        stream->over = 1;
        standin_note(
            "receives from rank 0 of what it did not send, or not among the first messages (4096 to a rank, 65536 in "
            "all): data are unknown");
        return 0;
      }
      stream->read++;
      keep(stream, next);
    }
    const int* words = stream->waiting[i]->words;
    if (tag != MPI_ANY_TAG && words[TAG] != tag) continue;
    message->tag = words[TAG];
    message->bytes = (size_t)((uint64_t)(uint32_t)words[LOW] | (uint64_t)(uint32_t)words[HIGH] << 32);
    message->data = words[KNOWN] ? words + DATA : NULL;
    if (take)
      memmove(stream->waiting + i, stream->waiting + i + 1, (size_t)(--stream->n - i) * sizeof *stream->waiting);
    return 1;
  }
}
