/// Predictor: the bits to come; the arithmetic coder around it writes and reads them (mixing_coder.h).
#include "predict/pattern/archive/mixing_coder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace mora::predict::archive {
namespace {

// Probabilities have 12 bits; their logits ("stretched") 8 bits behind the point.

int squash(int d) {
  static constexpr int table[33] = {1,    2,    3,    6,    10,   16,   27,   45,   73,   120,  194,
                                    310,  488,  747,  1101, 1546, 2047, 2549, 2994, 3348, 3607, 3785,
                                    3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094};
  if (d > 2047) return 4095;
  if (d < -2047) return 1;
  const int weight = d & 127, at = (d >> 7) + 16;
  return (table[at] * (128 - weight) + table[at + 1] * weight + 64) >> 7;
}

const std::array<std::int16_t, 4096>& stretched() {
  static const auto table = [] {
    std::array<std::int16_t, 4096> t{};
    int from = 0;
    for (int x = -2047; x <= 2047; ++x) {
      const int p = squash(x);
      for (; from <= p; ++from) t[static_cast<std::size_t>(from)] = static_cast<std::int16_t>(x);
    }
    for (; from < 4096; ++from) t[static_cast<std::size_t>(from)] = 2047;
    return t;
  }();
  return table;
}

/// Predicts the next bit of the string that it is told bit by bit.
class Predictor {
 public:
  explicit Predictor(std::size_t bytes)
      : mask_(std::bit_ceil(std::clamp<std::size_t>(bytes * 4, 1 << 12, 1 << 20)) - 1),
        slots_(orders * (mask_ + 1), std::uint32_t{1} << 31),
        weights_(256 * inputs, (1 << 16) / 3),
        matches_(std::bit_ceil(std::clamp<std::size_t>(bytes, 1 << 10, 1 << 18)), 0) {
    text_.reserve(bytes);
    next_byte();
  }

  /// Of a 1, in 1/4096: 1 to 4095.
  int probability() {
    const auto& stretch = stretched();
    for (std::size_t i = 0; i < orders; ++i) {
      used_[i] = &slots_[i * (mask_ + 1) + ((contexts_[i] + partial_ * 0x9E3779B1u) * 0x2545F491u >> 7 & mask_)];
      inputs_[i] = stretch[*used_[i] >> 20];
    }
    inputs_[orders] = 0;
    if (length_ > 0) {
      const unsigned expected = static_cast<unsigned char>(text_[match_]) | 256u;
      const unsigned bits = static_cast<unsigned>(std::bit_width(partial_)) - 1;
      if (expected >> (8 - bits) != partial_) {
        length_ = 0;
      } else {
        const int sure = std::min<int>(static_cast<int>(length_), 32) * 64;
        inputs_[orders] = (expected >> (7 - bits) & 1) != 0 ? std::min(sure, 2047) : -std::min(sure, 2047);
      }
    }
    inputs_[orders + 1] = 256;
    row_ = &weights_[partial_ * inputs];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < inputs; ++i) sum += std::int64_t{inputs_[i]} * row_[i];
    mixed_ = std::clamp(squash(static_cast<int>(std::clamp<std::int64_t>(sum >> 16, -2047, 2047))), 1, 4095);
    return mixed_;
  }

  void update(unsigned bit) {
    const int error = ((static_cast<int>(bit) << 12) - mixed_) * 3;
    for (std::size_t i = 0; i < inputs; ++i) row_[i] += (inputs_[i] * error + 0x2000) >> 14;
    for (std::size_t i = 0; i < orders; ++i) {
      std::uint32_t& slot = *used_[i];
      const std::uint32_t seen = slot & 1023;
      const auto old = static_cast<std::int64_t>(slot >> 10);
      const std::int64_t wanted = bit != 0 ? (1 << 22) - 1 : 0;
      const std::int64_t now = old + (wanted - old) * 2 / (2 * static_cast<std::int64_t>(seen) + 3);
      slot = static_cast<std::uint32_t>(now) << 10 | std::min<std::uint32_t>(seen + 1, limit);
    }
    partial_ = partial_ * 2 + bit;
    if (partial_ >= 256) {
      text_.push_back(static_cast<char>(partial_ & 255));
      next_byte();
    }
  }

 private:
  static constexpr std::size_t orders = 7, inputs = orders + 2;
  static constexpr std::uint32_t limit = 20;

  void next_byte() {
    partial_ = 1;
    const std::size_t n = text_.size();
    std::uint32_t hash = 0;
    static constexpr std::size_t lengths[orders] = {0, 1, 2, 3, 4, 6, 10};
    std::size_t taken = 0;
    for (std::size_t i = 0; i < orders; ++i) {
      for (; taken < lengths[i] && taken < n; ++taken)
        hash = (hash + static_cast<unsigned char>(text_[n - 1 - taken]) + 1) * 0x2C1B3C6Du;
      contexts_[i] = (hash ^ hash >> 15) + static_cast<std::uint32_t>(i) * 0x85EBCA6Bu;
    }
    if (length_ > 0) {
      ++match_;
      ++length_;
    }
    if (n < shortest_match) return;
    std::uint32_t key = 0;
    for (std::size_t i = n - shortest_match; i < n; ++i)
      key = (key + static_cast<unsigned char>(text_[i])) * 0x2C1B3C6Du;
    std::uint32_t& last = matches_[key >> 7 & (matches_.size() - 1)];
    if (length_ == 0 && last > 0) {
      match_ = last;
      while (length_ < 32 && length_ < match_ && text_[match_ - 1 - length_] == text_[n - 1 - length_]) ++length_;
    }
    last = static_cast<std::uint32_t>(n);
  }
  static constexpr std::size_t shortest_match = 7;

  const std::size_t mask_;
  std::vector<std::uint32_t> slots_;  ///< 22 bits of probability, 10 bits of how often it was used
  std::vector<int> weights_;
  std::vector<std::uint32_t> matches_;
  std::string text_;
  std::uint32_t contexts_[orders] = {};
  std::uint32_t* used_[orders] = {};
  int inputs_[inputs] = {};
  int* row_ = nullptr;
  int mixed_ = 2048;
  unsigned partial_ = 1;
  std::size_t match_ = 0, length_ = 0;
};

std::uint32_t middle(std::uint32_t low, std::uint32_t high, int probability) {
  return low + static_cast<std::uint32_t>(std::uint64_t{high - low} * static_cast<std::uint32_t>(probability) >> 12);
}

}  // namespace

std::string mix_pack(std::string_view raw) {
  Predictor predictor(raw.size());
  std::string out;
  std::uint32_t low = 0, high = UINT32_MAX;
  for (const char c : raw) {
    for (int shift = 7; shift >= 0; --shift) {
      const unsigned bit = static_cast<unsigned char>(c) >> shift & 1;
      const std::uint32_t cut = middle(low, high, predictor.probability());
      (bit != 0 ? high : low) = bit != 0 ? cut : cut + 1;
      predictor.update(bit);
      for (; ((low ^ high) & 0xFF000000u) == 0; low <<= 8, high = high << 8 | 255)
        out.push_back(static_cast<char>(high >> 24));
    }
  }
  for (int i = 0; i < 4; ++i, low <<= 8) out.push_back(static_cast<char>(low >> 24));
  while (!out.empty() && out.back() == 0) out.pop_back();
  return out;
}

std::string mix_unpack(std::string_view packed, std::size_t bytes) {
  Predictor predictor(bytes);
  std::string raw;
  raw.reserve(bytes);
  std::size_t at = 0;
  const auto next = [&]() -> std::uint32_t {
    return at < packed.size() ? static_cast<unsigned char>(packed[at++]) : 0;
  };
  std::uint32_t low = 0, high = UINT32_MAX, code = 0;
  for (int i = 0; i < 4; ++i) code = code << 8 | next();
  while (raw.size() < bytes) {
    unsigned c = 0;
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t cut = middle(low, high, predictor.probability());
      const unsigned bit = code <= cut ? 1 : 0;
      (bit != 0 ? high : low) = bit != 0 ? cut : cut + 1;
      predictor.update(bit);
      c = c * 2 + bit;
      for (; ((low ^ high) & 0xFF000000u) == 0; low <<= 8, high = high << 8 | 255) code = code << 8 | next();
    }
    raw.push_back(static_cast<char>(c));
  }
  return raw;
}

}  // namespace mora::predict::archive
