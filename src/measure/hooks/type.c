/* Freed types lose their number: MPI gives their handles to new ones. */
#include "hooks.h"
#include "measure/call/threads.h"
#include "measure/pattern/datatypes.h"

void mora_pre_type_free(struct mora_call* call, MPI_Datatype* type) {
  (void)call;
  if (!mora_pattern) return;
  mora_threads_lock();
  mora_type_forget(*type); /* should MPI refuse to free it, it is defined anew */
  mora_threads_unlock();
}

void mora_post_type_free(struct mora_call* call, MPI_Datatype* type) {
  (void)type;
  mora_finish_plain(call);
}
