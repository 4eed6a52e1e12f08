include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rayleigh)
install(TARGETS rayleigh EXPORT rayleighTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS rayleigh_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(module rayleigh_molecules rayleigh_fetch)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/rayleigh)
  endif()
endforeach()
install(DIRECTORY include/rayleigh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rayleighTargets NAMESPACE rayleigh:: DESTINATION ${package_dir})
configure_package_config_file(cmake/rayleighConfig.cmake.in rayleighConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(rayleighConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rayleighConfig.cmake
              ${PROJECT_BINARY_DIR}/rayleighConfigVersion.cmake
        DESTINATION ${package_dir})
