/// The walk against an oracle: libgcc's unwinder, which reads the same tables with code of its own, at every call of
/// programs with all sorts of frames.
#include "measure/stack/walk.h"

#include <alloca.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include <bit>
#include <csignal>
#include <map>
#include <thread>
#include <vector>

#include "support/stack/stack_shapes.h"

namespace {

struct Node {
  std::uint64_t address;
  std::uint32_t inner;
};
std::map<std::uint32_t, Node> defined;
std::uint64_t compared, different, unknown, definitions;
std::uint64_t expected_end;  ///< what may stand outermost instead of an address
std::string first_difference;
const void* last_frame;  ///< of the probe

void define(std::uint32_t first, std::uint32_t inner, const std::uint64_t* addresses, unsigned count) {
  ++definitions;
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_TRUE(defined.emplace(first + i, Node{addresses[i], inner}).second) << "defined twice";
    EXPECT_TRUE(inner == 0 || defined.count(inner) == 1);
    inner = first + i;
  }
}

/// Inner to outer.
std::vector<std::uint64_t> stack_of(std::uint32_t number) {
  std::vector<std::uint64_t> addresses;
  for (; number != 0; number = defined.at(number).inner)
    addresses.insert(addresses.begin(), defined.at(number).address);
  return addresses;
}

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* stack) {
  if (const auto address = _Unwind_GetIP(context); address != 0)
    static_cast<std::vector<std::uint64_t>*>(stack)->push_back(address);
  return _URC_NO_REASON;
}

struct Stacks : testing::Test {
  Stacks() { start(256); }
  ~Stacks() override { mora_stack_stop(); }
  static void start(unsigned deepest) {
    mora_stack_stop();
    defined.clear();
    first_difference.clear();
    compared = different = unknown = definitions = expected_end = 0;
    ASSERT_TRUE(mora_stack_start(deepest, define));
  }
};

}  // namespace

extern "C" __attribute__((noinline)) void probe() {
  std::vector<std::uint64_t> wanted;
  last_frame = __builtin_frame_address(0);
  const std::uint32_t number = mora_stack_number(__builtin_frame_address(0), __builtin_return_address(0));
  _Unwind_Backtrace(take_frame, &wanted);
  wanted.erase(wanted.begin());  // this function
  ++compared;
  if (number == 0) {
    ++unknown;
    return;
  }
  auto found = stack_of(number);
  if (expected_end != 0 && !found.empty() && found.back() == expected_end) {
    found.pop_back();
    if (wanted.size() > found.size()) wanted.resize(found.size());
  }
  if (found == wanted) return;
  ++different;
  if (!first_difference.empty()) return;
  const auto list = [](const std::vector<std::uint64_t>& stack) {
    std::string text;
    for (const auto address : stack) {
      Dl_info info{};
      const int known = dladdr(std::bit_cast<void*>(address), &info);
      text += "  " + std::to_string(address) + " " + (known != 0 && info.dli_sname != nullptr ? info.dli_sname : "?") +
              "\n";
    }
    return text;
  };
  first_difference = "walk:\n" + list(found) + "libgcc:\n" + list(wanted);
}

namespace {

void expect_equal(std::uint64_t at_least) {
  EXPECT_GE(compared, at_least);
  EXPECT_EQ(unknown, 0u);
  EXPECT_EQ(different, 0u) << first_difference;
}

TEST_F(Stacks, OfUnoptimisedCode) {
  shapes_plain(20);
  expect_equal(1000);
}

TEST_F(Stacks, WithoutFramePointers) {
  shapes_optimised(20);
  expect_equal(1000);
}

TEST_F(Stacks, WithFramePointers) {
  shapes_framed(20);
  expect_equal(1000);
}

TEST_F(Stacks, OfAlignedFrames) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP();
  shapes_wide(20);
  expect_equal(1000);
}

TEST_F(Stacks, AStackThatWasSeenIsNotDefinedAgain) {
  std::uint64_t after_first = 0;
  for (int i = 0; i < 4; ++i) {
    shapes_optimised(8);
    if (i == 0) after_first = definitions;
  }
  expect_equal(1000);
  EXPECT_GT(after_first, 0u);
  EXPECT_EQ(definitions, after_first);
}

TEST_F(Stacks, OfAThreadThatStartedThem) {
  mora_stack_stop();
  std::thread([] {
    start(256);
    shapes_optimised(5);
    mora_stack_stop();
  }).join();
  expect_equal(100);
}

TEST_F(Stacks, OfAThreadGoOnWhereAnEarlierOneEnded) {
  mora_stack_walker* walker = nullptr;
  std::uint64_t after_first = 0;
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      EXPECT_EQ(mora_stack_number(__builtin_frame_address(0), __builtin_return_address(0)), 0u) << "not started yet";
      walker = mora_stack_start_thread(walker);
      ASSERT_NE(walker, nullptr);
      shapes_optimised(5);
    }).join();
    if (i == 0) after_first = definitions;
  }
  expect_equal(300);
  EXPECT_EQ(definitions, after_first);
}

TEST_F(Stacks, AreCutAtTheLimit) {
  start(4);
  expected_end = MORA_STACK_TOO_DEEP;
  shapes_optimised(10);
  expect_equal(100);
  for (const auto& [number, node] : defined) EXPECT_LE(stack_of(number).size(), 5u);
}

TEST_F(Stacks, OnAnAlternateStackAreTheCallOnly) {
  static char memory[1 << 16];
  stack_t alternate{};
  alternate.ss_sp = memory;
  alternate.ss_size = sizeof memory;
  ASSERT_EQ(sigaltstack(&alternate, nullptr), 0);
  struct sigaction action {};
  action.sa_handler = [](int) { probe(); };
  action.sa_flags = SA_ONSTACK;
  struct sigaction old {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  expected_end = MORA_STACK_FOREIGN;
  ASSERT_EQ(raise(SIGUSR1), 0);
  sigaction(SIGUSR1, &old, nullptr);
  alternate.ss_flags = SS_DISABLE;
  sigaltstack(&alternate, nullptr);
  expect_equal(1);
  ASSERT_EQ(defined.size(), 2u);
  EXPECT_EQ(defined.rbegin()->second.address, MORA_STACK_FOREIGN);
}

TEST_F(Stacks, OfASignalHandlerEndThere) {
  struct sigaction action {};
  action.sa_handler = [](int) { shapes_optimised(2); };
  struct sigaction old {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  expected_end = MORA_STACK_SIGNAL;
  ASSERT_EQ(raise(SIGUSR1), 0);
  sigaction(SIGUSR1, &old, nullptr);
  expect_equal(50);
  bool seen = false;
  for (const auto& [number, node] : defined) seen = seen || node.address == MORA_STACK_SIGNAL;
  EXPECT_TRUE(seen);
}

ucontext_t of_main, of_coroutine;

TEST_F(Stacks, OfCoroutinesAreTheCallOnly) {
  std::vector<char> memory(1 << 18);
  ASSERT_EQ(getcontext(&of_coroutine), 0);
  of_coroutine.uc_stack.ss_sp = memory.data();
  of_coroutine.uc_stack.ss_size = memory.size();
  of_coroutine.uc_link = &of_main;
  makecontext(
      &of_coroutine, [] { shapes_optimised(1); }, 0);
  expected_end = MORA_STACK_FOREIGN;
  ASSERT_EQ(swapcontext(&of_main, &of_coroutine), 0);
  expect_equal(20);
}

/// A function at the start of a page: sub rsp, 24; call *%rdi; add rsp, 24; ret.
TEST_F(Stacks, EndAtCodeWithoutTables) {
  static const unsigned char code[] = {0x48, 0x83, 0xec, 0x18, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x18, 0xc3};
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::copy(std::begin(code), std::end(code), static_cast<unsigned char*>(page));
  expected_end = MORA_STACK_NO_TABLE;
  reinterpret_cast<void (*)(void (*)())>(page)([] { shapes_optimised(1); });
  expect_equal(20);
  bool seen = false;
  for (const auto& [number, node] : defined) seen = seen || node.address == MORA_STACK_NO_TABLE;
  EXPECT_TRUE(seen);
  munmap(page, 4096);
}

TEST_F(Stacks, AreRightWhenCodeIsLoadedAtTheSamePlaceAgain) {
  void* places[2] = {};
  for (int round = 0; round < 6; ++round) {
    const char* library = round % 2 == 0 ? MORA_PLUGIN_A : MORA_PLUGIN_B;
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto through = reinterpret_cast<int (*)(void (*)(), int)>(dlsym(handle, "through_plugin"));
    ASSERT_NE(through, nullptr);
    places[round % 2] = reinterpret_cast<void*>(through);
    for (int i = 0; i < 3; ++i) through(probe, round + i);
    ASSERT_EQ(dlclose(handle), 0);
    mora_stack_code_unloaded();
  }
  RecordProperty("same place", places[0] == places[1] ? "yes" : "no");
  expect_equal(18);
}

__attribute__((noinline)) const char* with_room(std::size_t bytes) {
  auto* room = static_cast<char*>(alloca(bytes));
  __asm__ volatile("" : : "r"(room) : "memory");
  probe();
  __asm__ volatile("" : : "r"(room) : "memory");
  return static_cast<const char*>(__builtin_frame_address(0));
}

__attribute__((noinline)) const char* one_deeper(std::size_t bytes) {
  char room[128];
  __asm__ volatile("" : : "r"(room) : "memory");
  const char* frame = with_room(bytes);
  __asm__ volatile("" : : "r"(room) : "memory");
  return frame;
}

/// All words of an earlier call's walk still stand where that one read them, some in memory that nobody has written
/// since: only the frame pointer tells that the frame is another one.
TEST_F(Stacks, AreNotTakenForThoseWhoseWordsAreLeft) {
  const char* (*const ways[])(std::size_t) = {one_deeper, with_room, one_deeper, with_room};
  const char* frames[4];
  for (std::size_t i = 0; i < 4; ++i)
    frames[i] = ways[i](i < 3 ? 512 : 512 + static_cast<std::size_t>(frames[1] - frames[0]));
  expect_equal(4);
}

using Through = void* (*)(void (*)(), void*);

/// Calls `through` from one of three places, with more or less room on the stack between its own frame and that of the
/// function called: exactly that, so without a sanitizer's red zones around it.
__attribute__((noinline, no_sanitize("address"))) void* from_three_places(Through through, std::size_t room, void* word,
                                                                          int place) {
  auto* memory = static_cast<char*>(alloca(room));
  __asm__ volatile("" : : "r"(memory) : "memory");
  void* returned = nullptr;
  if (place == 0) {
    returned = through(probe, word);
    __asm__ volatile("" : : "r"(memory) : "memory");
  } else if (place == 1) {
    returned = through(probe, word);
    __asm__ volatile("nop" : : "r"(memory) : "memory");
  } else {
    returned = through(probe, word);
    __asm__ volatile("nop; nop" : : "r"(memory) : "memory");
  }
  return returned;
}

/// Where the function of the first library looks for its return address, that of the second one has the address that
/// was there: every word of the earlier walk still stands, but they are not those that count. Two memos have the same
/// hash: the second call through the second library is compared with the older one.
TEST_F(Stacks, AreWalkedAgainWhenCodeWasUnloaded) {
  void* handles[2] = {};
  void* word = nullptr;
  std::vector<std::pair<void*, const void*>> places;
  for (int call = 0; call < 3; ++call) {
    const int library = call == 0 ? 0 : 1;
    if (call < 2) handles[library] = dlopen(library == 0 ? MORA_PLUGIN_A : MORA_PLUGIN_B, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handles[library], nullptr) << dlerror();
    const auto through = reinterpret_cast<Through>(dlsym(handles[library], "through_place"));
    ASSERT_NE(through, nullptr);
    void* returned = from_three_places(through, library == 0 ? 48 : 32, word, call);
    places.emplace_back(reinterpret_cast<void*>(through), last_frame);
    if (call != 0) continue;
    word = returned;
    ASSERT_EQ(dlclose(handles[0]), 0);
    mora_stack_code_unloaded();
  }
  ASSERT_EQ(dlclose(handles[1]), 0);
  ASSERT_EQ(places[1], places[0]) << "the second library was loaded elsewhere";
  ASSERT_EQ(places[2], places[0]);
  expect_equal(3);
}

/// As gcc begins functions whose variables are aligned to 32 bytes: the place of the return address is in a variable.
extern "C" void* aligned_through(void (*probe)(), void* word);
__asm__(
    ".text\n"
    ".type aligned_through, @function\n"
    "aligned_through:\n"
    ".cfi_startproc\n"
    "leaq 8(%rsp), %r10\n"
    ".cfi_def_cfa 10, 0\n"
    "andq $-32, %rsp\n"
    "pushq -8(%r10)\n"
    "pushq %rbp\n"
    "movq %rsp, %rbp\n"
    ".cfi_escape 0x10, 0x6, 0x2, 0x76, 0\n"
    "pushq %r10\n"
    ".cfi_escape 0xf, 0x3, 0x76, 0x78, 0x6\n"
    "subq $8, %rsp\n"
    "call *%rdi\n"
    "addq $8, %rsp\n"
    "popq %r10\n"
    ".cfi_def_cfa 10, 0\n"
    "popq %rbp\n"
    "leaq -8(%r10), %rsp\n"
    ".cfi_def_cfa 7, 8\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size aligned_through, .-aligned_through\n");

/// Of two calls that are 16 bytes apart the frames are at the same place, if the 32 bytes are the same, and the return
/// address of the first one is still there.
TEST_F(Stacks, OfAlignedFramesAreToldApartByTheWordOfTheirPlace) {
  bool was_same = false;
  for (std::size_t room = 32; room <= 64; room += 16) {
    const void* frames[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      from_three_places(aligned_through, i == 0 ? room + 16 : room, nullptr, static_cast<int>(i));
      frames[i] = last_frame;
    }
    was_same = was_same || frames[0] == frames[1];
  }
  EXPECT_TRUE(was_same);
  expect_equal(6);
}

__attribute__((noinline)) std::uint32_t as_wrapper() {
  const std::uint32_t number = mora_stack_number(__builtin_frame_address(0), __builtin_return_address(0));
  return number + static_cast<std::uint32_t>(compared);  // no sibling call
}

/// Another stack for every `path` of `depth` bits.
__attribute__((noinline)) std::uint32_t fork_path(unsigned path, int depth) {
  std::uint32_t number = 0;
  if (depth == 0)
    number = as_wrapper();
  else if ((path & 1) != 0)
    number = fork_path(path >> 1, depth - 1);
  else
    number = fork_path(path >> 1, depth - 1) + static_cast<std::uint32_t>(different);
  return number;
}

TEST_F(Stacks, BeyondTheTableAreRefusedAndCounted) {
  std::uint64_t refused = 0;
  for (unsigned path = 0; path < 1U << 14; ++path) refused += fork_path(path, 14) == 0 ? 1 : 0;
  EXPECT_GT(refused, 0u);
  EXPECT_EQ(refused, mora_stack_refused);
  EXPECT_LT(defined.rbegin()->first, static_cast<std::uint32_t>(MORA_STACK_FRAMES));
}

}  // namespace
