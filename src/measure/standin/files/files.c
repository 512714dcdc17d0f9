/* Opening, closing and questions about files (files.h). Of a file that may be written the
 * real library opens the existing one for reading only, or an empty temporary file. */
#include "measure/standin/files/files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/communicators/tables.h"

static struct mora_map by_handle; /* in both libraries files are addresses */

static uint64_t key_of(MPI_File file) { return (uint64_t)(uintptr_t)file; }

struct standin_file* standin_file_of(MPI_File file) {
  if (!key_of(file)) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key_of(file));
  return slot ? (struct standin_file*)(uintptr_t)slot->value : NULL;
}

MPI_Comm standin_own_self(void) {
  static MPI_Comm own;
  static int made;
  if (!made && PMPI_Comm_dup(MPI_COMM_SELF, &own) != MPI_SUCCESS) standin_stop("the MPI library gives no communicator");
  made = 1;
  return own;
}

/* Errors of files return, unless the program set another handler for files that are not open. */
static int refuse(int code) {
  MPI_Errhandler handler;
  if (PMPI_File_get_errhandler(MPI_FILE_NULL, &handler) != MPI_SUCCESS) return code;
  const int fatal = handler == MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  if (fatal) standin_error(standin_comm_of(MPI_COMM_SELF), code);
  return code;
}

/* Without ROMIO's "ufs:" and the like. */
static const char* path_of(const char* name) {
  const char* at = name;
  while (isalnum((unsigned char)*at)) at++;
  return *at == ':' && at - name > 1 ? at + 1 : name;
}

/* An empty file that is gone from its directory at once. */
static int open_empty(MPI_File* file) {
  char name[4096];
  const char* directory = getenv("TMPDIR");
  if (directory == NULL || *directory == '\0') directory = "/tmp";
  if (snprintf(name, sizeof name, "%s/mora-dryrun-XXXXXX", directory) >= (int)sizeof name) return MPI_ERR_NO_SPACE;
  const int descriptor = mkstemp(name);
  if (descriptor < 0) return MPI_ERR_NO_SPACE;
  close(descriptor);
  const int rc = PMPI_File_open(standin_own_self(), name, MPI_MODE_RDWR, MPI_INFO_NULL, file);
  unlink(name);
  return rc;
}

static int open_dry(const char* name, int amode, MPI_File* file) {
  const char* path = path_of(name);
  const int exists = access(path, F_OK) == 0;
  if (exists && amode & MPI_MODE_EXCL && amode & MPI_MODE_CREATE) return MPI_ERR_FILE_EXISTS;
  if (!exists && !(amode & MPI_MODE_CREATE)) return MPI_ERR_NO_SUCH_FILE;
  if (exists && amode & MPI_MODE_RDWR)
    return PMPI_File_open(standin_own_self(), name, MPI_MODE_RDONLY, MPI_INFO_NULL, file);
  return open_empty(file);
}

int standin_File_open(struct standin_comm* comm, const char* name, int amode, MPI_Info info, MPI_File* file) {
  if (comm->remote_size > 0) return refuse(MPI_ERR_COMM);
  const int dry = (amode & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0;
  if (!(amode & MPI_MODE_RDONLY) && !dry) return refuse(MPI_ERR_AMODE);
  const int rc = dry ? open_dry(name, amode, file) : PMPI_File_open(standin_own_self(), name, amode, info, file);
  if (rc != MPI_SUCCESS) return dry ? refuse(rc) : rc;
  if (dry) standin_note("files opened for writing: what is written goes nowhere");
  struct standin_file* mine = standin_alloc(sizeof *mine);
  memset(mine, 0, sizeof *mine);
  mine->handle = *file;
  mine->comm = *comm;
  mine->comm.members = standin_comm_members(comm);
  mine->amode = amode;
  mine->dry = dry;
  PMPI_File_get_size(*file, &mine->size);
  if (!mora_map_set(&by_handle, key_of(*file), (uint64_t)(uintptr_t)mine)) standin_stop("no memory");
  return MPI_SUCCESS;
}

int standin_File_close(MPI_File* file) {
  struct standin_file* mine = standin_file_of(*file);
  if (mine) {
    mora_map_remove(&by_handle, key_of(*file));
    free(mine->comm.members);
    free(mine);
  }
  return PMPI_File_close(file);
}

int standin_File_delete(const char* name, MPI_Info info) {
  standin_note("MPI_File_delete: nothing is deleted");
  return access(path_of(name), F_OK) == 0 ? MPI_SUCCESS : refuse(MPI_ERR_NO_SUCH_FILE);
}

int standin_File_get_group(MPI_File file, MPI_Group* group) {
  const struct standin_file* mine = standin_file_of(file);
  if (!mine) return PMPI_File_get_group(file, group);
  *group = standin_group_new(mine->comm.members, mine->comm.size);
  return MPI_SUCCESS;
}

int standin_File_get_amode(MPI_File file, int* amode) {
  const struct standin_file* mine = standin_file_of(file);
  if (!mine) return PMPI_File_get_amode(file, amode);
  *amode = mine->amode;
  return MPI_SUCCESS;
}

int standin_File_get_size(MPI_File file, MPI_Offset* size) {
  const struct standin_file* mine = standin_file_of(file);
  if (!mine || !mine->dry) return PMPI_File_get_size(file, size);
  *size = mine->size;
  return MPI_SUCCESS;
}

int standin_File_set_size(MPI_File file, MPI_Offset size) {
  struct standin_file* mine = standin_file_of(file);
  if (!mine || !mine->dry) return PMPI_File_set_size(file, size);
  mine->size = size;
  return MPI_SUCCESS;
}

int standin_File_preallocate(MPI_File file, MPI_Offset size) {
  struct standin_file* mine = standin_file_of(file);
  if (!mine || !mine->dry) return PMPI_File_preallocate(file, size);
  if (mine->size < size) mine->size = size;
  return MPI_SUCCESS;
}

int standin_File_sync(MPI_File file) {
  const struct standin_file* mine = standin_file_of(file);
  return mine && mine->dry ? MPI_SUCCESS : PMPI_File_sync(file);
}

/* ---- what the real file of this process answers ---- */

#define FORWARD(X, PARAMETERS, ...) \
  int standin_##X PARAMETERS { return PMPI_##X(__VA_ARGS__); }

FORWARD(File_get_info, (MPI_File file, MPI_Info* info), file, info)
FORWARD(File_set_info, (MPI_File file, MPI_Info info), file, info)
FORWARD(File_get_atomicity, (MPI_File file, int* flag), file, flag)
FORWARD(File_set_atomicity, (MPI_File file, int flag), file, flag)
FORWARD(File_get_byte_offset, (MPI_File file, MPI_Offset offset, MPI_Offset* place), file, offset, place)
FORWARD(File_get_position, (MPI_File file, MPI_Offset* offset), file, offset)
FORWARD(File_get_position_shared, (MPI_File file, MPI_Offset* offset), file, offset)
FORWARD(File_get_type_extent, (MPI_File file, MPI_Datatype type, MPI_Aint* extent), file, type, extent)
FORWARD(File_get_view,
        (MPI_File file, MPI_Offset* place, MPI_Datatype* etype, MPI_Datatype* filetype, char* representation), file,
        place, etype, filetype, representation)
FORWARD(File_set_view,
        (MPI_File file, MPI_Offset place, MPI_Datatype etype, MPI_Datatype filetype, const char* representation,
         MPI_Info info),
        file, place, etype, filetype, representation, info)
FORWARD(File_seek, (MPI_File file, MPI_Offset offset, int whence), file, offset, whence)
FORWARD(File_seek_shared, (MPI_File file, MPI_Offset offset, int whence), file, offset, whence)
