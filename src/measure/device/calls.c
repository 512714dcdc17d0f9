/* Calls of accelerators' libraries that may make the processor wait (NVIDIA, CUDA Runtime API and Driver API; AMD, HIP
 * API). They are forwarded as they come: streams and events are pointers, kinds of copies and answers integers in all
 * of them. Each is one record, whether it waited or not: there are few, and each costs microseconds. */
#define _GNU_SOURCE
#include <stddef.h>

#include "measure/call/library.h"

/* X(name, parameters, arguments, file that has it if it was loaded privately) */
#define RUNTIME_CALLS(X, prefix, file)                                                                       \
  X(prefix##DeviceSynchronize, (void), (), file)                                                             \
  X(prefix##StreamSynchronize, (void* stream), (stream), file)                                               \
  X(prefix##EventSynchronize, (void* event), (event), file)                                                  \
  X(prefix##Memcpy, (void* to, const void* from, size_t bytes, int kind), (to, from, bytes, kind), file)     \
  X(prefix##MemcpyAsync, (void* to, const void* from, size_t bytes, int kind, void* stream),                 \
    (to, from, bytes, kind, stream), file)                                                                   \
  X(prefix##Memcpy2D,                                                                                        \
    (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind), \
    (to, to_pitch, from, from_pitch, width, height, kind), file)                                             \
  X(prefix##Memset, (void* to, int value, size_t bytes), (to, value, bytes), file)                           \
  X(prefix##Malloc, (void** to, size_t bytes), (to, bytes), file)                                            \
  X(prefix##Free, (void* what), (what), file)

#define ALL_CALLS(X)                                                                                                \
  RUNTIME_CALLS(X, cuda, "libcudart.so")                                                                            \
  RUNTIME_CALLS(X, hip, "libamdhip64.so")                                                                           \
  X(cudaStreamSynchronize_ptsz, (void* stream), (stream), "libcudart.so")                                           \
  X(cudaMemcpy_ptds, (void* to, const void* from, size_t bytes, int kind), (to, from, bytes, kind), "libcudart.so") \
  X(cuCtxSynchronize, (void), (), "libcuda.so.1")                                                                   \
  X(cuStreamSynchronize, (void* stream), (stream), "libcuda.so.1")                                                  \
  X(cuEventSynchronize, (void* event), (event), "libcuda.so.1")                                                     \
  X(cuMemcpyHtoD_v2, (unsigned long long to, const void* from, size_t bytes), (to, from, bytes), "libcuda.so.1")    \
  X(cuMemcpyDtoH_v2, (void* to, unsigned long long from, size_t bytes), (to, from, bytes), "libcuda.so.1")

#define PLACE_OF(name, parameters, arguments, file) CALL_##name,
enum { ALL_CALLS(PLACE_OF) CALLS };

#define FUNCTION_OF(name, parameters, arguments, file) {#name, MORA_LIBRARY_DEVICE, 0},
static struct mora_library_function functions[] = {ALL_CALLS(FUNCTION_OF)};
static void* reals[CALLS];

enum { FIRST_NUMBER = 0xFD00, NO_DEVICE = 100 };

static void* find(unsigned which, const char* library) {
  void* real = __atomic_load_n(&reals[which], __ATOMIC_RELAXED);
  if (__builtin_expect(!real, 0)) {
    real = mora_look_for_next(functions[which].name, library);
    __atomic_store_n(&reals[which], real, __ATOMIC_RELAXED);
  }
  return real;
}

#define WRAPPER(name, parameters, arguments, file)                                                                    \
  MORA_EXPORT int name parameters;                                                                                    \
  int name parameters {                                                                                               \
    struct mora_call call;                                                                                            \
    int(*const real) parameters = (int(*) parameters)find(CALL_##name, file);                                         \
    if (!real) return NO_DEVICE;                                                                                      \
    if (!mora_library_begin(&call, &functions[CALL_##name], FIRST_NUMBER + CALL_##name, __builtin_return_address(0))) \
      return real arguments;                                                                                          \
    const int answer = real arguments;                                                                                \
    mora_returned(&call, MPI_SUCCESS);                                                                                \
    mora_finish_plain(&call);                                                                                         \
    return answer;                                                                                                    \
  }
ALL_CALLS(WRAPPER)
