# Fuzz targets: tests/fuzz/fuzz_<name>.cpp with seeds in tests/data/fuzz/<name>/; `./dev fuzz` runs them all.
#
# RECEIPTD_FUZZ=ON (clang, preset fuzz): libFuzzer programs, the project's libraries instrumented as well:
#   build-fuzz/fuzz_block -max_total_time=60 corpus-folder tests/data/fuzz/block
# Otherwise each target runs over its seeds and damages of them (replay_main.cpp), without clang.
if(RECEIPTD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "RECEIPTD_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  target_compile_options(receiptd_options INTERFACE
    -fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer)
  target_link_options(receiptd_options INTERFACE -fsanitize=address)
endif()

# Targets that write each input into a database, tens of them a second.
set(fuzz_on_postgres rows)

add_custom_target(fuzz_targets)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz/fuzz_*.cpp)
foreach(source ${fuzz_sources})
  get_filename_component(target ${source} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" name ${target})
  set(seeds ${CMAKE_CURRENT_LIST_DIR}/data/fuzz/${name})
  file(GLOB found CONFIGURE_DEPENDS ${seeds}/*)
  if(NOT found)
    message(FATAL_ERROR "${target} has no seeds in ${seeds}: damages of valid inputs reach further than none")
  endif()
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE receiptd_alert receiptd_api receiptd_rpc receiptd_config GTest::gmock
    nlohmann_json::nlohmann_json)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR})
  add_dependencies(fuzz_targets ${target})
  set(postgres "")
  set(runs 2000)
  set(most_damages "")
  if(name IN_LIST fuzz_on_postgres)
    set(postgres POSTGRES)
    set(runs 100)
    set(most_damages 10)
  endif()
  if(RECEIPTD_FUZZ)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/fuzz/grow_mutator.cpp)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    receiptd_test(fuzz.${name} ${postgres} COMMAND $<TARGET_FILE:${target}> -runs=${runs} -seed=1 -max_len=262144 ${seeds})
  else()
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/fuzz/replay_main.cpp)
    receiptd_test(fuzz.${name} ${postgres} COMMAND $<TARGET_FILE:${target}> ${seeds} ${most_damages})
  endif()
endforeach()

# A target without seeds tries next to nothing.
if(NOT RECEIPTD_FUZZ)
  receiptd_test(fuzz.refuses_no_seeds COMMAND $<TARGET_FILE:fuzz_block> ${CMAKE_CURRENT_LIST_DIR}/data/fuzz/absent)
  set_tests_properties(fuzz.refuses_no_seeds PROPERTIES PASS_REGULAR_EXPRESSION "no seeds in ")
endif()
