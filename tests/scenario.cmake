# Scenarios: whole programs against the sandbox and PostgreSQL, one process per class of tests. Their waits give up by their
# own clock, which knows a slow machine (scenario/progress.py).
file(GLOB scenario_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/scenario/*_test.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scenario_files})
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/support/list_classes.py ${scenario_files}
  OUTPUT_VARIABLE classes COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" classes "${classes}")
foreach(each ${classes})
  separate_arguments(class UNIX_COMMAND "${each}")
  list(POP_FRONT class file)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  if(class)
    string(APPEND name .${class})
  endif()
  receiptd_test(scenario.${name} POSTGRES COST 30 COMMAND ${Python3_EXECUTABLE} ${file} ${class}
    ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR})
endforeach()
