! planted.h for Fortran; strings end in c_null_char.
module planted
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function now() bind(C)
      import :: c_double
      real(c_double) :: now
    end function
    subroutine work(milliseconds) bind(C)
      import :: c_double
      real(c_double), value :: milliseconds
    end subroutine
    subroutine planted_work(milliseconds, victims) bind(C)
      import :: c_double
      real(c_double), value :: milliseconds, victims
    end subroutine
    subroutine planted_arrival() bind(C)
    end subroutine
    subroutine planted_loss(seconds) bind(C)
      import :: c_double
      real(c_double), value :: seconds
    end subroutine
    subroutine planted_print_c(kind, rank, function) bind(C, name="planted_print")
      import :: c_char
      character(kind=c_char), intent(in) :: kind(*), rank(*), function(*)
    end subroutine
  end interface
contains
  subroutine planted_print(kind, rank, function)
    character(len=*), intent(in) :: kind, rank, function
    call planted_print_c(kind // c_null_char, rank // c_null_char, function // c_null_char)
  end subroutine
end module
