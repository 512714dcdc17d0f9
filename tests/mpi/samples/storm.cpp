// Everything at once that a sampling handler may stumble over: modules that come and go in two threads, memory,
// exceptions, fork; while another thread sends the signals some thousand times a second, as timers of processor time
// come no more often than the kernel's ticks. It ends, and says the same with and without samples.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::atomic<bool> is_over{false};
std::string plugin;
pthread_t main_thread;

long through_plugin(long x) {
  void* library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::abort();
  const auto function = reinterpret_cast<long (*)(long)>(dlsym(library, "plugged"));
  const long y = function(x);
  dlclose(library);
  return y;
}

__attribute__((noinline)) void deep(int depth, long x) {
  volatile char room[64];
  room[depth % 64] = static_cast<char>(x);
  if (depth == 0) throw std::runtime_error(std::to_string(x));
  deep(depth - 1, x + room[depth % 64] - static_cast<char>(x));
}

long caught(long x) {
  try {
    deep(20, x);
  } catch (const std::exception& e) {
    return std::atol(e.what());
  }
  return 0;
}

long allocated(long x) {
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.emplace_back(static_cast<std::size_t>(10 + i * 7), 'x');
  return x + static_cast<long>(texts.size()) - 50;
}

void* disturb(void*) {
  for (long x = 0; !is_over; ++x) allocated(through_plugin(x));
  return nullptr;
}

void* send_signals(void*) {
  const timespec pause{0, 200000};
  while (!is_over) {
    pthread_kill(main_thread, SIGRTMAX);
    pthread_kill(main_thread, SIGSTKFLT);
    nanosleep(&pause, nullptr);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  plugin = argv[1];
  main_thread = pthread_self();
  MPI_Barrier(MPI_COMM_WORLD);
  const char* rate = std::getenv("MORA_SAMPLE");
  pthread_t threads[2];
  int count = 0;
  pthread_create(&threads[count++], nullptr, disturb, nullptr);
  if (rate != nullptr && std::atoi(rate) > 0) pthread_create(&threads[count++], nullptr, send_signals, nullptr);
  long sum = 0;
  for (int i = 0; i < 1500; ++i) {
    sum += through_plugin(i) + caught(i) + allocated(i);
    if (i % 50 == 0) {
      const pid_t child = fork();
      if (child == 0) _exit(caught(7) == 7 ? 3 : 4);
      int status = 0;
      waitpid(child, &status, 0);
      sum += WEXITSTATUS(status);
    }
    if (i % 100 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  is_over = true;
  for (int i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
  std::printf("storm: %ld\n", sum);
  std::fflush(stdout);
  MPI_Finalize();
}
