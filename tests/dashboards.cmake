# The dashboards and Prometheus rules of dashboards/: their form, and every query of theirs on a Prometheus and a
# database that a daemon at work fills (package prometheus). Without promtool and prometheus the tests fail.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(dashboards ${CMAKE_CURRENT_SOURCE_DIR}/dashboards)

add_test(NAME dashboards.form COMMAND ${Python3_EXECUTABLE} ${dashboards}/form_test.py)
set_tests_properties(dashboards.form PROPERTIES TIMEOUT 120)

add_test(NAME dashboards.live
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/with_postgres.sh ${RECEIPTD_TEST_CLUSTER}
          ${Python3_EXECUTABLE} ${dashboards}/live_test.py)
set_tests_properties(dashboards.live PROPERTIES
  ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR} FIXTURES_REQUIRED postgres TIMEOUT 600 COST 20)
