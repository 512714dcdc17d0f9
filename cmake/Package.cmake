# The Debian package (`make package`): what `ship` builds, under /usr. Its dependencies are the libraries that the program and
# the Python module are linked with (dpkg-shlibdeps). The modules that let `mora analyze` share its work under mpirun are
# linked with one MPI each; a machine needs the MPI that its programs use, so both are recommended, none is demanded.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mora)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Records unmodified MPI programs (Open MPI, MPICH), finds wait states and their causes,
reports efficiency, and shows what a program communicates. Reads OTF2 and other trace formats.")
set(CPACK_PACKAGE_CONTACT "The Mora developers <mora@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3 (>= 3.11), python3-numpy, openmpi-bin | mpich, libcairo2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenmpi-dev | libmpich-dev, otf2-tools")
include(CPack)
