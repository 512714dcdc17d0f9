/// Loading the module of the MPI that started this process, and its operations with errors as Result. The environment
/// variables are those that Open MPI 4.1's and MPICH 4.0's launchers set.
#include "analysis/carrier/processes.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/carrier/processes_module.h"
#include "base/file.h"

namespace mora::analysis {

namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

class MpiProcesses : public Processes {
 public:
  explicit MpiProcesses(const mora_processes& module) : module_(module) {}

  Result<void> start() { return check(module_.start(&rank_, &size_), "cannot start MPI"); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Result<std::vector<std::byte>> all_gather(const std::byte* own, std::size_t bytes) override {
    std::vector<std::byte> all(bytes * static_cast<std::size_t>(size_));
    MORA_CHECK_OK(check(module_.all_gather(own, bytes, all.data()), "the processes of the analysis lost each other"));
    return all;
  }
  Result<void> transfer(std::vector<Piece> sends, std::vector<Piece> receives) override {
    const auto out = as_module(sends);
    const auto in = as_module(receives);
    return check(module_.transfer(out.data(), out.size(), in.data(), in.size()),
                 "the processes of the analysis lost each other");
  }
  Result<void> finish() override { return check(module_.finish(), "cannot end MPI"); }
  void abandon(int code) override { module_.abandon(code); }

 private:
  static std::vector<mora_piece> as_module(const std::vector<Piece>& whole) {
    std::vector<mora_piece> pieces;
    for (const Piece& p : cut_pieces(whole, MORA_PIECE_BYTES)) pieces.push_back(mora_piece{p.peer, p.data, p.bytes});
    return pieces;
  }
  Result<void> check(int code, const char* what) const {
    if (code == 0) return {};
    char text[512] = "";
    module_.explain(code, text);
    return fail(ErrorKind::system, what, "process " + std::to_string(rank_), text,
                "run the analysis again, or in one process: --carrier thread");
  }
  const mora_processes& module_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

Launched launched_by() {
  if (const int size = number_in("OMPI_COMM_WORLD_SIZE"); size > 0) return {"openmpi", size};
  if (const int size = number_in("PMI_SIZE"); size > 0 && std::getenv("PMI_RANK") != nullptr) return {"mpich", size};
  return {};
}

std::vector<Processes::Piece> cut_pieces(const std::vector<Processes::Piece>& whole, std::uint64_t most) {
  std::vector<Processes::Piece> pieces;
  for (const Processes::Piece& piece : whole) {
    for (std::uint64_t at = 0; at < piece.bytes; at += most) {
      pieces.push_back({piece.peer, piece.data + at, std::min(most, piece.bytes - at)});
    }
  }
  return pieces;
}

Result<std::unique_ptr<Processes>> join_job(const Launched& launched) {
  if (launched.mpi.empty()) {
    return fail(ErrorKind::usage, "this process was not started by mpirun", "--carrier mpi",
                "neither Open MPI's nor MPICH's variables are in its environment",
                "write: mpirun -n 4 mora analyze TRACE");
  }
  const std::string name = "libmora_processes-" + launched.mpi + ".so";
  const std::string path = find_installed(name);
  if (path.empty()) {
    return fail(ErrorKind::system, "cannot find Mora's library for " + launched.mpi, name,
                "it should stand in lib/ or lib/mora/ beside the directory of the mora program",
                "build or install Mora completely, or analyse in one process: --carrier thread");
  }
  // Open MPI's components look for its symbols in the global scope. Never unloaded: MPI has exit handlers.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const char* reason = library == nullptr ? dlerror() : nullptr;
  using Entry = const mora_processes* (*)();
  const auto entry = library == nullptr ? nullptr : reinterpret_cast<Entry>(dlsym(library, "mora_processes_module"));
  if (entry == nullptr || entry()->version != MORA_PROCESSES_VERSION) {
    return fail(ErrorKind::system, "cannot load Mora's library for " + launched.mpi, path,
                reason != nullptr ? reason : "it belongs to another version of Mora",
                "install that MPI's runtime, or analyse in one process: --carrier thread");
  }
  auto job = std::make_unique<MpiProcesses>(*entry());
  MORA_CHECK_OK(job->start());
  return job;
}

}  // namespace mora::analysis
