/* Point to point: messages to oneself, which are really delivered, and receives. */
#ifndef MORA_MEASURE_STANDIN_MESSAGES_H
#define MORA_MEASURE_STANDIN_MESSAGES_H

#include "measure/standin/data.h"

/* A message from this process to itself that was not received yet. */
struct standin_message {
  uint32_t comm;
  int tag;
  size_t size;
  struct standin_message* next;
  char bytes[];
};

/* A receive that was posted and is not done: `more` of its request. */
struct standin_receive {
  struct standin_receive_buffer into;
  struct standin_comm comm; /* a copy: the program may free the communicator first. Its lists are not used */
  int source, tag;
  int listed;                      /* waits for a message from oneself */
  struct standin_request* request; /* NULL: given away by MPI_Request_free */
  struct standin_receive* next;
};

/* MPI_SUCCESS, or what is wrong with the arguments (not raised yet). */
int standin_check_message(const struct standin_comm* comm, int count, MPI_Datatype type, int peer, int tag,
                          int receives);
int standin_is_self(const struct standin_comm* comm, int peer);

/* Removes and returns the oldest message to oneself that fits, or only shows it (take = 0). NULL: none. The caller
 * frees it. */
struct standin_message* standin_message_to_self(const struct standin_comm* comm, int source, int tag, int take);

/* Sends a message. The caller has checked `peer`, which is not MPI_PROC_NULL. To this rank itself the message is kept
 * or delivered; to others it is remembered (assumed_messages.h) and, in rank 0, published (rank0_messages.h). */
void standin_send_data(const char* function, struct standin_comm* comm, const void* buffer, int count,
                       MPI_Datatype type, int peer, int tag);
/* Receives at once. Returns MPI_ERR_TRUNCATE or MPI_SUCCESS; ends the process if only this process could send and did
 * not. */
int standin_receive_now(const char* function, struct standin_comm* comm, void* buffer, int count, MPI_Datatype type,
                        int source, int tag, MPI_Status* status);
/* Starts an active request of kind STANDIN_RECV. */
void standin_receive_post(struct standin_request* request, struct standin_comm* comm, void* buffer, int count,
                          MPI_Datatype type, int source, int tag);
/* Completes an active receive. 1: it is done. 0: it waits for a message from this process itself. */
int standin_receive_complete(struct standin_request* request);
/* What standin_receive_complete would return; nothing is completed. */
int standin_receive_is_ready(const struct standin_request* request);
/* 1: a test finds the receive complete. Of receives from MPI_ANY_SOURCE as many are found as messages are unanswered
 * (assumed_messages.h), and every thousandth time one more (probe.c says why); of any tag every millionth time. */
int standin_receive_has_come(const struct standin_request* request);
/* For request->release: the request is freed; the receive stays if it waits for a message from this process. */
void standin_receive_forget(struct standin_request* request);
void standin_receive_cancel(struct standin_request* request);

/* Makes a request that is complete already; *handle is its handle. */
struct standin_request* standin_done_request(enum standin_request_kind kind, MPI_Request* handle);
/* The next value of standin_request.started. */
uint64_t standin_next_start(void);

/* The text that polls give to standin_note. */
extern const char standin_arrival_is_guessed[];

#endif
