/// The functions around an interrupted instruction: those that the program knows of its own calls.
#include "measure/stack/interrupted.h"

#include "measure/stack/walk.h"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <vector>

#if MORA_HAS_STACKS

namespace {

constexpr unsigned most = 64;
mora_interrupted_walker walker;
std::uint64_t found[most];
unsigned found_count = 0;
unsigned limit = most;
std::vector<std::uint64_t> expected;   // return addresses, innermost first
std::vector<std::uint64_t> innermost;  // found at each signal

void on_signal(int, siginfo_t*, void* context) {
  const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto value = [&](int which) { return static_cast<std::uintptr_t>(registers[which]); };
  found_count =
      mora_interrupted_callers(&walker, {value(REG_RIP), value(REG_RSP), value(REG_RBP), value(REG_RBX)}, found, limit);
  innermost.push_back(found_count == 0 ? 0 : found[0]);
}

[[gnu::noinline]] void inner() {
  expected.push_back(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)));
  raise(SIGUSR1);
  expected.push_back(0);
}

[[gnu::noinline]] void middle(std::size_t bytes) {
  volatile char* room = static_cast<char*>(__builtin_alloca(bytes));
  room[0] = 1;
  inner();
  room[bytes - 1] = 2;
  expected.back() = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

// As the recorder calls a task: in its section.
[[gnu::noinline, gnu::section("mora_parts")]] void execute_task(std::size_t bytes) {
  middle(bytes);
  asm volatile("");
}

// As gcc writes the end of a function: registers are taken back one by one, and the table says of rbp, which is back
// already, that it stands where it was saved, now below rsp. The signal comes at the pop of r12.
extern "C" void interrupted_at_its_end();
asm(R"(
  .text
  .globl interrupted_at_its_end
  .type interrupted_at_its_end, @function
interrupted_at_its_end:
  .cfi_startproc
  push %r12
  .cfi_def_cfa_offset 16
  .cfi_offset 12, -16
  push %rbp
  .cfi_def_cfa_offset 24
  .cfi_offset 6, -24
  xor %ebp, %ebp
  pop %rbp
  .cfi_def_cfa_offset 16
  int3
  pop %r12
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size interrupted_at_its_end, . - interrupted_at_its_end
)");

// As an entry of a procedure linkage table: the linker's rule counts from rsp by where in the 16 bytes the instruction
// stands, before or behind the push. A signal comes at both.
extern "C" void interrupted_in_linkage_table();
asm(R"(
  .text
  .p2align 4
  .globl interrupted_in_linkage_table
  .type interrupted_in_linkage_table, @function
interrupted_in_linkage_table:
  .cfi_startproc
  .cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
  int3
  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
  .byte 0x68, 5, 0, 0, 0
  int3
  .byte 0x48, 0x83, 0xc4, 0x08
  ret
  .cfi_endproc
  .size interrupted_in_linkage_table, . - interrupted_in_linkage_table
)");

// As the dynamic linker binds a call: a function that aligns its stack and counts from rbx calls one that saves rbx and
// uses it for itself. The signal comes in that one.
extern "C" void interrupted_while_binding();
asm(R"(
  .text
  .type uses_rbx_itself, @function
uses_rbx_itself:
  .cfi_startproc
  push %rbx
  .cfi_def_cfa_offset 16
  .cfi_offset 3, -16
  xor %ebx, %ebx
  int3
  pop %rbx
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .globl interrupted_while_binding
  .type interrupted_while_binding, @function
interrupted_while_binding:
  .cfi_startproc
  push %rbx
  .cfi_def_cfa_offset 16
  .cfi_offset 3, -16
  mov %rsp, %rbx
  .cfi_def_cfa_register 3
  and $-64, %rsp
  call uses_rbx_itself
  mov %rbx, %rsp
  .cfi_def_cfa_register 7
  pop %rbx
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size interrupted_while_binding, . - interrupted_while_binding
)");

class Interrupted : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(mora_interrupted_start(&walker));
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, &before_);
    sigaction(SIGTRAP, &action, nullptr);
    expected.clear();
    innermost.clear();
    limit = most;
  }
  void TearDown() override {
    sigaction(SIGUSR1, &before_, nullptr);
    std::signal(SIGTRAP, SIG_DFL);
  }

 private:
  struct sigaction before_ {};
};

TEST_F(Interrupted, CallersInOrder) {
  for (const std::size_t bytes : {16U, 100U, 5000U}) {
    expected.clear();
    middle(bytes);
    std::uint64_t* const end = found + found_count;
    EXPECT_NE(std::search(found, end, expected.begin(), expected.end()), end) << bytes;
  }
}

TEST_F(Interrupted, NotBeyondTheTask) {
  execute_task(100);
  ASSERT_GT(found_count, 2U);
  for (unsigned i = 0; i + 1 < found_count; ++i) EXPECT_FALSE(mora_stack_ends_at(found[i])) << i;
  EXPECT_TRUE(mora_stack_ends_at(found[found_count - 1])) << "functions around a task are those of the wait";
}

TEST_F(Interrupted, AtTheEndOfAFunction) {
  limit = 2;
  interrupted_at_its_end();
  ASSERT_EQ(found_count, 2U);
  EXPECT_GE(found[0], 4096U) << "an enum mora_stack_end instead of the return address";
}

TEST_F(Interrupted, InALinkageTable) {
  limit = 2;
  interrupted_in_linkage_table();
  ASSERT_EQ(innermost.size(), 2U);
  EXPECT_GE(innermost[0], 4096U) << "an enum mora_stack_end instead of the return address";
  EXPECT_EQ(innermost[1], innermost[0]);
}

TEST_F(Interrupted, WhileACallIsBound) {
  limit = 4;
  interrupted_while_binding();
  ASSERT_EQ(found_count, 4U);
  EXPECT_GE(found[0], 4096U) << "an enum mora_stack_end instead of the return address";
  EXPECT_GE(found[1], 4096U) << "the caller of the function that counts from rbx";
  EXPECT_GE(found[2], 4096U);
}

TEST_F(Interrupted, CutWhereAskedTo) {
  limit = 2;
  middle(16);
  ASSERT_EQ(found_count, 2U);
  EXPECT_EQ(found[1], static_cast<std::uint64_t>(MORA_STACK_TOO_DEEP));
}

TEST_F(Interrupted, ElsewhereThanOnTheStack) {
  static std::uint64_t memory[100];
  const auto rsp = reinterpret_cast<std::uintptr_t>(memory);
  ASSERT_EQ(mora_interrupted_callers(&walker, {reinterpret_cast<std::uintptr_t>(&middle), rsp, rsp, rsp}, found, most),
            1U);
  EXPECT_EQ(found[0], static_cast<std::uint64_t>(MORA_STACK_FOREIGN));
}

}  // namespace

#endif
