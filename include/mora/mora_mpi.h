/* Marks made of MPI alone, for C and C++: seen by every tool that records messages, and by Mora without mora.h.
 *
 *     MORA_MESSAGE_BEGIN(id);    …    MORA_MESSAGE_END(id);       id from 0 to 65535, between MPI_Init and MPI_Finalize
 *
 * A mark is one MPI_Sendrecv of zero bytes to oneself, with the tag 0x0A(id)(AA) or 0x0A(id)(BB): the marks of the DVM
 * analyser (DVM system, Keldysh Institute), moved into the range that MPI allows (0xAA… is a negative tag). With an MPI
 * whose largest tag (MPI_TAG_UB) is smaller there are no marks. A mark costs a message; file and line are those of the
 * call (compile with -g). Thread-safe if MPI was initialised so.
 */
#ifndef MORA_MORA_MPI_H
#define MORA_MORA_MPI_H

#include <mpi.h>

#define MORA_MESSAGE_TAG_(id, last) (0x0A000000 | ((id)&0xffff) << 8 | (last))

/* The rank in MPI_COMM_SELF that a mark is sent to: 0, or MPI_PROC_NULL where the tag is not allowed. */
static __inline__ int mora_message_peer_(void) {
  int found = 0;
  void* largest = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  return found && *(int*)largest >= MORA_MESSAGE_TAG_(0xffff, 0xbb) ? 0 : MPI_PROC_NULL;
}

#define MORA_MESSAGE_MARK_(id, last)                                                                            \
  do {                                                                                                          \
    const int mora_peer_ = mora_message_peer_(), mora_tag_ = mora_peer_ == 0 ? MORA_MESSAGE_TAG_(id, last) : 0; \
    MPI_Sendrecv((void*)0, 0, MPI_BYTE, mora_peer_, mora_tag_, (void*)0, 0, MPI_BYTE, mora_peer_, mora_tag_,    \
                 MPI_COMM_SELF, MPI_STATUS_IGNORE);                                                             \
  } while (0)
#define MORA_MESSAGE_BEGIN(id) MORA_MESSAGE_MARK_(id, 0xaa)
#define MORA_MESSAGE_END(id) MORA_MESSAGE_MARK_(id, 0xbb)

#endif
