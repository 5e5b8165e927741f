# Real NEAR clients from npm against `receiptd-sandbox run`, one process per file (tests/clients/README.md).
# Without node the tests fail: `./dev test` installs it.
find_program(NODE node)
if(NOT NODE)
  set(NODE node)
endif()
set(clients ${CMAKE_CURRENT_SOURCE_DIR}/clients)

add_executable(post-webhook ${clients}/post_webhook.cpp)
target_link_libraries(post-webhook PRIVATE receiptd_alert)

receiptd_test(clients.install COMMAND ${clients}/install.sh)
set_tests_properties(clients.install PROPERTIES FIXTURES_SETUP npm_packages)

file(GLOB client_files CONFIGURE_DEPENDS ${clients}/*_test.mjs)
foreach(file ${client_files})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  set(postgres "")
  if(name MATCHES "^daemon_")  # these run the daemon, which needs a database
    set(postgres POSTGRES)
  endif()
  receiptd_test(clients.${name} ${postgres} COMMAND ${NODE} --test ${file} FIXTURES npm_packages
    ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR})
endforeach()
