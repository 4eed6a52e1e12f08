# Read by cpack. The command cannot start without the libraries that it links: Depends. A module is opened when
# it is needed, and what else it links is for that alone: Recommends, which apt installs unless told not to.
function(rayleigh_libraries_of result)
  set(place ${CPACK_PACKAGE_DIRECTORY}/_CPack_Packages/shlibdeps)
  file(WRITE ${place}/debian/control "Source: rayleigh\n\nPackage: rayleigh\nArchitecture: any\n")
  execute_process(COMMAND dpkg-shlibdeps -O ${ARGN} WORKING_DIRECTORY ${place}
                  OUTPUT_VARIABLE printed ERROR_VARIABLE warnings COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^shlibs:Depends=|\n" "" printed "${printed}")
  string(REPLACE ", " ";" printed "${printed}")
  set(${result} ${printed} PARENT_SCOPE)
endfunction()

rayleigh_libraries_of(needed ${CPACK_RAYLEIGH_COMMAND})
list(JOIN needed ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
if(CPACK_RAYLEIGH_MODULES)
  rayleigh_libraries_of(of_modules ${CPACK_RAYLEIGH_MODULES})
  foreach(library IN LISTS needed)
    string(REGEX REPLACE " .*" "" name "${library}")
    string(REPLACE "+" "\\+" name "${name}")
    list(FILTER of_modules EXCLUDE REGEX "^${name}( |$)")
  endforeach()
  list(JOIN of_modules ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
endif()
