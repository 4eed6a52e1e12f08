# Every dependency and why: docs/dependencies.md. Also read by the installed package config.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(dnnl REQUIRED)
# Headers only, and only src/core/random.cpp has them.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
# Only to tell oneDNN's OpenMP to stay on the calling thread; nothing is compiled with it.
find_package(OpenMP REQUIRED)
# Debian's libzip CMake config insists on the zip tools being installed; pkg-config does not.
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET GLOBAL libzip)
# Optional: reads molecules. Without it everything else works and those verbs say how to get it.
option(RAYLEIGH_MOLECULES "Build the module that reads molecules, where RDKit is installed" ON)
if(RAYLEIGH_MOLECULES)
  list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
  find_package(RDKit)
endif()
# Optional: what RDKit does is a quarter allocations, which this makes faster. Only the command has it.
pkg_check_modules(jemalloc IMPORTED_TARGET GLOBAL jemalloc)
# Optional: downloads datasets. Without it `rayleigh fetch` says how to get it.
option(RAYLEIGH_FETCH "Build the module that downloads, where libcurl and OpenSSL are installed" ON)
if(RAYLEIGH_FETCH)
  find_package(CURL 7.85)
  find_package(OpenSSL)
endif()
