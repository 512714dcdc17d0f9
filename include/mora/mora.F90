! Marks for Fortran: which part of the program runs now. Compile this file with the program (a module cannot be shared
! between compilers) and `use mora`:
!
!     call mora_interval_begin(step)          call mora_interval_end(step)
!     call mora_sequential_begin()            call mora_sequential_end()
!     call mora_replicated_begin(r)           call mora_replicated_end()
!     call mora_region_begin("solve")         call mora_region_end("solve")
!     call mora_phase_begin(name)             call mora_phase_end(name)
!
! `if (.not. mora_dry_run()) then` … `end if` is left out in a dry run (`mora pattern dryrun`); elsewhere the function is .false.
!
! Intervals are told apart by file and line: give them as optional arguments, or let the macros of mora_f.h do it.
! Without `mora record` the calls do nothing. Fortran has no weak symbols: the recorder's functions are asked for once
! with dlsym, which is part of the C library (before glibc 2.34: link with -ldl).
module mora
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_int, c_long, &
                                          c_null_char, c_null_ptr, c_ptr
  implicit none
  private

  public :: mora_interval_begin, mora_interval_end, mora_sequential_begin, mora_sequential_end
  public :: mora_replicated_begin, mora_replicated_end, mora_region_begin, mora_region_end
  public :: mora_phase_begin, mora_phase_end, mora_dry_run

  integer(c_int), parameter :: interval_mark = 1, sequential_mark = 2, replicated_mark = 3, region_mark = 4
  integer(c_int), parameter :: phase_mark = 5

  abstract interface
    subroutine mark_at(kind, argument, file, file_bytes, line, name, name_bytes) bind(C)
      import :: c_char, c_int, c_long
      integer(c_int), value :: kind, argument, line
      integer(c_long), value :: file_bytes, name_bytes
      character(kind=c_char), intent(in) :: file(*), name(*)
    end subroutine
  end interface

  interface
    type(c_funptr) function find(scope, name) bind(C, name="dlsym")
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: scope
      character(kind=c_char), intent(in) :: name(*)
    end function
  end interface

  abstract interface
    integer(c_int) function dry_run() bind(C)
      import :: c_int
    end function
  end interface

  logical, save :: looked = .false.
  procedure(dry_run), pointer, save :: asked => null()
  procedure(mark_at), pointer, save :: begin_at => null(), end_at => null()

contains

  subroutine look_up()
    type(c_funptr) :: found
    found = find(c_null_ptr, "mora_mark_begin_at" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, begin_at)
    found = find(c_null_ptr, "mora_mark_end_at" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, end_at)
    found = find(c_null_ptr, "mora_dry_run" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, asked)
    looked = .true.
  end subroutine

  subroutine mark(begins, kind, argument, name, file, line)
    logical, intent(in) :: begins
    integer(c_int), intent(in) :: kind
    integer, intent(in) :: argument
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    integer(c_int) :: at
    if (.not. looked) call look_up()
    if (.not. associated(begin_at) .or. .not. associated(end_at)) return
    at = 0
    if (present(line)) at = int(line, c_int)
    if (.not. present(file)) then
      call pass("")
    else
      call pass(file)
    end if
  contains
    subroutine pass(where)
      character(len=*), intent(in) :: where
      if (begins) then
        call begin_at(kind, int(argument, c_int), where, len(where, c_long), at, name, len(name, c_long))
      else
        call end_at(kind, int(argument, c_int), where, len(where, c_long), at, name, len(name, c_long))
      end if
    end subroutine
  end subroutine

  subroutine mora_interval_begin(id, file, line)
    integer, intent(in) :: id
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.true., interval_mark, id, "", file, line)
  end subroutine

  subroutine mora_interval_end(id, file, line)
    integer, intent(in) :: id
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.false., interval_mark, id, "", file, line)
  end subroutine

  subroutine mora_sequential_begin(file, line)
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.true., sequential_mark, 0, "", file, line)
  end subroutine

  subroutine mora_sequential_end(file, line)
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.false., sequential_mark, 0, "", file, line)
  end subroutine

  subroutine mora_replicated_begin(processes, file, line)
    integer, intent(in) :: processes
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.true., replicated_mark, processes, "", file, line)
  end subroutine

  subroutine mora_replicated_end(file, line)
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.false., replicated_mark, 0, "", file, line)
  end subroutine

  subroutine mora_region_begin(name, file, line)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.true., region_mark, 0, name, file, line)
  end subroutine

  subroutine mora_region_end(name, file, line)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.false., region_mark, 0, name, file, line)
  end subroutine

  subroutine mora_phase_begin(name, file, line)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.true., phase_mark, 0, name, file, line)
  end subroutine

  subroutine mora_phase_end(name, file, line)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: file
    integer, intent(in), optional :: line
    call mark(.false., phase_mark, 0, name, file, line)
  end subroutine

  logical function mora_dry_run()
    if (.not. looked) call look_up()
    mora_dry_run = .false.
    if (associated(asked)) mora_dry_run = asked() /= 0
  end function

end module
