#include "recorded_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "journal/journal_text.h"
#include "mpi/function_table.h"

namespace mora::recording {

std::string flavour() {
  const char* value = std::getenv("MORA_TEST_FLAVOUR");
  return value != nullptr ? value : "openmpi";
}

bool in_pattern_mode() {
  const char* value = std::getenv("MORA_TEST_PATTERN");
  return value != nullptr && std::string_view(value) == "1";
}

RecordedRun::RecordedRun(const std::string& program, int processes, const Options& options) {
  const bool pt2pt = flavour() == "openmpi-pt2pt";
  const std::string mpi = pt2pt ? "openmpi" : flavour();
  const std::string library = options.library_of.empty() ? mpi : options.library_of;
  std::string command =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
      "OMPI_MCA_mpi_yield_when_idle=1 ";
  if (pt2pt) command += "OMPI_MCA_osc=pt2pt ";
  const char* idle = std::getenv("LD_PRELOAD");  // tests/mpi/idle
  command +=
      fmt::format("timeout 600 mpirun.{} -n {} env LD_PRELOAD={}/libmora_mpi-{}.so{} MORA_DIR={}", mpi, processes,
                  MORA_LIBRARY_DIRECTORY, library, idle == nullptr ? "" : std::string(":") + idle, directory_);
  if (in_pattern_mode()) command += " MORA_PATTERN=1";
  for (const auto& variable : options.environment) command += " " + variable;
  command += fmt::format(" {}/{}.{}", MORA_PROGRAM_DIRECTORY, program, mpi);
  for (const auto& argument : options.arguments) command += " " + (argument == "{dir}" ? directory_ : argument);
  command += fmt::format(" >{}/output 2>&1", directory_);
  const int status = std::system(command.c_str());
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

RecordedRun::~RecordedRun() {
  std::error_code ignored;
  for (const auto& path : files(".journal")) {  // live chunks of killed processes
    DataQuality quality;
    if (auto killed = journal::Journal::open(path, quality); killed)
      std::filesystem::remove(killed->header().live_chunk, ignored);
  }
}

std::vector<std::string> RecordedRun::files(const std::string& ending) const {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/journal", ignored))
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

journal::Journal RecordedRun::journal(int rank, DataQuality& quality) const {
  const auto found = files(fmt::format(".{}.journal", rank));
  if (found.size() != 1) {
    auto output = read_file(directory_ + "/output");
    ADD_FAILURE() << found.size() << " journals of rank " << rank << ", exit code " << exit_code_ << "\n"
                  << (output ? *output : "");
    std::abort();
  }
  auto opened = journal::Journal::open(found.front(), quality);
  if (!opened) {
    ADD_FAILURE() << opened.error().text();
    std::abort();
  }
  return std::move(*opened);
}

std::vector<std::string> RecordedRun::lines(int rank) const {
  DataQuality quality;
  const auto opened = journal(rank, quality);
  std::vector<std::string> found;
  auto cursor = opened.records();
  journal::Record record;
  while (cursor.next(record)) {
    if (record.shape == MORA_SHAPE_CLOCK || record.shape == MORA_SHAPE_OVERHEAD || record.shape == MORA_SHAPE_END ||
        record.shape == MORA_SHAPE_CORE || record.shape == MORA_SHAPE_PROCESSORS || record.shape == MORA_SHAPE_USAGE)
      continue;
    if (record.shape == MORA_SHAPE_DEFINE_COMM && record.object < 2) continue;
    if (in_pattern_mode() && (record.shape == MORA_SHAPE_DATA || record.shape == MORA_SHAPE_DEFINE_TYPE)) continue;
    found.push_back(journal::text_of(record, [](unsigned function) -> std::string {
      const char* function_name = mora_function_name(function);
      return function_name != nullptr ? function_name + (std::string_view(function_name).starts_with("MPI_") ? 4 : 0)
                                      : "?";
    }));
  }
  return found;
}

std::vector<std::string> RecordedRun::lines_with(int rank, const std::string& part) const {
  auto all = lines(rank);
  std::erase_if(all, [&](const std::string& line) { return line.find(part) == std::string::npos; });
  return all;
}

std::vector<std::string> text(const char* lines) {
  std::vector<std::string> result;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) result.push_back(line);
  }
  return result;
}

}  // namespace mora::recording
