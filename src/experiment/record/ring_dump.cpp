#include "experiment/record/ring_dump.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "experiment/journal_files.h"
#include "journal/ring.h"

namespace mora::experiment {
namespace {

namespace fs = std::filesystem;

constexpr int most_passes = 1000;
constexpr std::uint64_t told_to_stop = std::uint64_t{1} << 32;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  bool is_open() const { return file_ >= 0; }
  std::uint64_t size() const {
    struct stat s {};
    return fstat(file_, &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
  }
  /// Up to so many bytes; what the file does not have is 0.
  void read(char* into, std::uint64_t bytes, std::uint64_t at) const {
    std::uint64_t done = 0;
    while (done < bytes) {
      const auto n = pread(file_, into + done, bytes - done, static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::uint64_t>(n);
    }
    std::memset(into + done, 0, bytes - done);
  }

 private:
  int file_;
};

mora_chunk_header header_at(const char* bytes) {
  mora_chunk_header header{};
  std::memcpy(&header, bytes, sizeof header);
  return header;
}

bool is_image(const mora_chunk_header& header) { return std::memcmp(header.magic, "MORACHNK", 8) == 0; }

/// A journal that is a ring, while its process writes it.
class RingCopy {
 public:
  explicit RingCopy(const std::string& path) : file_(path) {}

  /// False: it is no ring.
  bool read() {
    if (!file_.is_open()) return false;
    file_.read(reinterpret_cast<char*>(&header_), sizeof header_, 0);
    file_.read(reinterpret_cast<char*>(&ring_), sizeof ring_, header_.header_bytes);
    if (std::memcmp(ring_.magic, MORA_RING_MAGIC, 8) != 0 || ring_.place_bytes < sizeof(mora_chunk_header) ||
        ring_.place_bytes > MORA_JOURNAL_MAX_CHUNK_BYTES || ring_.places > UINT32_MAX)
      return false;
    first_ = header_.header_bytes + sizeof ring_;
    is_sure_.assign(ring_.places, false);
    const OpenFile live(std::string(header_.live_chunk, strnlen(header_.live_chunk, sizeof header_.live_chunk)));
    for (int pass = 0; pass < most_passes; ++pass) {
      const auto before = read_live(live);
      read_places();
      read_definitions();
      if (!live.is_open() || before == read_live(live)) break;
    }
    if (live.is_open()) put_live();
    return true;
  }

  std::string content() {
    std::memset(header_.live_chunk, 0, sizeof header_.live_chunk);
    std::string out(reinterpret_cast<const char*>(&header_), sizeof header_);
    out.resize(header_.header_bytes, '\0');
    mora_ring_header ring = ring_;
    ring.places = places();
    out.append(reinterpret_cast<const char*>(&ring), sizeof ring);
    return out + places_ + definitions_;
  }

 private:
  std::uint32_t read_live(const OpenFile& live) {
    if (!live.is_open()) return 0;
    live_.assign(header_.chunk_bytes, '\0');
    live.read(live_.data(), live_.size(), 0);
    return header_at(live_.data()).generation;
  }
  /// Those that are not what was read before. An image is complete if the live chunk came after it before it was read.
  void read_places() {
    const std::uint64_t live_first = live_.empty() ? UINT64_MAX : header_at(live_.data()).first_record;
    for (std::uint64_t place = 0; place < ring_.places; ++place) {
      mora_chunk_header now{};
      file_.read(reinterpret_cast<char*>(&now), sizeof now, first_ + place * ring_.place_bytes);
      if (place >= places()) {
        if (!is_image(now)) continue;
        places_.resize((place + 1) * ring_.place_bytes);
      }
      char* const here = places_.data() + place * ring_.place_bytes;
      if (is_sure_[place] && is_image(now) && now.first_record == header_at(here).first_record) continue;
      file_.read(here, ring_.place_bytes, first_ + place * ring_.place_bytes);
      is_sure_[place] = is_image(header_at(here)) && header_at(here).first_record < live_first;
    }
  }
  void read_definitions() {
    const std::uint64_t begin = first_ + ring_.places * ring_.place_bytes, end = file_.size();
    definitions_.assign(end > begin ? end - begin : 0, '\0');
    file_.read(definitions_.data(), definitions_.size(), begin);
  }
  /// So many were used at some time.
  std::uint64_t places() const { return places_.size() / ring_.place_bytes; }
  /// As the process would at its end: the live chunk as the newest image, in a free place or that of the oldest.
  void put_live() {
    mora_chunk_header header = header_at(live_.data());
    if (!is_image(header)) return;
    if (places() < ring_.places) places_.resize(places_.size() + ring_.place_bytes);
    std::uint64_t place = 0, oldest = UINT64_MAX;
    for (std::uint64_t i = 0; i < places(); ++i) {
      const auto image = header_at(places_.data() + i * ring_.place_bytes);
      const bool is_being_written = is_image(image) && image.first_record >= header.first_record;
      const std::uint64_t order = is_being_written ? 0 : is_image(image) ? image.first_record + 2 : 1;
      if (order < oldest) oldest = order, place = i;
    }
    const std::size_t words = live_.size() / 8;
    std::vector<std::uint64_t> chunk(words);
    std::memcpy(chunk.data(), live_.data(), words * 8);
    constexpr std::size_t state_words = sizeof(mora_state) / 8, record_words = 4;
    std::size_t at = sizeof header / 8;
    const std::size_t end = words - state_words;
    const auto words_at = [&](std::size_t where) { return static_cast<std::size_t>(chunk[where] >> 32) & 0xffff; };
    const std::uint64_t generation = header.generation & 0xffff;
    while (at + record_words <= end && chunk[at] >> 48 == generation && words_at(at) >= record_words &&
           words_at(at) <= end - at)
      at += words_at(at);
    if (at + record_words + state_words <= end) {  // what the process is doing
      chunk[at] = MORA_WORD0(generation, record_words + state_words, 0, MORA_SHAPE_STATE, 0);
      std::fill_n(chunk.begin() + static_cast<std::ptrdiff_t>(at) + 1, record_words - 1, 0);
      std::memcpy(&chunk[at + record_words], live_.data() + (words - state_words) * 8, sizeof(mora_state));
      at += record_words + state_words;
    }
    header.used = at * 8 - sizeof header;
    header.is_last = 1;
    std::memcpy(chunk.data(), &header, sizeof header);
    std::memcpy(places_.data() + place * ring_.place_bytes, chunk.data(),
                std::min(at * 8, std::size_t{ring_.place_bytes}));
    // Definitions of this chunk stand in it; those behind it may be written just now.
    std::size_t whole = 0;
    while (whole + sizeof header <= definitions_.size()) {
      const auto image = header_at(definitions_.data() + whole);
      if (!is_image(image) || image.first_record >= header.first_record ||
          image.used > definitions_.size() - whole - sizeof header)
        break;
      whole += sizeof header + image.used;
    }
    definitions_.resize(whole);
  }

  OpenFile file_;
  mora_file_header header_{};
  mora_ring_header ring_{};
  std::uint64_t first_ = 0;
  std::string places_, definitions_, live_;
  std::vector<bool> is_sure_;
};

}  // namespace

Result<void> copy_rings(const std::string& from, const std::string& to) {
  MORA_CHECK_OK(make_directories(journal_directory(to)));
  std::error_code ignored;
  for (const auto& path : {request_path(from), filter_path(from)})
    if (file_exists(path)) fs::copy_file(path, fs::path(journal_directory(to)) / fs::path(path).filename(), ignored);
  for (const auto& [tag, run] : find_runs(journal_directory(from))) {
    std::vector<std::string> journals;
    for (const auto& [rank, path] : run.journals) journals.push_back(path);
    for (const auto& [thread, path] : run.threads) journals.push_back(path);
    for (const auto& path : journals) {
      RingCopy copy(path);
      if (copy.read())
        MORA_CHECK_OK(
            write_file_atomically(journal_directory(to) + "/" + fs::path(path).filename().string(), copy.content()));
    }
    for (const auto& [rank, path] : run.maps)
      fs::copy_file(path, fs::path(journal_directory(to)) / fs::path(path).filename(), ignored);
  }
  return {};
}

struct RingDumps::Worker {
  std::string directory;
  ConvertOptions options;
  Done done;
  int told = -1;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::thread thread;

  Result<std::vector<Manifest>> dump() {
    const auto to = next_directory(directory + "-now", file_exists(directory + "-now") ? 1 : 0);
    MORA_CHECK_OK(copy_rings(directory, to));
    ConvertOptions now = options;
    now.is_running = true;
    now.request.launcher_wall_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
    auto runs = convert_journals(to, now);
    if (runs && runs->empty())
      return fail(ErrorKind::usage, "there is nothing to write yet", directory, "no process has called MPI_Init");
    return runs;
  }
  void run() {
    std::uint64_t asked = 0;
    while (read(told, &asked, sizeof asked) == sizeof asked || errno == EINTR) {
      if (asked >= told_to_stop) return;
      if (asked != 0) done(dump());
      asked = 0;
    }
  }
};

RingDumps::RingDumps(std::string directory, ConvertOptions options, Done done)
    : worker_(std::make_unique<Worker>(Worker{std::move(directory), std::move(options), std::move(done), -1, {}, {}})) {
  worker_->begin = std::chrono::steady_clock::now();
  worker_->told = eventfd(0, EFD_CLOEXEC);
  if (worker_->told < 0) return;
  sigset_t all, before;  // signals are for the thread that waits for the launcher
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  worker_->thread = std::thread([worker = worker_.get()] { worker->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RingDumps::~RingDumps() {
  if (worker_->told < 0) return;
  while (write(worker_->told, &told_to_stop, sizeof told_to_stop) < 0 && errno == EINTR) {
  }
  worker_->thread.join();
  close(worker_->told);
}

int RingDumps::file() const { return worker_->told; }

}  // namespace mora::experiment
