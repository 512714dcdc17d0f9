/// Storage: where halves live when memory is bounded - an unlinked file in $TMPDIR, mapped, whose pages are dropped
/// from memory whenever the process holds more than it may.
///
/// Chunked and SpillVector take their memory from the current Storage of the thread that makes or grows them, from the
/// heap if there is none. Addresses stay valid: a dropped page comes back from the page cache or the disk when touched.
/// Pieces of the file are allocated before they are mapped, so that a full disk is an error and no signal.
/// After a failure memory comes from the heap, so that elements need not be checked one by one: the engine asks check()
/// after each location and stage. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mora::analysis {

class Storage {
 public:
  /// `budget`: bytes of resident memory of the whole process; some 32 MiB above are taken at times, more
  /// where others have the processors, because pages are dropped by a thread that looks once a millisecond.
  explicit Storage(std::uint64_t budget);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Page-aligned; nullptr once it failed. give_back() with the same size.
  void* take(std::size_t bytes);
  void give_back(void* memory, std::size_t bytes);

  bool has_failed() const { return failed_.load(std::memory_order_relaxed); }
  /// The failure, if there was one: names the directory and what to do.
  Result<void> check() const;
  /// Drops pages if the process holds too much. Cheap: a look at a counter of the kernel.
  void trim();
  std::uint64_t budget() const { return budget_; }
  std::uint64_t bytes_on_disk() const { return end_; }

  /// Of this thread; nullptr: the heap.
  static Storage* current();

 private:
  friend class StorageScope;
  struct Mapping {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    std::uint64_t offset = 0;
  };
  static std::size_t rounded(std::size_t bytes);
  std::byte* map_more(std::size_t bytes);
  void fail_with(const std::string& why);
  void watch(const std::stop_token& stop);

  std::uint64_t budget_;
  std::uint64_t limit_;  ///< of resident memory, above which pages are dropped
  std::string directory_;
  int file_ = -1;
  int statm_ = -1;
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> since_look_{0};
  std::atomic<std::uint64_t> kept_{0};  ///< resident after the last drop
  mutable std::mutex mutex_;
  std::string why_;
  std::uint64_t end_ = 0;
  std::vector<Mapping> mappings_;
  std::byte* next_ = nullptr;  ///< free part of the last shared mapping
  std::byte* stop_ = nullptr;
  std::map<std::size_t, std::vector<std::byte*>> free_;
  std::jthread watcher_;
};

/// For loops that go back and forth through much of what is stored: looks every so many steps, because the thread that
/// looks once a millisecond may get no processor. A fault maps 16 pages: between two looks some 16 MiB come in.
class StoragePace {
 public:
  void step() {
    if (++steps_ % 256 == 0 && storage_ != nullptr) storage_->trim();
  }

 private:
  Storage* const storage_ = Storage::current();
  unsigned steps_ = 0;
};

/// Makes a storage the thread's current one; nullptr is allowed.
class StorageScope {
 public:
  explicit StorageScope(Storage* storage);
  ~StorageScope();
  StorageScope(const StorageScope&) = delete;
  StorageScope& operator=(const StorageScope&) = delete;

 private:
  Storage* before_;
};

/// Large blocks from the current storage, others from the heap. Elements made without a value are not set to zero.
template <class T>
class SpillAllocator {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;
  SpillAllocator() = default;
  template <class U>
  SpillAllocator(const SpillAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_block(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { deallocate_block(memory); }
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Values>
  void construct(U* place, Values&&... values) {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
  template <class U>
  bool operator==(const SpillAllocator<U>&) const {
    return true;
  }

 private:
  static void* allocate_block(std::size_t bytes);
  static void deallocate_block(void* memory);
};

/// Stands before each block: the storage it came from (nullptr: the heap) and its size.
struct SpillBlock {
  static constexpr std::size_t head = 64;
  static constexpr std::size_t least = 16384;
  Storage* storage = nullptr;
  std::size_t bytes = 0;
};

template <class T>
void* SpillAllocator<T>::allocate_block(std::size_t bytes) {
  static_assert(alignof(T) <= SpillBlock::head);
  SpillBlock block{Storage::current(), bytes + SpillBlock::head};
  std::byte* memory = nullptr;
  if (block.storage != nullptr && block.bytes >= SpillBlock::least) {
    memory = static_cast<std::byte*>(block.storage->take(block.bytes));
  }
  if (memory == nullptr) {
    block.storage = nullptr;
    memory = static_cast<std::byte*>(::operator new (block.bytes, std::align_val_t{SpillBlock::head}));
  }
  ::new (static_cast<void*>(memory)) SpillBlock(block);
  return memory + SpillBlock::head;
}

template <class T>
void SpillAllocator<T>::deallocate_block(void* memory) {
  std::byte* start = static_cast<std::byte*>(memory) - SpillBlock::head;
  const SpillBlock block = *reinterpret_cast<SpillBlock*>(start);
  if (block.storage != nullptr) {
    block.storage->give_back(start, block.bytes);
  } else {
    ::operator delete (start, std::align_val_t{SpillBlock::head});
  }
}

/// A vector whose elements, if they are many, live in the current storage.
template <class T>
using SpillVector = std::vector<T, SpillAllocator<T>>;

}  // namespace mora::analysis
