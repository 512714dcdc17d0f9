/// Writes a synthetic OTF2 archive. Usage: synthetic_archive DIRECTORY RANKS EVENTS [SHAPE]; shapes: shapes.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <xxhash.h>

#include "base/file.h"
#include "shapes.h"

namespace {

namespace archive = mora::archive;

archive::Definitions definitions(const bench::Shape& shape, std::uint32_t ranks, std::uint64_t last) {
  archive::Definitions d;
  d.first_stamp = 0;
  d.last_stamp = last;
  d.nodes = {"node0"};
  d.processes.resize(ranks);
  std::uint32_t line = 10;
  for (const char* name : bench::names()) {
    // A definition alone would make the analysis look for non-blocking collectives.
    const bool is_used = std::string(name) != "MPI_Iallreduce" || std::string(shape.name) == "nonblocking";
    d.regions.push_back({is_used ? name : "MPI_Recv", std::string(shape.name) + ".c", line += 3, ""});
  }
  d.groups.emplace_back();
  for (std::uint32_t r = 0; r < ranks; ++r) d.groups[0].push_back(r);
  d.communicators = {{"MPI_COMM_WORLD", 0, archive::no_id, archive::no_id}};
  if (shape.has_window) {
    for (std::uint32_t r = 0; r < ranks; ++r) d.groups.push_back({r});
    d.windows = {{"window", 0}};
  }
  return d;
}

std::uint64_t write_rank(archive::LocationWriter& writer, const bench::Shape& shape, std::uint32_t rank,
                         std::uint32_t ranks, std::uint64_t events) {
  bench::Rank r{writer, rank, ranks};
  writer.program_begin(r.time);
  r.call(bench::init, 1000);
  if (shape.has_window) {
    writer.enter(r.time, bench::win_create);
    writer.rma_collective_begin(r.time);
    writer.window_create(r.time += 500, 0);
    writer.rma_collective_end(r.time, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, {});
    writer.leave(r.time, bench::win_create);
  }
  const std::uint64_t steps = shape.steps(events, ranks);
  for (std::uint64_t step = 0; step < steps; ++step) shape.step(r, step);
  r.call(bench::finalize, 1000);
  writer.program_end(r.time, 0);
  return r.time;
}

/// The list that `mora record` leaves: what fits it is read without a child that tries it first.
bool write_checksums(const std::string& directory) {
  std::string list;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    const std::string path = std::filesystem::relative(entry.path(), directory).string();
    if (!entry.is_regular_file() || path == "manifest.json") continue;
    const auto file = mora::MappedFile::open(entry.path().string());
    if (!file) return false;
    char digest[17];
    std::snprintf(digest, sizeof digest, "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(file->bytes().data(), file->bytes().size())));
    list += (list.empty() ? "" : ",\n") + std::string("{\"path\": \"") + path +
            "\", \"bytes\": " + std::to_string(file->bytes().size()) + ", \"xxh3\": \"" + digest + "\"}";
  }
  return mora::write_file_atomically(directory + "/manifest.json", "{\"archive\": {\"files\": [\n" + list + "\n]}}\n")
      .has_value();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 4 ? argv[4] : "stencil";
  const auto& shapes = bench::shapes();
  const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const bench::Shape& s) { return s.name == name; });
  if (argc < 4 || argc > 5 || shape == shapes.end()) {
    std::fprintf(stderr, "usage: synthetic_archive DIRECTORY RANKS EVENTS [SHAPE]\n");
    for (const bench::Shape& s : shapes) std::fprintf(stderr, "  %-12s %s\n", s.name.data(), s.description.data());
    return 2;
  }
  const auto ranks = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  const std::uint64_t events = std::strtoull(argv[3], nullptr, 10);
  std::filesystem::create_directories(argv[1]);
  auto archive = archive::ArchiveWriter::create(argv[1], {"synthetic", name, "synthetic_archive"});
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().text().c_str());
    return 3;
  }
  std::uint64_t last = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto writer = (*archive)->open_location(rank);
    if (!writer) return 3;
    last = std::max(last, write_rank(*writer, *shape, rank, ranks, events));
    if (!(*archive)->close_location(*writer, {})) return 3;
  }
  if (!(*archive)->close(definitions(*shape, ranks, last))) return 3;
  return write_checksums(argv[1]) ? 0 : 3;
}
