# Checks of the sources themselves. Each program checks itself first (--self-test): a check that
# cannot fail says nothing.
set(checks ${CMAKE_CURRENT_SOURCE_DIR}/checks)

file(GLOB check_scripts CONFIGURE_DEPENDS ${checks}/check_*.py)
foreach(script ${check_scripts})
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE check_ "" name ${name})
  receiptd_test(check.${name} COMMAND ${Python3_EXECUTABLE} ${script} ${CMAKE_SOURCE_DIR})
  receiptd_test(check.${name}.self_test COMMAND ${Python3_EXECUTABLE} ${script} --self-test)
endforeach()

add_executable(config-docs ${CMAKE_SOURCE_DIR}/scripts/config_docs.cpp)
target_link_libraries(config-docs PRIVATE receiptd_config receiptd_metrics)
receiptd_test(check.config_docs COMMAND ${Python3_EXECUTABLE} ${checks}/config_docs.py $<TARGET_FILE:config-docs> ${CMAKE_SOURCE_DIR}/docs)
