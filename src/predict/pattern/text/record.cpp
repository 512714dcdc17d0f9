// The line is read from the left up to the type group, and from the right for what follows the last " on comm ": names
// may hold anything. The kind of a line is decided by its operation field alone, never by words that occur somewhere in
// it. Cost: one pass over the line, no allocation on the common path.
#include "predict/pattern/text/record.h"

#include <array>
#include <charconv>
#include <cstring>

namespace mora::predict {
namespace {

enum class Shape : std::uint8_t { none, bare, message, rooted, rootless, named, file };

constexpr std::string_view on_comm = " on comm ";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Operations by spelling, whatever the case and with or without underscores: "allReduce", "Allreduce",
/// "MPI_Allreduce".
class Spellings {
 public:
  struct Entry {
    std::string key;
    Operation operation = Operation::other;
    Shape shape = Shape::none;
  };

  Spellings() {
    for (std::size_t i = 0; i < mpi::operation_count; ++i) {
      const auto operation = static_cast<Operation>(i);
      const auto kind = info(operation).kind;
      if (operation == Operation::other || kind == OperationClass::phase || kind == OperationClass::communicator)
        continue;
      insert(info(operation).mpi_name, operation);
      insert(info(operation).spelling, operation);
    }
    insert("Init_thread", Operation::init);
    insert("compute", Operation::other);
  }

  const Entry* find(std::string_view word) const {
    char key[longest];
    const std::size_t length = normalise(word, key);
    if (length == 0) return nullptr;
    for (std::size_t at = hash(key, length);; ++at) {
      const Entry& entry = table_[at % table_.size()];
      if (entry.shape == Shape::none) return nullptr;
      if (entry.key.size() == length && std::memcmp(entry.key.data(), key, length) == 0) return &entry;
    }
  }

 private:
  static constexpr std::size_t longest = 32;

  static Shape shape_of(Operation operation) {
    if (operation == Operation::barrier || operation == Operation::ibarrier) return Shape::named;
    if (operation == Operation::file_read || operation == Operation::file_write) return Shape::file;
    switch (info(operation).kind) {
      case OperationClass::send:
      case OperationClass::receive:
      case OperationClass::sendrecv:
      case OperationClass::one_sided:
        return Shape::message;
      case OperationClass::rooted:
        return Shape::rooted;
      case OperationClass::rootless:
      case OperationClass::neighborhood:
        return Shape::rootless;
      case OperationClass::window:
      case OperationClass::file:
        return Shape::named;
      default:
        return Shape::bare;
    }
  }

  /// Lower case without "mpi_" and underscores; 0 if that is longer than any operation.
  static std::size_t normalise(std::string_view word, char* key) {
    if (word.size() > 4 && word[3] == '_' && lower(word[0]) == 'm' && lower(word[1]) == 'p' && lower(word[2]) == 'i')
      word.remove_prefix(4);
    if (word.size() >= longest) return 0;
    std::size_t length = 0;
    for (const char c : word)
      if (c != '_') key[length++] = lower(c);
    return length;
  }

  static std::size_t hash(const char* key, std::size_t length) {
    std::size_t h = length;
    for (std::size_t i = 0; i < length; ++i) h = h * 31 + static_cast<unsigned char>(key[i]);
    return h ^ (h >> 9);
  }

  void insert(std::string_view word, Operation operation) {
    char key[longest];
    const std::size_t length = normalise(word, key);
    std::size_t at = hash(key, length) % table_.size();
    while (table_[at].shape != Shape::none) {
      if (table_[at].key == std::string_view(key, length)) return;
      at = (at + 1) % table_.size();
    }
    table_[at] = {std::string(key, length), operation, shape_of(operation)};
  }

  std::array<Entry, 1024> table_;
};

const Spellings& spellings() {
  static const Spellings table;
  return table;
}

void clear(TextRecord& r) {
  r.category = RecordCategory::ignored;
  r.operation = Operation::other;
  r.spelling.clear();
  r.sender = r.peer = r.count = -1;
  r.size = 0;
  r.min = r.max = r.median_twice = 0;
  r.type = r.second_type = -1;
  r.receive_count = -1;
  r.receive_size = 0;
  r.communicator.clear();
  r.id = r.local_sender = -1;
  r.color = r.key = 0;
  r.undefined_color = false;
  r.members = 0;
  r.name.clear();
  r.flag = -1;
  r.extension.clear();
}

class LineReader {
 public:
  LineReader(std::string_view line, TextRecord& record, Error& error)
      : line_(line), at_(line.data()), end_(line.data() + line.size()), r_(record), error_(error) {}

  bool read() {
    clear(r_);
    if (line_.empty()) return expected("a record, not an empty line");
    if (!(*at_ >= '0' && *at_ <= '9')) return read_without_rank();
    if (!number(r_.sender, "the rank of the process")) return false;
    if (!literal(" ", "a blank and an operation")) return false;
    if (starts("Comm ")) return read_creation();
    const std::string_view word = this->word();
    std::string_view base = word;
    const bool sends = word.ends_with("(s)"), receives = word.ends_with("(r)");
    if (sends || receives) base.remove_suffix(3);
    const auto* entry = spellings().find(base);
    if (entry == nullptr) return expected("an operation (init, send, Isend, bcast, allReduce, Comm split …)");
    r_.operation = entry->operation;
    const OperationClass kind = info(r_.operation).kind;
    if ((sends || receives) != (kind == OperationClass::sendrecv)) {
      return expected(kind == OperationClass::sendrecv ? "(s) or (r) behind the operation: what was sent, or received"
                                                       : "an operation without (s) and (r)");
    }
    r_.spelling.assign(word);
    at_ += word.size();
    switch (entry->shape) {
      case Shape::bare:
        return read_bare();
      case Shape::message:
        return read_message(kind == OperationClass::receive || receives);
      case Shape::rooted:
        return read_collective(true);
      case Shape::rootless:
        return read_collective(false);
      case Shape::named:
        return read_named();
      case Shape::file:
        return read_file();
      case Shape::none:
        break;
    }
    return expected("an operation");
  }

 private:
  bool expected(std::string_view what) {
    error_ = Error{ErrorKind::unreadable,
                   "cannot read the record",
                   "column " + std::to_string(at_ - line_.data() + 1),
                   "expected ",
                   {}};
    error_.why += what;
    return false;
  }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool starts(std::string_view text) const { return rest().starts_with(text); }
  std::string_view word() const {
    const void* blank = std::memchr(at_, ' ', static_cast<std::size_t>(end_ - at_));
    return {at_, static_cast<std::size_t>((blank == nullptr ? end_ : static_cast<const char*>(blank)) - at_)};
  }
  bool literal(std::string_view text, std::string_view what) {
    if (!starts(text)) return expected(what);
    at_ += text.size();
    return true;
  }
  template <class Number>
  bool number(Number& value, std::string_view what) {
    const auto [after, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{}) return expected(what);
    at_ = after;
    return true;
  }

  bool count(std::int64_t& value, std::string_view what) {
    const char* start = at_;
    if (!number(value, what)) return false;
    if (value >= 0) return true;
    at_ = start;
    return expected(what);
  }

  /// Phase …, Comm … free., Tested …, the creation that gave no communicator.
  bool read_without_rank() {
    if (starts("Phase ")) {
      const bool start = line_.ends_with(" start."), end = line_.ends_with(" end.");
      const std::size_t tail = start ? 7 : 5;
      if ((!start && !end) || line_.size() < 6 + tail) {
        at_ = end_;
        return expected("\" start.\" or \" end.\" behind the phase's name");
      }
      r_.category = start ? RecordCategory::phase_start : RecordCategory::phase_end;
      r_.operation = start ? Operation::phase_begin : Operation::phase_end;
      r_.name.assign(line_.substr(6, line_.size() - 6 - tail));
      return true;
    }
    if (starts("Tested ")) {
      r_.operation = Operation::test;
      r_.spelling.assign("Tested");
      at_ += 7;
      if (!number(r_.flag, "the flag of the test")) return false;
      return literal(".", "a full stop") && at_end();
    }
    if (starts("Comm ") && line_.ends_with(" free.") && line_.size() >= 11) {
      r_.category = RecordCategory::communicator;
      r_.operation = Operation::comm_free;
      r_.spelling.assign("Comm free");
      r_.name.assign(line_.substr(5, line_.size() - 11));
      r_.communicator = r_.name;
      return true;
    }
    if (starts("Comm ")) return read_creation();
    return expected("a rank, \"Phase NAME start.\", \"Phase NAME end.\", \"Comm NAME free.\" or \"Tested F.\"");
  }

  bool at_end() { return at_ == end_ || expected("the end of the line"); }

  /// Nothing is expected behind the operation; "init" has a number, PAPI's "compute" two.
  bool read_bare() {
    if (at_ == end_) return true;
    if (!literal(" ", "a blank")) return false;
    if (r_.operation == Operation::init) return number(r_.count, "a number") && at_end();
    if (r_.operation != Operation::other) return expected("the end of the line");
    r_.extension.assign(rest());
    return true;
  }

  /// "Comm WORD. color=…" of the process that is in the new communicator, "Comm WORD invoked …" of one that is not.
  bool read_creation() {
    at_ += 5;
    const std::string_view tail = rest();
    const std::size_t stop = tail.find_first_of(". ");
    const std::string_view word = tail.substr(0, stop);
    std::string name("Comm_");
    auto operation = mpi::operation_of_mpi_name(name.append(word));
    if (!operation) operation = mpi::operation_of_mpi_name(word);
    if (!operation || info(*operation).kind != OperationClass::communicator || *operation == Operation::comm_free)
      return expected("how the communicator was made (split, dup, Cart_create …)");
    r_.category = RecordCategory::communicator;
    r_.operation = *operation;
    r_.spelling.assign("Comm ").append(word);
    at_ += word.size();
    if (starts(" invoked by process but with color=MPI_UNDEFINED")) {
      at_ = end_;
      r_.undefined_color = true;
      return true;
    }
    if (!literal(". color=", "\". color=\"") || !number(r_.color, "the colour, a whole number")) return false;
    if (r_.sender < 0) {
      at_ = line_.data();
      return expected("the rank of the process");
    }
    if (!literal(", key=", "\", key=\"") || !number(r_.key, "the key, a whole number")) return false;
    if (!literal(".New comm ", "\".New comm \"")) return false;
    const std::string_view named = rest();
    const std::size_t of = named.rfind(" of size ");
    if (of == std::string_view::npos) {
      at_ = end_;
      return expected("\" of size \" behind the communicator's name");
    }
    r_.name.assign(named.substr(0, of));
    r_.communicator = r_.name;
    at_ += of + 9;
    return number(r_.members, "the size of the communicator") && at_end();
  }

  bool read_named() { return at_ == end_ || (read_tail() && (r_.communicator.assign(rest()), true)); }

  bool read_file() {
    if (!literal(" ", "a blank and the count") || !count(r_.count, "the count") || !read_size(r_.size)) return false;
    return read_types() && read_tail() && (r_.communicator.assign(rest()), true);
  }

  bool read_size(std::uint64_t& size) {
    return literal(" (of ", "\" (of \", bytes of one element") && number(size, "the bytes of one element") &&
           literal(" bytes)", "\" bytes)\"");
  }

  bool read_message(bool receives) {
    r_.category = RecordCategory::point_to_point;
    if (!literal(" ", "a blank and the peer's rank") || !number(r_.peer, "the peer's rank")) return false;
    if (receives && at_ == end_) return true;  // MinI's short record
    if (!literal(" ", "a blank and the count") || !count(r_.count, "the count") || !read_size(r_.size)) return false;
    if (!literal(" ", "a blank and the type's code") || !number(r_.type, "the type's code")) return false;
    return read_tail() && (r_.communicator.assign(rest()), true);
  }

  /// The extension slot, up to and with the last " on comm ".
  bool read_tail() {
    const std::string_view all = rest();
    std::size_t slot = 0;
    if (!all.starts_with(on_comm) ||
        std::memchr(all.data() + on_comm.size(), ' ', all.size() - on_comm.size()) != nullptr) {
      slot = all.rfind(on_comm);
      if (slot == std::string_view::npos) {
        if (!all.ends_with(" on comm")) return expected("\" on comm \" and the communicator");
        slot = all.size() - 8;
      }
    }
    if (slot > 0) {
      if (all[0] != ' ') return expected("a blank");
      r_.extension.assign(all.substr(1, slot - 1));
    }
    at_ += std::min(slot + on_comm.size(), all.size());
    return true;
  }

  bool read_median() {
    std::int64_t whole = 0;
    if (!count(whole, "the median")) return false;
    std::int64_t half = 0;
    if (at_ < end_ && *at_ == '.') {
      ++at_;
      if (at_ < end_ && *at_ == '5') half = 1;
      const char* digit = at_;
      if (half != 0) ++at_;
      while (at_ < end_ && *at_ == '0') ++at_;
      if (at_ == digit || (at_ < end_ && *at_ >= '0' && *at_ <= '9'))
        return expected("a median: a whole number, or a whole number and a half (.5)");
    }
    if (whole > INT64_MAX / 2 - 1) return expected("a median that is a count");
    r_.median_twice = 2 * whole + half;
    return true;
  }

  bool read_collective(bool rooted) {
    if (!literal(" ", "a blank and the count")) return false;
    const bool vector = starts("min=");
    r_.category = rooted ? (vector ? RecordCategory::rooted_vector : RecordCategory::rooted)
                         : (vector ? RecordCategory::rootless_vector : RecordCategory::rootless);
    if (vector) {
      at_ += 4;
      if (!count(r_.min, "the least count") || !literal(" median=", "\" median=\"") || !read_median()) return false;
      if (!literal(" max=", "\" max=\"") || !count(r_.max, "the greatest count")) return false;
    } else if (!count(r_.count, "the count, or min=")) {
      return false;
    }
    if (!read_size(r_.size)) return false;
    if (rooted && (!literal(" ", "a blank and the root") || !number(r_.peer, "the root's rank"))) return false;
    if (!read_types()) return false;
    if (blocking_form(r_.operation) == Operation::allgather) read_receive_group();
    if (!read_tail()) return false;
    return rooted ? read_local_sender() : read_id();
  }

  bool read_types() {
    if (!literal(" of type", "\" of type \" or \" of types \"")) return false;
    if (at_ < end_ && *at_ == 's') {
      ++at_;
      return literal(" ", "a blank") && number(r_.type, "the code of the send type") && literal(", ", "\", \"") &&
             number(r_.second_type, "the code of the receive type");
    }
    return literal(" ", "a blank") && number(r_.type, "the type's code");
  }

  /// " RC (of RS bytes)" of allGather; anything else there is an extension.
  void read_receive_group() {
    const char* start = at_;
    if (literal(" ", "") && number(r_.receive_count, "") && read_size(r_.receive_size)) return;
    r_.receive_count = -1;
    r_.receive_size = 0;
    at_ = start;
  }

  /// The communicator and, behind its last blank, a number.
  bool split_tail(std::int64_t& value, std::string_view what) {
    const std::string_view tail = rest();
    const std::size_t blank = tail.rfind(' ');
    const std::size_t from = blank == std::string_view::npos ? 0 : blank + 1;
    r_.communicator.assign(tail.substr(0, blank == std::string_view::npos ? 0 : blank));
    at_ += from;
    return number(value, what) && at_end();
  }

  bool read_id() { return split_tail(r_.id, "the number of the collective behind the communicator"); }

  bool read_local_sender() {
    if (rest() == world_name) {
      r_.communicator.assign(world_name);
      return true;
    }
    return split_tail(r_.local_sender, "the process's rank in the communicator, behind its name");
  }

  std::string_view line_;
  const char* at_;
  const char* end_;
  TextRecord& r_;
  Error& error_;
};

}  // namespace

bool parse_text_record(std::string_view line, TextRecord& record, Error& error) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return LineReader(line, record, error).read();
}

}  // namespace mora::predict
