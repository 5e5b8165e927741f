# Real NEAR clients from npm against `receiptd-sandbox run`, one process per file (tests/clients/README.md).
# Without node the tests fail: `./dev test` installs it.
find_program(NODE node)
if(NOT NODE)
  set(NODE node)
endif()
set(clients ${CMAKE_CURRENT_SOURCE_DIR}/clients)

add_executable(post-webhook ${clients}/post_webhook.cpp)
target_link_libraries(post-webhook PRIVATE receiptd_alert)

add_test(NAME clients.install COMMAND ${clients}/install.sh)
set_tests_properties(clients.install PROPERTIES FIXTURES_SETUP npm_packages TIMEOUT 300)

file(GLOB client_files CONFIGURE_DEPENDS ${clients}/*_test.mjs)
foreach(file ${client_files})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  set(command ${NODE} --test ${file})
  set(fixtures npm_packages)
  if(name MATCHES "^daemon_")  # these run the daemon, which needs a database
    list(PREPEND command ${CMAKE_CURRENT_SOURCE_DIR}/support/with_postgres.sh ${RECEIPTD_TEST_CLUSTER})
    list(APPEND fixtures postgres)
  endif()
  add_test(NAME clients.${name} COMMAND ${command})
  set_tests_properties(clients.${name} PROPERTIES
    ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR} FIXTURES_REQUIRED "${fixtures}" TIMEOUT 300)
endforeach()
