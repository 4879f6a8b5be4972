! A Fortran program that calls SGEMM as usual. Linked with the drop-in:
!   gfortran multiply.f90 $(pkg-config --libs libsgemm_blas)
! Linked with another BLAS it needs no change: libsgemm run ./multiply
program multiply
  implicit none
  external :: sgemm
  integer, parameter :: n = 100
  real :: a(n, n), c(n, n)
  a = 1.0
  call sgemm('N', 'T', n, n, n, 2.0, a, n, a, n, 0.0, c, n)
  print '(a, f8.1)', 'c(1, 1) = ', c(1, 1)
end program multiply
