// Journals of pattern mode written by hand, for tests of what becomes of them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "journal/journal_writer.h"
#include "mpi/function.h"
#include "support/scratch_directory.h"

namespace mora::predict {

inline std::uint64_t pair_of(std::int32_t low, std::int32_t high) {
  return static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32;
}

inline unsigned function_id(const std::string& name) {
  const auto id = mpi::find_exactly(name);
  EXPECT_NE(id, mpi::FunctionId::none) << name;
  return static_cast<unsigned>(id);
}

using Words = std::vector<std::uint64_t>;

/// One process's journal.
class ScriptedRank {
 public:
  ScriptedRank(const std::string& directory, std::uint64_t tag, std::uint32_t rank, std::uint32_t size) {
    mora_file_header header{};
    header.world_rank = rank;
    header.world_size = size;
    header.run_tag = tag;
    header.mpi_flavour = 1;
    const auto stem = fmt::format("{}/journal/{:x}.{}", directory, tag, rank);
    std::strcpy(header.live_chunk, (stem + ".live").c_str());
    std::strcpy(header.host, "node1");
    std::strcpy(header.program, "/bin/app");
    std::strcpy(header.mpi_library, "Open MPI v4.1.4");
    EXPECT_EQ(mora_journal_open(&writer_, (stem + ".journal").c_str(), (stem + ".live2").c_str(),
                                MORA_JOURNAL_MIN_CHUNK_BYTES, &header,
                                [](mora_clock_triple* now) {
                                  *now = {1, 1, 1};
                                }),
              0);
    Words everybody;
    for (std::uint32_t r = 0; r < size; r += 2)
      everybody.push_back(pair_of(static_cast<int>(r), r + 1 < size ? static_cast<int>(r + 1) : 0));
    communicator(0, -1, 0, MORA_COMM_WORLD, size, everybody);
    communicator(1, -1, 0, MORA_COMM_SELF, 1, {pair_of(static_cast<int>(rank), 0)});
    type(1, "MPI_INT", 4, 4, 1, 3);
    call("MPI_Init", MORA_SHAPE_CALL, 0, {});
  }

  void record(unsigned function, unsigned shape, unsigned flags, std::uint32_t object, const Words& payload) {
    const auto words = static_cast<unsigned>(4 + payload.size());
    std::uint64_t* r = mora_journal_big(&writer_, words);
    r[1] = r[2] = 0;
    r[3] = object;
    std::copy(payload.begin(), payload.end(), r + 4);
    mora_journal_publish(&writer_, r, words, function, shape, flags);
  }
  void call(const std::string& name, unsigned shape, std::uint32_t object, const Words& payload, unsigned flags = 0) {
    record(function_id(name), shape, flags, object, payload);
  }
  void communicator(std::uint32_t id, std::int32_t parent, std::int32_t ordinal, std::int32_t kind, std::uint32_t local,
                    const Words& members, std::uint32_t remote = 0, std::int32_t key = 0) {
    Words words{pair_of(parent, ordinal), pair_of(kind, static_cast<int>(local)),
                pair_of(static_cast<int>(remote), key)};
    words.insert(words.end(), members.begin(), members.end());
    record(0, MORA_SHAPE_DEFINE_COMM, 0, id, words);
  }
  void type(std::uint32_t id, const std::string& name, std::uint64_t size, std::int64_t extent, int code, int flags) {
    Words words{size, static_cast<std::uint64_t>(extent), pair_of(code, flags),
                pair_of(static_cast<int>(name.size()), 0)};
    words.resize(4 + (name.size() + 7) / 8);
    std::memcpy(words.data() + 4, name.data(), name.size());
    record(0, MORA_SHAPE_DEFINE_TYPE, 0, id, words);
  }
  void data(std::int32_t sent_type, std::int64_t sent, std::int32_t received_type, std::int64_t received) {
    record(0, MORA_SHAPE_DATA, 0, 0,
           {pair_of(sent_type, received_type), static_cast<std::uint64_t>(sent), static_cast<std::uint64_t>(received)});
  }
  void data(std::int32_t sent_type, std::int64_t sent, std::int32_t received_type, std::int64_t received,
            std::uint64_t word) {
    record(0, MORA_SHAPE_DATA, 0, 0,
           {pair_of(sent_type, received_type), static_cast<std::uint64_t>(sent), static_cast<std::uint64_t>(received),
            word});
  }

  void isend(std::int32_t to, std::int64_t count, std::uint64_t request, std::int32_t tag = 0,
             std::int32_t type_id = 1) {
    data(type_id, count, 0, -1);
    call("MPI_Isend", MORA_SHAPE_ISEND, 0, {pair_of(to, tag), static_cast<std::uint64_t>(4 * count), request});
  }
  void irecv(std::int32_t from, std::int64_t count, std::uint64_t request, std::int32_t tag = 0) {
    data(0, -1, 1, count, pair_of(from, tag));
    call("MPI_Irecv", MORA_SHAPE_IRECV, 0, {pair_of(from, tag), static_cast<std::uint64_t>(4 * count), request});
  }
  static Words received(std::uint64_t request, std::int32_t from, std::uint64_t bytes, std::int32_t tag = 0) {
    return {request, pair_of(from, tag), bytes, pair_of(0, MORA_COMPLETED_RECV)};
  }
  static Words sent(std::uint64_t request, std::int32_t to, std::uint64_t bytes, std::int32_t tag = 0) {
    return {request, pair_of(to, tag), bytes, pair_of(0, MORA_COMPLETED_SEND)};
  }
  static Words all(const std::vector<Words>& parts) {
    Words words;
    for (const auto& part : parts) words.insert(words.end(), part.begin(), part.end());
    return words;
  }

  /// MPI_Finalize and a normal end.
  void finish() {
    call("MPI_Finalize", MORA_SHAPE_CALL, 0, {}, MORA_FLAG_OPEN);
    call("MPI_Finalize", MORA_SHAPE_CALL, 0, {});
    record(0, MORA_SHAPE_END, 0, 0, {});
    mora_journal_close(&writer_);
  }
  /// The process is killed: what was written so far is in the live chunk.
  void vanish() { mora_journal_flush(&writer_); }

 private:
  mora_journal writer_{};
};

class ScriptedJob {
 public:
  explicit ScriptedJob(std::uint32_t size) : size_(size) {
    std::filesystem::create_directories(directory_ + "/journal");
  }
  ScriptedRank& rank(std::uint32_t r, std::uint64_t tag = 0xabc) {
    auto& place = ranks_[{tag, r}];
    if (!place) place = std::make_unique<ScriptedRank>(directory_, tag, r, size_);
    return *place;
  }
  const std::string& directory() const { return directory_; }

 private:
  std::uint32_t size_;
  const ScratchDirectory scratch_{ScratchDirectory::in_memory};
  const std::string& directory_ = scratch_.path();
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::unique_ptr<ScriptedRank>> ranks_;
};

}  // namespace mora::predict
