/// Records as steps of the parser: sizes in bytes, names as numbers.
#include "predict/pattern/parse/step.h"

namespace mora::predict {

std::uint32_t Names::number(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto at = numbers_.find(name); at != numbers_.end()) return at->second;
  texts_.emplace_back(name);
  const auto number = static_cast<std::uint32_t>(texts_.size() - 1);
  numbers_.emplace(texts_.back(), number);
  return number;
}

const std::string& Names::text(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return texts_[number];
}

std::size_t Names::size() const {
  const std::lock_guard lock(mutex_);
  return texts_.size();
}

std::uint32_t NameCache::number(std::string_view name) {
  constexpr std::size_t remembered = 4;
  for (const auto& [text, number] : last_)
    if (text == name) return number;
  const auto number = names_->number(name);
  if (last_.size() == remembered) last_.erase(last_.begin());
  last_.emplace_back(name, number);
  return number;
}

bool is_receive(const TextRecord& record) {
  return record.category == RecordCategory::point_to_point &&
         (info(record.operation).kind == OperationClass::receive || record.spelling.ends_with("(r)"));
}

namespace {

bool bytes(std::int64_t count, std::uint64_t size, std::int64_t& result) {
  return !__builtin_mul_overflow(count, size, &result);
}

bool amounts(const TextRecord& record, bool vector, Step& step) {
  if (!vector) return bytes(record.count, record.size, step.max);
  return bytes(record.min, record.size, step.min) && bytes(record.median_twice, record.size, step.median_twice) &&
         bytes(record.max, record.size, step.max);
}

}  // namespace

bool to_step(const TextRecord& record, std::uint32_t rank, NameCache& names, Step& step) {
  step = Step{};
  step.operation = record.operation;
  step.contiguous = record.contiguous();
  step.peer = static_cast<std::int32_t>(record.peer);
  const bool vector =
      record.category == RecordCategory::rooted_vector || record.category == RecordCategory::rootless_vector;
  step.vector = vector;
  switch (record.category) {
    case RecordCategory::ignored:
      if (record.operation == Operation::finalize) step.kind = StepKind::finalize;
      return true;
    case RecordCategory::point_to_point:
      if (record.peer < INT32_MIN || record.peer > INT32_MAX) return false;
      step.kind = is_receive(record)                                         ? StepKind::receive
                  : info(record.operation).kind == OperationClass::one_sided ? StepKind::one_sided
                                                                             : StepKind::message;
      step.name = names.number(record.communicator);
      return record.count < 0 || amounts(record, false, step);
    case RecordCategory::rooted:
    case RecordCategory::rooted_vector:
      step.kind = StepKind::rooted;
      step.name = names.number(record.communicator);
      // Outside of the world the root is recognised by the local rank at the end of the record (Kotomatas 2018, 3.3.2).
      step.is_root = record.peer == (record.local_sender >= 0 ? record.local_sender : std::int64_t{rank});
      return record.peer <= INT32_MAX && amounts(record, vector, step);
    case RecordCategory::rootless:
    case RecordCategory::rootless_vector:
      step.kind = StepKind::rootless;
      step.name = names.number(record.communicator);
      step.id = record.id;
      return amounts(record, vector, step);
    case RecordCategory::communicator:
      if (record.operation == Operation::comm_free || record.undefined_color) return true;
      step.kind = StepKind::member;
      step.name = names.number(record.communicator);
      step.max = static_cast<std::int64_t>(record.members);
      step.min = record.key;
      step.median_twice = record.color;
      return true;
    case RecordCategory::phase_start:
    case RecordCategory::phase_end:
      step.kind = record.category == RecordCategory::phase_start ? StepKind::phase_start : StepKind::phase_end;
      step.name = names.number(record.name);
      return true;
  }
  return false;
}

}  // namespace mora::predict
