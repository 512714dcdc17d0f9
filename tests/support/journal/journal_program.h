// A small journal writer for the unit tests: deterministic clock, files in a directory of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "journal/journal_reader.h"
#include "journal/journal_writer.h"
#include "support/scratch_directory.h"

namespace mora::journal {

class TestProgram {
 public:
  int open(std::uint32_t chunk_bytes = MORA_JOURNAL_MIN_CHUNK_BYTES, const char* live = nullptr) {
    mora_file_header header{};
    header.world_rank = 7;
    header.world_size = 8;
    header.run_tag = 0x1234;
    std::strcpy(header.live_chunk, live != nullptr ? live : live_.c_str());
    std::strcpy(header.host, "node1");
    header.start = {1, 11, 21};
    ticks = 100;
    return mora_journal_open(&writer, path_.c_str(), (directory_ + "/fallback").c_str(), chunk_bytes, &header,
                             [](mora_clock_triple* now) {
                               *now = {++ticks, 2 * ticks, 3 * ticks};
                             });
  }
  // Record number i: a send to peer i.
  void send(std::uint64_t i) {
    std::uint64_t* r = mora_journal_small(&writer);
    fill(r, i);
    r[4] = static_cast<std::uint32_t>(i) | std::uint64_t{5} << 32;
    r[5] = i * 8;
    mora_journal_publish(&writer, r, 6, 3, MORA_SHAPE_SEND, 0);
  }
  // What no call is.
  void note() {
    std::uint64_t* r = mora_journal_small(&writer);
    fill(r, 0);
    r[4] = r[5] = 0;
    mora_journal_publish(&writer, r, 6, 0, MORA_SHAPE_NOTE, 0);
  }
  // n completions in parts of 10.
  void complete(std::uint64_t n) {
    for (std::uint64_t done = 0; done < n;) {
      const std::uint64_t part = std::min<std::uint64_t>(10, n - done);
      std::uint64_t* r = mora_journal_big(&writer, static_cast<unsigned>(4 + 4 * part));
      fill(r, 9);
      for (std::uint64_t i = 0; i < part; i++) {
        r[4 + 4 * i] = done + i;
        r[5 + 4 * i] = r[6 + 4 * i] = r[7 + 4 * i] = 0;
      }
      done += part;
      mora_journal_publish(&writer, r, static_cast<unsigned>(4 + 4 * part), 4, MORA_SHAPE_COMPLETE,
                           done < n ? MORA_FLAG_CONTINUED : 0);
    }
  }
  void end() {
    mora_journal_end(&writer, 0, 0);
    mora_journal_close(&writer);
  }
  // Numbers of the sends that a reader finds, in order; checks that nothing strange is among the records.
  static std::vector<std::uint64_t> sends(const Journal& journal) {
    std::vector<std::uint64_t> numbers;
    auto cursor = journal.records();
    Record record;
    while (cursor.next(record))
      if (record.shape == MORA_SHAPE_SEND) numbers.push_back(static_cast<std::uint32_t>(pair_low(record.payload[0])));
    return numbers;
  }

  mora_journal writer{};
  const ScratchDirectory scratch_{ScratchDirectory::in_memory};
  const std::string &directory_ = scratch_.path(), path_ = scratch_.path("7.journal"), live_ = scratch_.path("live");

 private:
  static void fill(std::uint64_t* r, std::uint64_t i) {
    r[1] = 1000 + 10 * i;
    r[2] = 0x4000 + i;
    r[3] = 2 | std::uint64_t{5} << 32;
  }
  static inline std::uint64_t ticks = 0;
};

}  // namespace mora::journal
