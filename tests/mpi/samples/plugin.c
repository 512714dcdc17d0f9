long plugged(long x);
long plugged(long x) {
  volatile long y = x;
  for (int i = 0; i < 2000; i++) y += i & 1 ? 1 : -1;
  return y;
}
