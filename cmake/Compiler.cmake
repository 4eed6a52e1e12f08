# Warnings and sanitizers for our own targets; consumers of the library see none of this.
add_library(rayleigh_compiler INTERFACE)
target_compile_options(rayleigh_compiler INTERFACE
  # GCC 12 reports -Wrestrict on ordinary std::string code (GCC bug 105651)
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${RAYLEIGH_DEVELOPER}>:-Werror>)
# As Debian links its own programs: the tables of the loader cannot be written once the program runs.
target_link_options(rayleigh_compiler INTERFACE -Wl,-z,relro,-z,now)
if(RAYLEIGH_SANITIZE)
  # A null pointer that is used ends in AddressSanitizer's report; checking for it before takes a fifth of the
  # compiler's time. Checks of alignment, of sizes and of virtual tables take another third: the fuzz targets, which
  # attack everything that reads bytes, have them.
  set(unchecked null)
  if(NOT RAYLEIGH_FUZZ)
    string(APPEND unchecked ",alignment,object-size,vptr")
  endif()
  target_compile_options(rayleigh_compiler INTERFACE
    -fsanitize=${RAYLEIGH_SANITIZE} -fno-sanitize=${unchecked} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(rayleigh_compiler INTERFACE -fsanitize=${RAYLEIGH_SANITIZE})
endif()

find_program(RAYLEIGH_CCACHE ccache)
if(RAYLEIGH_CCACHE AND RAYLEIGH_DEVELOPER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RAYLEIGH_CCACHE})
endif()
