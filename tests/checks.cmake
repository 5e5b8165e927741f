# Checks of the sources themselves. Each program checks itself first (--self-test): a check that
# cannot fail says nothing.
find_program(PYTHON3 python3 REQUIRED)
set(checks ${CMAKE_CURRENT_SOURCE_DIR}/checks)

file(GLOB check_scripts CONFIGURE_DEPENDS ${checks}/check_*.py)
foreach(script ${check_scripts})
  get_filename_component(name ${script} NAME_WE)
  string(REPLACE check_ "" name ${name})
  add_test(NAME check.${name} COMMAND ${PYTHON3} ${script} ${CMAKE_SOURCE_DIR})
  add_test(NAME check.${name}.self_test COMMAND ${PYTHON3} ${script} --self-test)
endforeach()

add_executable(config-docs ${CMAKE_SOURCE_DIR}/scripts/config_docs.cpp)
target_link_libraries(config-docs PRIVATE receiptd_config receiptd_metrics)
add_test(NAME check.config_docs COMMAND ${PYTHON3} ${checks}/config_docs.py $<TARGET_FILE:config-docs> ${CMAKE_SOURCE_DIR}/docs)
