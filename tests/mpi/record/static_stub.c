/* Stands for a program with MPI linked into it: it defines MPI_Init itself. */
int MPI_Init(int* argc, char*** argv) { return argc == 0 && argv == 0; }
int main(int argc, char** argv) { return MPI_Init(&argc, &argv); }
