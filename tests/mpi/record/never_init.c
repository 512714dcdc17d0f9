/* Linked with MPI, never calls MPI_Init unless asked to. */
#include <mpi.h>

int main(int argc, char** argv) { return argc > 1 ? MPI_Init(&argc, &argv) : 0; }
