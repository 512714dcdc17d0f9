// Reads a journal that may be cut or damaged anywhere: nothing in the file is trusted. A chunk image is used as far as
// its records chain from its first word: each must carry the chunk's generation and fit into what is there. Where the
// chain breaks the rest of that chunk is left out (records have no other synchronisation) and counted; the next chunk
// is found by its magic. Cost: one pass over the file; the file is mapped, and each chunk's pages are given back when
// it was read; only the live chunk is copied.
#include "journal/journal_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>

#include "journal/profile.h"

namespace mora::journal {

namespace {

constexpr std::size_t record_words = sizeof(mora_record) / 8;
constexpr std::size_t repeat_words = 2;
constexpr std::size_t chunk_header_words = sizeof(mora_chunk_header) / 8;
constexpr std::size_t ring_entry_words = sizeof(mora_ring_entry) / 8;
constexpr std::uint64_t largest_chunk_bytes = std::uint64_t{1} << 31;

struct Word0 {
  unsigned generation, words, function, shape, flags;
};

Word0 decode(std::uint64_t word) {
  return {static_cast<unsigned>(word >> 48), static_cast<unsigned>(word >> 32) & 0xffff,
          static_cast<unsigned>(word >> 16) & 0xffff, static_cast<unsigned>(word >> 8) & 0xff,
          static_cast<unsigned>(word) & 0xff};
}

template <std::size_t n>
std::string text_of(const char (&field)[n]) {
  return {field, strnlen(field, n)};
}

constexpr std::uint8_t unknown_shape = 0xFF;
// The fewest words of a payload, by shape.
constexpr auto least_words = [] {
  struct Row {
    std::uint8_t words;
    std::initializer_list<mora_shape> shapes;
  };
  std::array<std::uint8_t, MORA_SHAPE_DEFINE_GRID + 1> least{};
  least.fill(unknown_shape);
  for (const Row& row :
       {Row{0,
            {MORA_SHAPE_CALL, MORA_SHAPE_FREE_COMM, MORA_SHAPE_END, MORA_SHAPE_FUNCTION_BEGIN, MORA_SHAPE_FUNCTION_END,
             MORA_SHAPE_COMPLETE, MORA_SHAPE_START, MORA_SHAPE_FOLDED}},
        Row{1,
            {MORA_SHAPE_VECTOR, MORA_SHAPE_WIN_COLLECTIVE, MORA_SHAPE_WIN_GROUP, MORA_SHAPE_WIN_FLUSH,
             MORA_SHAPE_DEFINE_FILE, MORA_SHAPE_MARK_BEGIN, MORA_SHAPE_MARK_END, MORA_SHAPE_OVERHEAD, MORA_SHAPE_ERROR,
             MORA_SHAPE_RECORDING, MORA_SHAPE_SAMPLE, MORA_SHAPE_DEFINE_GROUP, MORA_SHAPE_DEFINE_STACK,
             MORA_SHAPE_DEFINE_PATH, MORA_SHAPE_NAME, MORA_SHAPE_SHMEM_LOCK, MORA_SHAPE_DEFINE_FUNCTION,
             MORA_SHAPE_COUNTERS, MORA_SHAPE_DEFINE_GRID}},
        Row{2,
            {MORA_SHAPE_SEND, MORA_SHAPE_RECV, MORA_SHAPE_WIN_LOCK, MORA_SHAPE_LOST, MORA_SHAPE_NOTE, MORA_SHAPE_POLLS,
             MORA_SHAPE_PROCESSORS, MORA_SHAPE_DEFINE_MARK, MORA_SHAPE_TEAM, MORA_SHAPE_SYNC, MORA_SHAPE_THREAD_LOCK,
             MORA_SHAPE_DEFINE_COUNTER}},
        Row{3,
            {MORA_SHAPE_ISEND, MORA_SHAPE_IRECV, MORA_SHAPE_COLLECTIVE, MORA_SHAPE_IO, MORA_SHAPE_CLOCK,
             MORA_SHAPE_DEFINE_WIN, MORA_SHAPE_DEFINE_COMM, MORA_SHAPE_DATA, MORA_SHAPE_DEFINE_PLACE,
             MORA_SHAPE_SHMEM_TRANSFER}},
        Row{4, {MORA_SHAPE_SENDRECV, MORA_SHAPE_CLOCK_OFFSET, MORA_SHAPE_DEFINE_TYPE, MORA_SHAPE_SHMEM_COLLECTIVE}},
        Row{6, {MORA_SHAPE_RMA, MORA_SHAPE_CORE}}, Row{9, {MORA_SHAPE_USAGE}},
        Row{sizeof(mora_amounts) / 8, {MORA_SHAPE_PROFILE}}, Row{sizeof(mora_state) / 8, {MORA_SHAPE_STATE}}}) {
    for (const mora_shape shape : row.shapes) least[shape] = row.words;
  }
  return least;
}();

// What a shape demands of its payload; false for shapes this version does not know.
bool payload_fits(unsigned shape, std::span<const std::uint64_t> payload) {
  const std::size_t n = payload.size();
  if (shape >= least_words.size() || least_words[shape] == unknown_shape || n < least_words[shape]) return false;
  auto ranks_fit = [&](std::size_t head, std::uint64_t ranks) { return n - head >= (ranks + 1) / 2; };
  auto low = [&](std::size_t i) { return static_cast<std::uint32_t>(payload[i]); };
  auto high = [&](std::size_t i) { return static_cast<std::uint32_t>(payload[i] >> 32); };
  switch (shape) {
    case MORA_SHAPE_COMPLETE:
    case MORA_SHAPE_START:
      return n % 4 == 0;
    case MORA_SHAPE_VECTOR:
      return n - 1 == high(0);
    case MORA_SHAPE_DEFINE_COMM:
      return ranks_fit(3, std::uint64_t{high(1)} + low(2));
    case MORA_SHAPE_DEFINE_GROUP:
      return ranks_fit(1, low(0));
    case MORA_SHAPE_DEFINE_STACK:
      return n - 1 >= high(0);
    case MORA_SHAPE_DEFINE_PATH:
      return n - 1 >= low(0);
    case MORA_SHAPE_DEFINE_TYPE:
      return (n - 4) * 8 >= low(3);
    case MORA_SHAPE_DEFINE_GRID:
      return (n - 1) / 2 >= payload[0];
    case MORA_SHAPE_NAME:
    case MORA_SHAPE_DEFINE_FUNCTION:
      return (n - 1) * 8 >= high(0);
    case MORA_SHAPE_DEFINE_COUNTER:
      return (n - 2) * 8 >= high(1);
    case MORA_SHAPE_DEFINE_MARK:
    case MORA_SHAPE_DEFINE_PLACE:
      return n - least_words[shape] >= (std::uint64_t{low(1)} + 7) / 8 + (std::uint64_t{high(1)} + 7) / 8;
    default:
      return true;
  }
}

bool is_list(unsigned shape) {
  return shape == MORA_SHAPE_COMPLETE || shape == MORA_SHAPE_START || shape == MORA_SHAPE_VECTOR ||
         shape == MORA_SHAPE_DEFINE_COMM || shape == MORA_SHAPE_DEFINE_GROUP;
}

}  // namespace

std::string Journal::host() const { return text_of(header_.host); }
std::string Journal::program() const { return text_of(header_.program); }
std::string Journal::mpi_library() const { return text_of(header_.mpi_library); }

bool Journal::Cursor::next_part(Record& record) {
  while (piece_ < journal_->pieces_.size()) {
    const Piece& piece = journal_->pieces_[piece_];
    if (word_ >= piece.words.size()) {
      piece_++;
      word_ = 0;
      journal_->file_.forget();
      if (piece_ < journal_->pieces_.size()) ordinal_ = journal_->pieces_[piece_].first_ordinal;
      continue;
    }
    const std::uint64_t* at = &piece.words[word_];
    const Word0 head = decode(at[0]);
    record.ordinal = ordinal_++;
    if (head.shape == MORA_SHAPE_RING) {
      word_ += head.words;
      continue;
    }
    if (head.shape == MORA_SHAPE_REPEAT) {
      word_ += head.words;
      if (repeat(record, head.function, at[1])) return true;
      if (damage_ != nullptr) damage_->records++;
      continue;
    }
    record.function = head.function;
    record.shape = head.shape;
    record.flags = head.flags;
    record.begin = at[1];
    record.site = at[2] & 0xffff'ffff'ffffu;
    record.object = static_cast<std::uint32_t>(at[3]);
    record.duration = (at[2] >> 48 << 32) | (at[3] >> 32);
    record.payload = {at + record_words, head.words - record_words};
    word_ += head.words;
    if (journal_->header_.clock_kind == MORA_CLOCK_NONE && record.function != 0) keep_repeatable(record);
    return true;
  }
  return false;
}

bool Journal::Cursor::next_whole(Record& record) {
  for (;;) {
    if (has_ahead_)
      record = ahead_;
    else if (!next_part(record))
      return false;
    has_ahead_ = false;
    if ((record.flags & MORA_FLAG_CONTINUED) && !is_list(record.shape)) {
      record.flags &= ~static_cast<unsigned>(MORA_FLAG_CONTINUED);
      if (damage_ != nullptr) damage_->lists++;
    } else if (record.flags & MORA_FLAG_CONTINUED) {
      joined_.assign(record.payload.begin(), record.payload.end());
      unsigned flags = record.flags;
      while (flags & MORA_FLAG_CONTINUED) {
        has_ahead_ = next_part(ahead_);
        if (!has_ahead_ || ahead_.shape != record.shape || ahead_.function != record.function) {
          if (damage_ != nullptr) damage_->lists++;
          break;
        }
        joined_.insert(joined_.end(), ahead_.payload.begin(), ahead_.payload.end());
        flags = ahead_.flags;
        has_ahead_ = false;
      }
      record.payload = joined_;
      record.flags &= ~static_cast<unsigned>(MORA_FLAG_CONTINUED);
    }
    if (payload_fits(record.shape, record.payload)) return true;
    if (damage_ != nullptr) damage_->records++;
  }
}

Journal::ChunkImage::Records Journal::ChunkImage::records() const {
  const unsigned generation = header.generation & 0xffff;
  Records found;
  while (found.words + repeat_words <= words.size()) {
    const Word0 head = decode(words[found.words]);
    const std::size_t least = head.shape == MORA_SHAPE_REPEAT ? repeat_words : record_words;
    if (head.generation != generation || head.words < least || head.words > words.size() - found.words) break;
    found.words += head.words;
    found.count++;
  }
  return found;
}

void Journal::add_damage(std::uint64_t words, DataQuality& quality) const {
  quality.add("journal-damaged-chunk", Severity::loss, where_, words * 8, "bytes of a journal chunk cannot be read",
              "the file was cut or altered; record again");
}

std::size_t Journal::take_chunk(const ChunkImage& image, DataQuality& quality) {
  const auto [at, records] = image.records();
  const std::uint64_t expected = image.header.first_record;
  if (expected != record_count_ + missing_) {
    quality.add("journal-gap", Severity::loss, where_, expected > record_count_ ? expected - record_count_ : 1,
                "records are missing before a chunk", "the file was cut or altered; record again");
    missing_ = expected - record_count_;
  }
  clock_.push_back(image.header.opened);
  if (at > 0) pieces_.push_back({image.words.first(at), record_count_});
  record_count_ += records;
  return at;
}

bool Journal::read_live_chunk() {
  const std::string path = text_of(header_.live_chunk);
  std::error_code ignored;
  if (path.empty() || path.front() != '/' || !std::filesystem::is_regular_file(path, ignored)) return false;
  auto content = read_file(path);
  if (!content || content->size() < sizeof(mora_chunk_header) || content->size() > largest_chunk_bytes) return false;
  if (std::memcmp(content->data(), "MORACHNK", 8) != 0) return false;
  live_.assign(content->size() / 8, 0);
  std::memcpy(live_.data(), content->data(), live_.size() * 8);
  if (content->size() == header_.chunk_bytes)
    std::memcpy(&state_, content->data() + content->size() - sizeof state_, sizeof state_);
  return true;
}

void Journal::read_chunks(DataQuality& quality) {
  const auto bytes = file_.bytes();
  // Mapped files start at a page and every offset below is a multiple of 8: words can be read in place.
  const std::span<const std::uint64_t> words{reinterpret_cast<const std::uint64_t*>(bytes.data()), bytes.size() / 8};
  const bool has_live = read_live_chunk();
  mora_chunk_header live_header{};
  if (has_live) std::memcpy(&live_header, live_.data(), sizeof live_header);
  if (read_ring(words, has_live, quality)) return;

  bool live_is_in_file = false;
  std::size_t at = std::min<std::size_t>(header_.header_bytes / 8, words.size());
  while (at < words.size()) {
    std::size_t broken = at;  // where what can be read ends, if it does
    std::uint64_t promised = 0;
    bool same_as_live = false;
    if (at + chunk_header_words <= words.size() && std::memcmp(&words[at], "MORACHNK", 8) == 0) {
      ChunkImage image;
      std::memcpy(&image.header, &words[at], sizeof image.header);
      const auto there = words.subspan(at + chunk_header_words);
      promised = image.header.used / 8;
      same_as_live = has_live && image.header.generation == live_header.generation;
      if (promised > there.size() && same_as_live) break;  // killed while it was appended: the live chunk is whole
      image.words = there.first(static_cast<std::size_t>(std::min<std::uint64_t>(promised, there.size())));
      const std::size_t taken = take_chunk(image, quality);
      file_.forget();
      at += chunk_header_words + taken;
      live_is_in_file = same_as_live;
      is_whole_ = image.header.is_last != 0;
      if (taken == promised) continue;
      promised -= taken;
      broken = at;
    }
    while (at < words.size() && (at == broken || std::memcmp(&words[at], "MORACHNK", 8) != 0)) at++;
    const std::uint64_t lost = std::max<std::uint64_t>(at - broken, at == words.size() ? promised : 0);
    add_damage(lost, quality);
  }
  if (bytes.size() % 8 != 0 && !has_live)
    quality.add("journal-damaged-chunk", Severity::loss, where_, bytes.size() % 8,
                "bytes of a journal chunk cannot be read", "the file was cut or altered; record again");
  if (has_live && !live_is_in_file) {
    ChunkImage image;
    image.header = live_header;
    image.words = std::span<const std::uint64_t>(live_).subspan(chunk_header_words);
    take_chunk(image, quality);
  } else {
    live_.clear();
  }
}

/// Places are sorted by their first record; what is used is the newest run of them without a gap. The oldest may be
/// torn: the process was killed, or this is a copy made, while a newer image was being put in its place. It is left
/// out, and nothing is lost by that, as the newer one is the live chunk.
bool Journal::read_ring(std::span<const std::uint64_t> words, bool has_live, DataQuality& quality) {
  const std::size_t at = header_.header_bytes / 8, ring_words = sizeof(mora_ring_header) / 8;
  mora_ring_header ring{};
  if (words.size() < at || words.size() - at < ring_words) return false;
  std::memcpy(&ring, &words[at], sizeof ring);
  if (std::memcmp(ring.magic, MORA_RING_MAGIC, sizeof ring.magic) != 0) return false;
  const std::span<const std::uint64_t> places = words.subspan(at + ring_words);
  const std::size_t place_words = ring.place_bytes / 8;
  if (place_words <= chunk_header_words || ring.places > UINT32_MAX || ring.place_bytes > UINT32_MAX) {
    add_damage(places.size(), quality);
    live_.clear();
    return true;
  }
  struct Image {
    ChunkImage chunk;
    ChunkImage::Records found;
    bool is_live = false;
    std::uint64_t first() const { return chunk.header.first_record; }
    bool is_whole() const { return is_live || found.words == chunk.header.used / 8; }
  };
  std::vector<Image> images;
  const auto read_at = [](std::span<const std::uint64_t> from, std::size_t most, ChunkImage& chunk) {
    if (from.size() < chunk_header_words || std::memcmp(from.data(), "MORACHNK", 8) != 0) return false;
    std::memcpy(&chunk.header, from.data(), sizeof chunk.header);
    const auto there = from.subspan(chunk_header_words);
    chunk.words =
        there.first(static_cast<std::size_t>(std::min<std::uint64_t>({chunk.header.used / 8, most, there.size()})));
    return true;
  };
  std::uint64_t torn = 0;
  std::optional<Image> live;
  if (has_live) {
    live.emplace();
    live->is_live = true;
    std::memcpy(&live->chunk.header, live_.data(), sizeof live->chunk.header);
    live->chunk.words = std::span<const std::uint64_t>(live_).subspan(chunk_header_words);
    live->found = live->chunk.records();
  }
  for (std::uint64_t place = 0; place < ring.places && place * place_words < places.size(); ++place) {
    Image image;
    const auto there = places.subspan(static_cast<std::size_t>(place) * place_words);
    const bool is_image = read_at(there, place_words - chunk_header_words, image.chunk);
    if (is_image) image.found = image.chunk.records();
    if (!is_image || !image.is_whole()) torn += there[0] != 0 ? 1 : 0;
    if (!is_image) continue;
    file_.forget();
    if (!live || image.chunk.header.generation != live->chunk.header.generation) images.push_back(image);
  }
  if (live) images.push_back(*live);
  std::sort(images.begin(), images.end(), [](const Image& a, const Image& b) { return a.first() < b.first(); });
  std::size_t oldest = images.empty() ? 0 : images.size() - 1;
  while (oldest > 0 && images[oldest - 1].is_whole() &&
         images[oldest - 1].first() + images[oldest - 1].found.count == images[oldest].first())
    --oldest;
  const std::uint64_t first = images.empty() ? 0 : images[oldest].first();
  // A killed process leaves one torn place, beside its live chunk, and no gap in front of what is whole.
  for (std::size_t i = 0; i < oldest; ++i)
    if (images[i].is_whole()) add_damage(images[i].found.words, quality);
  if (torn > (has_live ? 1 : 0)) add_damage(torn * place_words, quality);

  std::size_t definitions = static_cast<std::size_t>(ring.places) * place_words;
  for (ChunkImage image; definitions < places.size();) {
    const bool is_image = read_at(places.subspan(definitions), places.size(), image);
    const auto found = is_image ? image.records() : ChunkImage::Records{};
    if (!is_image || found.words != image.header.used / 8) {
      if (!has_live) add_damage(places.size() - definitions, quality);  // else it was being written
      break;
    }
    if (image.header.first_record < first) {
      pieces_.push_back({image.words, 0});
      record_count_ += found.count;
    }
    definitions += chunk_header_words + found.words;
  }
  for (std::size_t i = oldest; i < images.size(); ++i) {
    const Image& image = images[i];
    clock_.push_back(image.chunk.header.opened);
    if (image.found.words > 0) pieces_.push_back({image.chunk.words.first(image.found.words), image.first()});
    record_count_ += image.found.count;
    is_whole_ = image.chunk.header.is_last != 0;
    if (!image.is_whole()) add_damage(image.chunk.header.used / 8 - image.found.words, quality);
  }
  if (first == 0) return true;
  ring_begin_ = images[oldest].chunk.header.opened.ticks;
  for (auto rest = images[oldest].chunk.words.first(images[oldest].found.words); rest.size() >= record_words;) {
    const std::size_t size = (rest[0] >> 32) & 0xffff;
    if (((rest[0] >> 8) & 0xff) != MORA_SHAPE_RING) break;
    for (std::size_t word = record_words; word + ring_entry_words <= size; word += ring_entry_words) {
      mora_ring_entry entry{};
      std::memcpy(&entry, &rest[word], sizeof entry);
      before_ring_.push_back(entry);
    }
    rest = rest.subspan(size);
  }
  return true;
}

void Journal::check_records(DataQuality& quality) {
  Cursor::Damage damage;
  Cursor cursor(*this, &damage);
  Record record;
  bool stopped = false;
  while (cursor.next(record)) {
    if (record.shape == MORA_SHAPE_CLOCK) clock_.push_back({record.payload[0], record.payload[1], record.payload[2]});
    if (record.shape == MORA_SHAPE_STATE) std::memcpy(&state_, record.payload.data(), sizeof state_);
    if (record.shape == MORA_SHAPE_END) {
      ended_ = true;
      finalized_ = !(record.flags & MORA_FLAG_UNSUCCESSFUL);
    }
    if (record.shape == MORA_SHAPE_LOST) {
      stopped = true;
      budget_end_ = pair_low(record.payload[0]) == MORA_LOST_BUDGET ? record.begin : 0;
      if (budget_end_ != 0) continue;
      quality.add("journal-lost", Severity::loss, where_, record.payload[1],
                  fmt::format("calls were not recorded: {}", system_reason(pair_low(record.payload[0]))),
                  "make room where the experiment is written (mora record -o) and record again");
    }
  }
  std::stable_sort(clock_.begin(), clock_.end(), [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  if (damage.records > 0)
    quality.add("journal-damaged-record", Severity::loss, where_, damage.records,
                "records that are damaged or of an unknown kind were left out", "the file was altered; record again");
  if (damage.lists > 0)
    quality.add("journal-cut-list", Severity::warning, where_, damage.lists, "lists that end too early",
                "the process was killed while it recorded: the rest of the list is not known");
  if (ended_ || stopped || is_whole_) return;
  if (live_.empty())
    quality.add("journal-live-chunk-missing", Severity::loss, where_, 1,
                "the process was killed and the chunk it was filling is not here",
                "run `mora recover` on the machine where the process ran, before its shared memory is cleared");
  else if (thread_ == 0)
    quality.add("journal-no-end", Severity::info, where_, 1,
                "the process was killed; everything it had recorded was read", "");
}

Result<Journal> Journal::open(const std::string& path, DataQuality& quality, std::uint32_t thread) {
  Journal journal;
  journal.path_ = path;
  journal.thread_ = thread;
  MORA_TRY(journal.file_, MappedFile::open(path));
  const auto bytes = journal.file_.bytes();
  if (bytes.size() < sizeof(mora_file_header))
    return fail(ErrorKind::unreadable, "cannot read a journal", path,
                fmt::format("it has {} bytes, its header needs {}", bytes.size(), sizeof(mora_file_header)));
  std::memcpy(&journal.header_, bytes.data(), sizeof journal.header_);
  const mora_file_header& header = journal.header_;
  if (std::memcmp(header.magic, MORA_JOURNAL_MAGIC, sizeof header.magic) != 0)
    return fail(ErrorKind::unreadable, "cannot read a journal", path, "it does not begin with " MORA_JOURNAL_MAGIC);
  if (header.version != MORA_JOURNAL_VERSION)
    return fail(ErrorKind::unreadable, "cannot read a journal", path,
                fmt::format("version {}, this program reads version {}", header.version, MORA_JOURNAL_VERSION),
                "use the mora that recorded it");
  if (header.header_bytes < sizeof header || header.header_bytes % 8 != 0)
    return fail(ErrorKind::unreadable, "cannot read a journal", path,
                fmt::format("its header says it is {} bytes long", header.header_bytes));
  journal.where_ = thread == 0 ? fmt::format("rank {}", header.world_rank)
                               : fmt::format("rank {} thread {}", header.world_rank, thread);
  journal.clock_.push_back(header.start);
  journal.read_chunks(quality);
  journal.check_records(quality);
  return journal;
}

}  // namespace mora::journal
