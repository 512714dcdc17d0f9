/// How each operation is agreed on: begin() first; sizes, then bytes, of all boxes in one order that both sides know.
/// Idea and cost: mpi_carrier.h.
#include "analysis/carrier/mpi_carrier.h"

#include <cstring>
#include <utility>

namespace mora::analysis {

namespace {

struct Word {
  std::uint32_t step = 0;
  std::uint32_t failed = 0;
};

/// An error as bytes of fixed size; long texts are cut.
struct ErrorBlock {
  std::uint32_t kind = 0;
  char text[4][1000] = {};
};

ErrorBlock pack(const Error& error) {
  ErrorBlock block;
  block.kind = static_cast<std::uint32_t>(error.kind);
  const std::string* texts[] = {&error.what, &error.where, &error.why, &error.help};
  for (std::size_t i = 0; i < 4; ++i) texts[i]->copy(block.text[i], sizeof block.text[i] - 1);
  return block;
}

Error unpack(const ErrorBlock& block) {
  return Error{static_cast<ErrorKind>(block.kind), block.text[0], block.text[1], block.text[2], block.text[3]};
}

std::byte* bytes_of(void* data) { return static_cast<std::byte*>(data); }

}  // namespace

Result<std::unique_ptr<MpiCarrier>> MpiCarrier::create(Processes& processes, unsigned partitions) {
  std::unique_ptr<MpiCarrier> carrier(new MpiCarrier(processes));
  MORA_TRY(const auto all, processes.all_gather(bytes_of(&partitions), sizeof partitions));
  carrier->first_.push_back(0);
  for (int p = 0; p < processes.size(); ++p) {
    unsigned count = 0;
    std::memcpy(&count, all.data() + static_cast<std::size_t>(p) * sizeof count, sizeof count);
    const unsigned first = carrier->first_.back();
    carrier->first_.push_back(first + count);
    if (p != processes.rank()) continue;
    for (unsigned i = 0; i < count; ++i) carrier->local_.push_back(first + i);
  }
  return carrier;
}

void MpiCarrier::lose(const Error& error) {
  failed_ = is_lost_ = true;
  failure_ = error;
}

Result<void> MpiCarrier::transfer(std::vector<Processes::Piece> sends, std::vector<Processes::Piece> receives) {
  auto done = processes_.transfer(std::move(sends), std::move(receives));
  if (!done) lose(done.error());
  return done;
}

Result<std::vector<std::byte>> MpiCarrier::all_gather(const std::byte* own, std::size_t bytes) {
  auto all = processes_.all_gather(own, bytes);
  if (!all) lose(all.error());
  return all;
}

Result<void> MpiCarrier::begin(Step step, const Error* own) {
  if (failed_) return tl::unexpected(failure_);
  Word word{static_cast<std::uint32_t>(step), own != nullptr ? 1U : 0U};
  MORA_TRY(const auto words, all_gather(bytes_of(&word), sizeof word));
  int failed = -1;
  bool differ = false;
  for (int p = processes_.size() - 1; p >= 0; --p) {
    Word other;
    std::memcpy(&other, words.data() + static_cast<std::size_t>(p) * sizeof other, sizeof other);
    if (other.failed != 0) failed = p;
    differ = differ || other.step != word.step;
  }
  if (failed < 0 && !differ) return {};
  failed_ = true;
  if (failed < 0) {
    failure_ = Error{ErrorKind::internal, "the processes of the analysis disagree about the next step", {}, {}, {}};
    return tl::unexpected(failure_);
  }
  ErrorBlock block = pack(own != nullptr ? *own : Error{});
  MORA_TRY(const auto blocks, all_gather(bytes_of(&block), sizeof block));
  std::memcpy(&block, blocks.data() + static_cast<std::size_t>(failed) * sizeof block, sizeof block);
  failure_ = unpack(block);
  return tl::unexpected(failure_);
}

Result<void> MpiCarrier::agree(Result<void> own) { return begin(Step::agree, own ? nullptr : &own.error()); }

Result<std::vector<std::vector<std::uint64_t>>> MpiCarrier::exchange_sizes(std::vector<std::vector<std::uint64_t>> own,
                                                                           const std::vector<std::size_t>& expected) {
  std::vector<std::vector<std::uint64_t>> theirs(own.size());
  std::vector<Processes::Piece> sends;
  std::vector<Processes::Piece> receives;
  for (int p = 0; p < processes_.size(); ++p) {
    if (p == processes_.rank()) continue;
    const auto at = static_cast<std::size_t>(p);
    theirs[at].resize(expected[at]);
    sends.push_back({p, bytes_of(own[at].data()), own[at].size() * sizeof(std::uint64_t)});
    receives.push_back({p, bytes_of(theirs[at].data()), theirs[at].size() * sizeof(std::uint64_t)});
  }
  MORA_CHECK_OK(transfer(std::move(sends), std::move(receives)));
  return theirs;
}

Result<Boxes> MpiCarrier::exchange(Boxes outgoing) {
  MORA_CHECK_OK(begin(Step::exchange, nullptr));
  const std::size_t here = local_.size();
  const auto processes = static_cast<std::size_t>(processes_.size());
  std::vector<std::vector<std::uint64_t>> sizes(processes);
  std::vector<std::size_t> expected(processes);
  for (std::size_t p = 0; p < processes; ++p) {
    expected[p] = here * parts_of(static_cast<int>(p));
    for (std::size_t i = 0; i < here; ++i) {
      for (unsigned d = first_[p]; d < first_[p + 1]; ++d) sizes[p].push_back(outgoing[i][d].size());
    }
  }
  MORA_TRY(const auto incoming_sizes, exchange_sizes(std::move(sizes), expected));
  Boxes incoming(here, std::vector<Buffer>(partitions()));
  std::vector<Processes::Piece> sends;
  std::vector<Processes::Piece> receives;
  for (int p = 0; p < processes_.size(); ++p) {
    const auto at = static_cast<std::size_t>(p);
    if (p == processes_.rank()) {
      for (std::size_t i = 0; i < here; ++i) {
        for (std::size_t d = 0; d < here; ++d) incoming[d][local_[i]] = std::move(outgoing[i][local_[d]]);
      }
      continue;
    }
    for (std::size_t i = 0; i < here; ++i) {
      for (unsigned d = first_[at]; d < first_[at + 1]; ++d) {
        sends.push_back({p, outgoing[i][d].data(), outgoing[i][d].size()});
      }
    }
    std::size_t next = 0;
    for (unsigned s = first_[at]; s < first_[at + 1]; ++s) {
      for (std::size_t i = 0; i < here; ++i) {
        Buffer& box = incoming[i][s];
        box.resize(incoming_sizes[at][next++]);
        receives.push_back({p, box.data(), box.size()});
      }
    }
  }
  MORA_CHECK_OK(transfer(std::move(sends), std::move(receives)));
  return incoming;
}

Result<std::vector<Buffer>> MpiCarrier::gather_to_all(std::vector<Buffer> own) {
  MORA_CHECK_OK(begin(Step::gather, nullptr));
  const auto processes = static_cast<std::size_t>(processes_.size());
  std::vector<std::vector<std::uint64_t>> sizes(processes);
  std::vector<std::size_t> expected(processes);
  for (std::size_t p = 0; p < processes; ++p) {
    expected[p] = parts_of(static_cast<int>(p));
    for (const Buffer& buffer : own) sizes[p].push_back(buffer.size());
  }
  MORA_TRY(const auto incoming_sizes, exchange_sizes(std::move(sizes), expected));
  std::vector<Buffer> all(partitions());
  std::vector<Processes::Piece> sends;
  std::vector<Processes::Piece> receives;
  for (int p = 0; p < processes_.size(); ++p) {
    if (p == processes_.rank()) continue;
    const auto at = static_cast<std::size_t>(p);
    for (Buffer& buffer : own) sends.push_back({p, buffer.data(), buffer.size()});
    for (std::size_t i = 0; i < expected[at]; ++i) {
      Buffer& buffer = all[first_[at] + i];
      buffer.resize(incoming_sizes[at][i]);
      receives.push_back({p, buffer.data(), buffer.size()});
    }
  }
  MORA_CHECK_OK(transfer(std::move(sends), std::move(receives)));
  for (std::size_t i = 0; i < own.size(); ++i) all[local_[i]] = std::move(own[i]);
  return all;
}

}  // namespace mora::analysis
