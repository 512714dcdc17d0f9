/* Stands for the runtime library of an accelerator, which does not exist where these tests run: -DPREFIX=cuda or hip.
 * What waits for the device sleeps as long as the kernels that were launched would take. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOINED(prefix, name) prefix##name
#define NAMED(prefix, name) JOINED(prefix, name)
#define DEVICE(name) NAMED(PREFIX, name)

static double queued; /* ms */

static void sleep_ms(double ms) {
  struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  nanosleep(&t, NULL);
}

int DEVICE(Malloc)(void** to, size_t bytes) { return (*to = malloc(bytes)) == NULL; }
int DEVICE(Free)(void* what) {
  free(what);
  return 0;
}
int DEVICE(Launch)(double ms) {
  queued += ms;
  return 0;
}
int DEVICE(DeviceSynchronize)(void) {
  sleep_ms(queued);
  queued = 0;
  return 0;
}
int DEVICE(StreamSynchronize)(void* stream) {
  (void)stream;
  return DEVICE(DeviceSynchronize)();
}
int DEVICE(EventSynchronize)(void* event) {
  (void)event;
  return 700; /* an error code is the program's affair */
}
int DEVICE(Memcpy)(void* to, const void* from, size_t bytes, int kind) {
  (void)kind;
  DEVICE(DeviceSynchronize)();
  memcpy(to, from, bytes);
  return 0;
}
