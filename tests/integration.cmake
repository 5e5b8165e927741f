# One program per folder of tests/integration, on PostgreSQL. The cases of a program are dealt out to a few tests, which
# keep the cores busy where one process would wait for PostgreSQL.
set(RECEIPTD_INTEGRATION_SHARDS 4)

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
      receiptd_test(integration.${module}.${shard} POSTGRES COST 25
        COMMAND $<TARGET_FILE:integration_${module}> --gtest_brief=1
        ENVIRONMENT GTEST_TOTAL_SHARDS=${RECEIPTD_INTEGRATION_SHARDS} GTEST_SHARD_INDEX=${shard})
    endforeach()
  endif()
endforeach()
