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
# The manual page is what the command says of itself, so the command writes it.
install(CODE "
  execute_process(COMMAND \"$<TARGET_FILE:rayleigh_command>\" help --man
                  COMMAND gzip -9n OUTPUT_FILE \"${PROJECT_BINARY_DIR}/rayleigh.1.gz\"
                  COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/rayleigh.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY include/rayleigh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rayleighTargets NAMESPACE rayleigh:: DESTINATION ${package_dir})
configure_package_config_file(cmake/rayleighConfig.cmake.in rayleighConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(rayleighConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rayleighConfig.cmake
              ${PROJECT_BINARY_DIR}/rayleighConfigVersion.cmake
        DESTINATION ${package_dir})
