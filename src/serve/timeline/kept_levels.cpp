/// What prepare() makes, kept beside the index of the trace, so that a trace of 100 million events has its first
/// picture without a pass over it. A cache of this machine and version: what is not exactly its own is made anew.
#include <xxhash.h>

#include <cstring>

#include "base/file.h"
#include "base/version.h"
#include "serve/timeline/timeline.h"

namespace mora::serve {

namespace {

constexpr std::uint64_t form = 2;  ///< of what is kept
constexpr char magic[9] = "MORALEVL";

struct Head {
  char magic[8] = {};
  std::uint64_t form = 0, program = 0, fingerprint = 0, events = 0, checksum = 0;
  bool is_like(const Head& other) const {
    return std::memcmp(magic, other.magic, sizeof magic) == 0 && form == other.form && program == other.program &&
           fingerprint == other.fingerprint && events == other.events;
  }
};

std::uint64_t hash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

Head head_of(std::uint64_t fingerprint, std::uint64_t events) {
  Head head;
  std::memcpy(head.magic, magic, sizeof head.magic);
  head.form = form;
  head.program = hash(version());
  head.fingerprint = fingerprint;
  head.events = events;
  return head;
}

}  // namespace

void Timeline::keep(KeptBytes& bytes) {
  levels_.keep(bytes);
  traffic_.keep(bytes);
  order_.keep(bytes);
  relations_.keep(bytes);
  counters_.keep(bytes);
  bytes(samples_);
  bytes(lifetimes_);
  bytes(longest_);
}

bool Timeline::take(const std::string& file, std::uint64_t fingerprint) {
  const auto mapped = MappedFile::open(file);
  if (!mapped || mapped->bytes().size() < sizeof(Head)) return false;
  const std::string_view text(reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size());
  Head head;
  std::memcpy(&head, text.data(), sizeof head);
  const std::string_view rest = text.substr(sizeof head);
  if (!head.is_like(head_of(fingerprint, view_.size())) || head.checksum != hash(rest)) return false;
  KeptBytes bytes(rest);
  keep(bytes);
  if (!bytes.is_whole()) return false;
  levels_.finish();
  ready_.store(true, std::memory_order_release);
  return true;
}

Result<void> Timeline::keep(const std::string& file, std::uint64_t fingerprint) {
  KeptBytes bytes;
  keep(bytes);
  Head head = head_of(fingerprint, view_.size());
  head.checksum = hash(bytes.written());
  std::string text(reinterpret_cast<const char*>(&head), sizeof head);
  text += bytes.written();
  return write_file_atomically(file, text);
}

}  // namespace mora::serve
