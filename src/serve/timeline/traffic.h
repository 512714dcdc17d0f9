/// Who sent how much to whom: point-to-point messages and one-sided transfers of a view, and how large they were.
/// Filled in one pass by one thread, then read by any.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "serve/site.h"
#include "trace/view/view.h"

namespace mora::serve {

class Traffic {
 public:
  explicit Traffic(std::uint32_t ranks) : ranks_(ranks) {}
  void add(std::uint32_t from, std::uint32_t to, std::uint64_t bytes);  ///< one; other ranks are left out

  /// Query: `first`, `count` of the ranks shown (default: all), `cells` at most in each direction (256). Ranks are
  /// joined where they are more. {"ranks", "first", "group", "cells": [[from, to, messages, bytes] …], "sizes": [[bytes
  /// at most, messages, bytes] …], "messages", "bytes"}.
  Result<std::string> json(const Query& query) const;

 private:
  struct Amount {
    std::uint64_t messages = 0, bytes = 0;
  };
  std::uint32_t ranks_;
  std::unordered_map<std::uint64_t, Amount> pairs_;  ///< from << 32 | to
  std::array<Amount, 65> sizes_{};                   ///< by bit length
  Amount all_;
};

}  // namespace mora::serve
