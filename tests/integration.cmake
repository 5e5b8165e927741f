# One program per folder of tests/integration, against one private PostgreSQL that ctest starts before the
# first of them and removes after the last, failed or not. Every test has a database of its own in it. The cases of a
# program are dealt out to a few tests, which keep the cores busy where one process would wait for PostgreSQL.
set(RECEIPTD_INTEGRATION_SHARDS 4)
set(RECEIPTD_TEST_CLUSTER ${CMAKE_BINARY_DIR}/test-postgres)
set(postgres_script ${CMAKE_SOURCE_DIR}/scripts/postgres.sh)

add_test(NAME integration.postgres.start COMMAND ${postgres_script} start --memory ${RECEIPTD_TEST_CLUSTER})
add_test(NAME integration.postgres.stop COMMAND ${postgres_script} remove ${RECEIPTD_TEST_CLUSTER})
set_tests_properties(integration.postgres.start PROPERTIES FIXTURES_SETUP postgres TIMEOUT 120)
set_tests_properties(integration.postgres.stop PROPERTIES FIXTURES_CLEANUP postgres TIMEOUT 120)

file(GLOB integration_folders LIST_DIRECTORIES true CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/integration/*)
foreach(folder ${integration_folders})
  get_filename_component(module ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(sources)
    add_executable(integration_${module} ${sources})
    target_link_libraries(integration_${module} PRIVATE receiptd_${module} GTest::gmock GTest::gtest_main)
    libraries_first(integration_${module} receiptd_${module})
    target_include_directories(integration_${module} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    math(EXPR last "${RECEIPTD_INTEGRATION_SHARDS} - 1")
    foreach(shard RANGE ${last})
      set(test integration.${module}.${shard})
      add_test(NAME ${test}
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/with_postgres.sh ${RECEIPTD_TEST_CLUSTER}
                $<TARGET_FILE:integration_${module}> --gtest_brief=1)
      set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED postgres TIMEOUT 3600 COST 25
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${RECEIPTD_INTEGRATION_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
  endif()
endforeach()
