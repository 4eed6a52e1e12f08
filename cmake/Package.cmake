# `make package`: one Debian package with command, modules, library and headers. What is in it and why:
# docs/dependencies.md. What the package depends on is asked of dpkg-shlibdeps when it is made
# (PackageDependencies.cmake).
set(RAYLEIGH_MAINTAINER "Rayleigh maintainers <maintainers@rayleigh.invalid>"
    CACHE STRING "Name and address in the package")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${RAYLEIGH_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "anomalous graphs in sets of small graphs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Rayleigh learns from labelled or from normal graphs which graphs of a set are
anomalous: active compounds in a screen, odd call graphs in a fleet. It scores
new graphs, shows which nodes made a score, and repeats the evaluation of the
paper on Rayleigh quotient graph neural networks (ICLR 2024).
.
Molecules (SMILES, SDF) are read with the recommended RDKit, datasets are
downloaded with the recommended libcurl. The static library, its headers and
its CMake package are included; linking them needs the suggested packages.")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++, cmake, make, pkg-config, libdnnl-dev, libfmt-dev, libsimdjson-dev, libzip-dev, ocl-icd-opencl-dev, zlib1g-dev")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/dist)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/PackageStrip.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# What is run by dpkg-shlibdeps, and what only one of the modules needs.
set(CPACK_RAYLEIGH_COMMAND ${PROJECT_BINARY_DIR}/rayleigh)
set(CPACK_RAYLEIGH_MODULES "")
foreach(module rayleigh_molecules rayleigh_fetch)
  if(TARGET ${module})
    list(APPEND CPACK_RAYLEIGH_MODULES ${PROJECT_BINARY_DIR}/lib${module}.so)
  endif()
endforeach()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageDependencies.cmake)

# Files that only a Debian package has.
set(debian_files ${PROJECT_BINARY_DIR}/debian)
string(TIMESTAMP RAYLEIGH_DEBIAN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/changelog.in ${debian_files}/changelog.Debian)
configure_file(CHANGELOG.md ${debian_files}/changelog COPYONLY)
configure_file(packaging/copyright ${debian_files}/copyright COPYONLY)
execute_process(COMMAND gzip -9nf ${debian_files}/changelog.Debian ${debian_files}/changelog
                COMMAND_ERROR_IS_FATAL ANY)
configure_file(packaging/lintian-overrides ${PROJECT_BINARY_DIR}/lintian/rayleigh COPYONLY)
set(CPACK_INSTALLED_DIRECTORIES ${debian_files} usr/share/doc/rayleigh
                                ${PROJECT_BINARY_DIR}/lintian usr/share/lintian/overrides)
include(CPack)
