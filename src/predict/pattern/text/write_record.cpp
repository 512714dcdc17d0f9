// The exact spelling of one line of a text trace; write.cpp lists the shapes.
#include <fmt/format.h>

#include <iterator>

#include "predict/pattern/text/record.h"

namespace mora::predict {
namespace {

using Out = std::back_insert_iterator<std::string>;

void types(const TextRecord& r, Out out) {
  if (r.second_type >= 0)
    fmt::format_to(out, " of types {}, {}", r.type, r.second_type);
  else
    fmt::format_to(out, " of type {}", r.type);
}

void statistics(const TextRecord& r, Out out) {
  fmt::format_to(out, "min={} median={}.{}00000 max={}", r.min, r.median_twice / 2, r.median_twice % 2 == 0 ? 0 : 5,
                 r.max);
}

void head(const TextRecord& r, Out out) { fmt::format_to(out, "{} {}", r.sender, r.spelling); }

/// Extensions that other tools wrote are kept.
void tail(const TextRecord& r, Out out) {
  if (!r.extension.empty()) fmt::format_to(out, " {}", r.extension);
  fmt::format_to(out, " on comm {}", r.communicator);
}

void ignored(const TextRecord& r, Out out) {
  if (r.operation == Operation::test) {
    fmt::format_to(out, "Tested {}.", r.flag);
    return;
  }
  head(r, out);
  if (r.operation == Operation::init) fmt::format_to(out, " 1");
  if (r.operation == Operation::file_read || r.operation == Operation::file_write)
    fmt::format_to(out, " {} (of {} bytes) of type {}", r.count, r.size, r.type);
  if (!r.communicator.empty())
    tail(r, out);
  else if (!r.extension.empty())
    fmt::format_to(out, " {}", r.extension);
}

/// "split" of MPI_Comm_split, "Cart_create" of MPI_Cart_create.
std::string_view creation_word(Operation operation) {
  auto name = info(operation).mpi_name;
  if (name.starts_with("Comm_")) name.remove_prefix(5);
  return name;
}

void communicator(const TextRecord& r, Out out) {
  if (r.operation == Operation::comm_free)
    fmt::format_to(out, "Comm {} free.", r.name);
  else if (r.undefined_color)
    fmt::format_to(out, "Comm {} invoked by process but with color=MPI_UNDEFINED", creation_word(r.operation));
  else
    fmt::format_to(out, "{} Comm {}. color={}, key={}.New comm {} of size {}", r.sender, creation_word(r.operation),
                   r.color, r.key, r.communicator, r.members);
}

}  // namespace

void append_text_record(const TextRecord& r, std::string& text) {
  const Out out(text);
  switch (r.category) {
    case RecordCategory::ignored:
      ignored(r, out);
      break;
    case RecordCategory::point_to_point:
      head(r, out);
      if (r.count < 0) {  // MinI's short record of a receive
        fmt::format_to(out, " {}", r.peer);
        break;
      }
      fmt::format_to(out, " {} {} (of {} bytes) {}", r.peer, r.count, r.size, r.type);
      tail(r, out);
      break;
    case RecordCategory::rooted:
    case RecordCategory::rooted_vector:
      head(r, out);
      text += ' ';
      if (r.category == RecordCategory::rooted)
        fmt::format_to(out, "{}", r.count);
      else
        statistics(r, out);
      fmt::format_to(out, " (of {} bytes) {}", r.size, r.peer);
      types(r, out);
      tail(r, out);
      if (r.local_sender >= 0) fmt::format_to(out, " {}", r.local_sender);
      break;
    case RecordCategory::rootless:
    case RecordCategory::rootless_vector:
      head(r, out);
      text += ' ';
      if (r.category == RecordCategory::rootless)
        fmt::format_to(out, "{}", r.count);
      else
        statistics(r, out);
      fmt::format_to(out, " (of {} bytes)", r.size);
      types(r, out);
      if (r.receive_count >= 0) fmt::format_to(out, " {} (of {} bytes)", r.receive_count, r.receive_size);
      tail(r, out);
      fmt::format_to(out, " {}", r.id);
      break;
    case RecordCategory::communicator:
      communicator(r, out);
      break;
    case RecordCategory::phase_start:
      fmt::format_to(out, "Phase {} start.", r.name);
      break;
    case RecordCategory::phase_end:
      fmt::format_to(out, "Phase {} end.", r.name);
      break;
  }
  text += '\n';
}

}  // namespace mora::predict
