# Scenarios: whole programs against the sandbox and the tests' private PostgreSQL, one process per file. They take
# longest, so they begin first (COST): the cores are busy to the end. Their waits give up by their own clock, which knows
# a slow machine (scenario/progress.py); the limit here is for what no wait catches.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

file(GLOB scenario_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/scenario/*_test.py)
foreach(file ${scenario_files})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  add_test(NAME scenario.${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/with_postgres.sh ${RECEIPTD_TEST_CLUSTER}
            ${Python3_EXECUTABLE} ${file})
  set_tests_properties(scenario.${name} PROPERTIES
    ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR} FIXTURES_REQUIRED postgres TIMEOUT 3600 COST 30)
endforeach()
