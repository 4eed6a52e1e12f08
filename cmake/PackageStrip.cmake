# Read by cpack before it packs: takes out of the files what nobody needs to run or to link them.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
file(GLOB programs ${root}/bin/* ${root}/lib/rayleigh/*.so)
execute_process(COMMAND strip --remove-section=.comment --remove-section=.note ${programs}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND strip --strip-debug --enable-deterministic-archives --remove-section=.comment
                        ${root}/lib/librayleigh.a
                COMMAND_ERROR_IS_FATAL ANY)
