/* For walk_test.cpp: functions whose frames have another size in each of two libraries (MORA_FRAME, MORA_ROOM). */
int through_plugin(void (*probe)(void), int n);
int through_plugin(void (*probe)(void), int n) {
  volatile char frame[MORA_FRAME];
  frame[n % MORA_FRAME] = 1;
  probe();
  return frame[n % MORA_FRAME];
}

/* Calls `probe` from a frame of MORA_ROOM bytes, 16 below whose end `word` stands. Returns its own return address. The
 * instructions are as long in both libraries, so that all addresses are the same. */
void* through_place(void (*probe)(void), void* word);
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
__asm__(
    ".text\n"
    ".globl through_place\n"
    ".type through_place, @function\n"
    "through_place:\n"
    ".cfi_startproc\n"
    "subq $" TEXT(MORA_ROOM) ", %rsp\n"
    ".cfi_adjust_cfa_offset " TEXT(MORA_ROOM) "\n"
    "movq %rsi, " TEXT(MORA_ROOM) "-16(%rsp)\n"
    "call *%rdi\n"
    "movq " TEXT(MORA_ROOM) "(%rsp), %rax\n"
    "addq $" TEXT(MORA_ROOM) ", %rsp\n"
    ".cfi_adjust_cfa_offset -" TEXT(MORA_ROOM) "\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size through_place, .-through_place\n");
