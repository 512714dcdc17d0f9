/* What libmora_processes-<mpi>.so offers: the few operations of an MPI job that the MPI carrier needs, so that mora
 * itself links no MPI. C only; every function returns 0 or an MPI error code; one thread calls. */
#ifndef MORA_PROCESSES_MODULE_H
#define MORA_PROCESSES_MODULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One message: at most MORA_PIECE_BYTES. Pieces between two processes match in the order given on both sides. */
struct mora_piece {
  int peer;
  void* data;
  uint64_t bytes;
};
#define MORA_PIECE_BYTES (UINT64_C(1) << 30)

struct mora_processes {
  uint32_t version; /* MORA_PROCESSES_VERSION */
  /* MPI_Init_thread, unless MPI is initialised already. */
  int (*start)(int* rank, int* size);
  /* `bytes` (the same on all, at most MORA_PIECE_BYTES) of each process, by rank, to all. */
  int (*all_gather)(const void* own, uint64_t bytes, void* all);
  /* Sends and receives all pieces; returns when all are done. Sleeps while it waits for long. */
  int (*transfer)(const struct mora_piece* sends, uint64_t send_count, const struct mora_piece* receives,
                  uint64_t receive_count);
  int (*finish)(void);       /* MPI_Finalize */
  void (*abandon)(int code); /* MPI_Abort: ends all processes of the job */
  /* Words for an error code; `text` has room for 512 bytes. */
  void (*explain)(int code, char* text);
};
#define MORA_PROCESSES_VERSION 1U

/* The one exported symbol. */
const struct mora_processes* mora_processes_module(void);

#ifdef __cplusplus
}
#endif
#endif
