# The boards and Prometheus rules of dashboards/: their form; every SQL question of theirs on databases that tests fill; and
# every query on a Prometheus and a database that a daemon at work fills (package prometheus). Without promtool and prometheus the tests fail.
set(dashboards ${CMAKE_CURRENT_SOURCE_DIR}/dashboards)

receiptd_test(dashboards.form COMMAND ${Python3_EXECUTABLE} ${dashboards}/form_test.py)
receiptd_test(dashboards.questions POSTGRES COST 10 COMMAND ${Python3_EXECUTABLE} ${dashboards}/questions_test.py
  ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR})
receiptd_test(dashboards.provisioning POSTGRES COST 5 COMMAND ${Python3_EXECUTABLE} ${dashboards}/provisioning_test.py
  ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR})
receiptd_test(dashboards.live POSTGRES COST 20 COMMAND ${Python3_EXECUTABLE} ${dashboards}/live_test.py
  ENVIRONMENT RECEIPTD_BUILD=${CMAKE_BINARY_DIR})
