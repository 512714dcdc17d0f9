/* MPI-IO: what is opened for reading is read, what is written goes nowhere. files FILE NEVER-MADE: FILE holds
 * aaaabbbbcccc… Runs dry only. */
#include <unistd.h>

#include "expect.h"

static MPI_Status s;
static MPI_Request q;

static void reading(const char* name) {
  MPI_File file;
  MPI_Group group;
  char text[4];
  int n;
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_read_at_all(file, rank * 4, text, 4, MPI_BYTE, &s);
  EXPECT(count_of(&s, MPI_BYTE) == 4 && text[0] == 'a' + rank && text[3] == 'a' + rank);
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &n);
  EXPECT(n == size);
  MPI_Group_free(&group);
  MPI_File_iread_at(file, 0, text, 4, MPI_BYTE, &q);
  MPI_Wait(&q, &s);
  EXPECT(count_of(&s, MPI_BYTE) == 4 && text[0] == 'a');
  MPI_File_close(&file);
  EXPECT(file == MPI_FILE_NULL);
}

static void changing(const char* name) {
  MPI_File file;
  MPI_Offset at;
  int ones[4] = {-1, -1, -1, -1};
  char text[4] = "xxxx";
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_write(file, ones, 4, MPI_INT, &s);
  EXPECT(count_of(&s, MPI_INT) == 4);
  MPI_File_get_position(file, &at);
  EXPECT(at == 16);
  MPI_File_read_at(file, 0, text, 4, MPI_BYTE, &s);
  EXPECT(text[0] == 'a');
  MPI_File_read_at(file, 1000, text, 4, MPI_BYTE, &s);
  EXPECT(count_of(&s, MPI_BYTE) == 4 && text[0] == 0 && text[3] == 0);
  MPI_File_close(&file);
  EXPECT(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS && access(name, F_OK) == 0);
}

static void making(const char* name) {
  MPI_File file;
  MPI_Offset at;
  int data[4] = {1, 2, 3, 4}, mode, class;
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_set_view(file, rank * 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, data, 4, MPI_INT, &s);
  MPI_File_iwrite_at(file, 8, data, 2, MPI_INT, &q);
  MPI_Wait(&q, &s);
  EXPECT(count_of(&s, MPI_INT) == 2);
  MPI_File_get_size(file, &at);
  EXPECT(at == rank * 16 + 40);
  MPI_File_write_shared(file, data, 1, MPI_INT, &s);
  MPI_File_write_ordered(file, data, 1, MPI_INT, &s);
  MPI_File_get_position_shared(file, &at);
  EXPECT(at == 1 + size);
  MPI_File_write_all_begin(file, data, 3, MPI_INT);
  MPI_File_write_all_end(file, data, &s);
  EXPECT(count_of(&s, MPI_INT) == 3);
  MPI_File_get_position(file, &at);
  EXPECT(at == 7);
  MPI_File_get_amode(file, &mode);
  EXPECT(mode == (MPI_MODE_WRONLY | MPI_MODE_CREATE));
  MPI_File_close(&file);
  EXPECT(access(name, F_OK) != 0);
  MPI_Error_class(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file), &class);
  EXPECT(class == MPI_ERR_NO_SUCH_FILE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  reading(argv[1]);
  changing(argv[1]);
  making(argv[2]);
  return finish();
}
