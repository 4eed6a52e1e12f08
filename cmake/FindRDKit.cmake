# RDKit's C++ libraries. Debian's librdkit-dev ships no CMake package.
# Defines RDKit_FOUND and the target RDKit::RDKit with what reading, writing and drawing molecules needs; the version is not
# known, as Debian's versions.h is not filled in. RDKit_ROOT points to another place than the usual ones.
find_path(RDKit_INCLUDE_DIR GraphMol/RDKitBase.h PATH_SUFFIXES rdkit)
set(rdkit_wanted RDKit_INCLUDE_DIR)
set(rdkit_libraries "")
foreach(part MolDraw2D Depictor ChemTransforms Fingerprints FileParsers SmilesParse GraphMol DataStructs RDGeneral)
  find_library(RDKit_${part}_LIBRARY RDKit${part})
  list(APPEND rdkit_wanted RDKit_${part}_LIBRARY)
  list(APPEND rdkit_libraries ${RDKit_${part}_LIBRARY})
  mark_as_advanced(RDKit_${part}_LIBRARY)
endforeach()
mark_as_advanced(RDKit_INCLUDE_DIR)

# RDKit's headers include Boost's.
find_package(Boost QUIET)
list(APPEND rdkit_wanted Boost_FOUND)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RDKit REQUIRED_VARS ${rdkit_wanted})
if(RDKit_FOUND AND NOT TARGET RDKit::RDKit)
  add_library(RDKit::RDKit INTERFACE IMPORTED)
  target_include_directories(RDKit::RDKit INTERFACE ${RDKit_INCLUDE_DIR} ${Boost_INCLUDE_DIRS})
  target_link_libraries(RDKit::RDKit INTERFACE ${rdkit_libraries})
endif()
