/* For walk_test.cpp: one function whose frame has another size in each of two libraries (MORA_FRAME). */
int through_plugin(void (*probe)(void), int n);
int through_plugin(void (*probe)(void), int n) {
  volatile char frame[MORA_FRAME];
  frame[n % MORA_FRAME] = 1;
  probe();
  return frame[n % MORA_FRAME];
}
