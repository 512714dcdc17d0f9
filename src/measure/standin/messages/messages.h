/* Point to point: messages that are really delivered (to oneself; of all ranks together, all), and receives. */
#ifndef MORA_MEASURE_STANDIN_MESSAGES_MESSAGES_H
#define MORA_MEASURE_STANDIN_MESSAGES_MESSAGES_H

#include "measure/standin/core/data.h"
#include "measure/standin/core/exchange.h"

/* A receive that was posted and is not done: `more` of its request. */
struct standin_receive {
  struct standin_receive_buffer into;
  struct standin_comm comm; /* a copy: the program may free the communicator first. Its lists are not used */
  int source, tag;
  int listed;                      /* waits for a message that will really be delivered */
  struct standin_request* request; /* NULL: given away by MPI_Request_free */
  struct standin_receive* next;
};

/* MPI_SUCCESS, or what is wrong with the arguments (not raised yet). */
int standin_check_message(const struct standin_comm* comm, int count, MPI_Datatype type, int peer, int tag,
                          int receives);
int standin_is_self(const struct standin_comm* comm, int peer);

/* Removes and returns the oldest message here that fits, or only shows it (take = 0). NULL: none. The caller frees it
 * (standin_message_received). */
struct standin_message* standin_message_here(const struct standin_comm* comm, int source, int tag, int take);

/* Sends a message. The caller has checked `peer`, which is not MPI_PROC_NULL. To this rank itself the message is kept
 * or delivered; to others it is remembered (assumed_messages.h) and, in rank 0, published (rank0_messages.h), or posted
 * to them, if all ranks run together. */
void standin_send_data(struct standin_comm* comm, const void* buffer, int count, MPI_Datatype type, int peer, int tag);
/* The same for a synchronous one. Returns what to settle (exchange.h); NULL: nothing is to be waited for. */
struct standin_pending* standin_send_synchronously(struct standin_comm* comm, const void* buffer, int count,
                                                   MPI_Datatype type, int peer, int tag);
/* Receives at once. Returns MPI_ERR_TRUNCATE or MPI_SUCCESS; ends the process if only this process could send and did
 * not. */
int standin_receive_now(struct standin_comm* comm, void* buffer, int count, MPI_Datatype type, int source, int tag,
                        MPI_Status* status);
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
/* The request of a call that only started something: complete, unless that is to be waited for (exchange.h). */
void standin_started_request(enum standin_request_kind kind, MPI_Request* handle);
/* Of all ranks together. 1: an active request is done now. */
int standin_request_has_come(struct standin_request* request);
struct standin_awaited standin_request_awaits(const struct standin_request* request);
/* Waits until a message that fits is here, and shows it. */
struct standin_message* standin_await_message(const struct standin_comm* comm, int source, int tag);
/* The next value of standin_request.started. */
uint64_t standin_next_start(void);

/* The text that polls give to standin_note. */
extern const char standin_arrival_is_guessed[];

#endif
