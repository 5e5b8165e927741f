# receiptd_module(name USES modules... LINKS targets...): daemon/<name>/*.cpp as library
# receiptd_<name> (chain/json: receiptd_chain_json), with unit tests from tests/unit/<name>/*_test.cpp.

add_library(receiptd_options INTERFACE)
target_compile_options(receiptd_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  # g++ 12 takes a coroutine frame's own operator delete for a mismatch.
  $<$<CXX_COMPILER_ID:GNU>:-fcoroutines -Wno-mismatched-new-delete>
  # g++ would look for garbage from 128 MB on, again and again: a tenth of its time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=700000>)
target_include_directories(receiptd_options INTERFACE ${CMAKE_SOURCE_DIR}/daemon ${CMAKE_SOURCE_DIR})
target_compile_definitions(receiptd_options INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION RECEIPTD_VERSION="${PROJECT_VERSION}")
if(CMAKE_UNITY_BUILD)
  # A source that a unity file includes looks like a header to g++, which then warns about every type local to it.
  target_compile_options(receiptd_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # And clang warns where two of them have one name for the same type.
  target_compile_options(receiptd_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
endif()
# An error in memory ends the process before it becomes a way in; a sanitizer has its own checks for that.
# tests/scenario/service_test.py reads the program for it.
if(RECEIPTD_HARDENED AND NOT RECEIPTD_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_options(receiptd_options INTERFACE
    -fPIE -fstack-protector-strong -fstack-clash-protection
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS)
  target_link_options(receiptd_options INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(RECEIPTD_SANITIZE)
  target_compile_options(receiptd_options INTERFACE
    -fsanitize=${RECEIPTD_SANITIZE} -fno-omit-frame-pointer
    # g++ 12 sees uninitialised variants in instrumented code.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    # clang 14 cannot put this one's data in front of a coroutine.
    $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  target_link_options(receiptd_options INTERFACE -fsanitize=${RECEIPTD_SANITIZE})
endif()

# receiptd_wing(name [HOT] ABOVE wings...): in a unity build the modules that follow are compiled together, as one static
# library that links those of the wings below. Modules share most of what they include (docs/decisions/0006-build-time.md).
# HOT: what the programs spend their time in is optimised, though it takes longer to compile.
macro(receiptd_wing name)
  if(CMAKE_UNITY_BUILD)
    cmake_parse_arguments(WING "HOT" "" "ABOVE" ${ARGN})
    set(RECEIPTD_WING receiptd_wing_${name})
    add_library(${RECEIPTD_WING} STATIC)
    target_link_libraries(${RECEIPTD_WING} PUBLIC receiptd_options)
    if(WING_HOT)
      target_compile_options(${RECEIPTD_WING} PRIVATE -O1)
    endif()
    foreach(below ${WING_ABOVE})
      target_link_libraries(${RECEIPTD_WING} PUBLIC receiptd_wing_${below})
    endforeach()
  endif()
endmacro()

# The target that compiles the sources of a module: its own library, or its wing.
function(receiptd_compiled_in module result)
  get_property(wing TARGET receiptd_${module} PROPERTY RECEIPTD_COMPILED_IN)
  if(NOT wing)
    set(wing receiptd_${module})
  endif()
  set(${result} ${wing} PARENT_SCOPE)
endfunction()

function(receiptd_library target folder)
  cmake_parse_arguments(ARG "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(RECEIPTD_SANITIZE MATCHES undefined AND folder MATCHES "/net$")
    # A Beast file takes minutes under this one sanitizer.
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
  endif()
  set(libraries ${ARG_LINKS})
  foreach(module ${ARG_USES})
    string(REPLACE "/" "_" module ${module})
    list(APPEND libraries receiptd_${module})
  endforeach()
  if(CMAKE_UNITY_BUILD)
    target_sources(${RECEIPTD_WING} PRIVATE ${sources})
    target_link_libraries(${RECEIPTD_WING} PUBLIC ${ARG_LINKS})
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${RECEIPTD_WING} ${libraries})
    set_property(TARGET ${target} PROPERTY RECEIPTD_COMPILED_IN ${RECEIPTD_WING})
  elseif(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC receiptd_options ${libraries})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE receiptd_options ${libraries})
  endif()
endfunction()

function(receiptd_module name)
  string(REPLACE "/" "_" target receiptd_${name})
  receiptd_library(${target} ${CMAKE_SOURCE_DIR}/daemon/${name} ${ARGN})
endfunction()

# receiptd_embed(module HEADER path TYPE struct TABLES name=pattern...): files travel inside the program, as the tables
# that the header declares.
function(receiptd_embed module)
  cmake_parse_arguments(ARG "" "HEADER;TYPE" "TABLES" ${ARGN})
  set(files "")
  foreach(table ${ARG_TABLES})
    string(REGEX REPLACE "^[^=]*=" "" pattern ${table})
    file(GLOB chosen CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    list(APPEND files ${chosen})
  endforeach()
  set(generated ${CMAKE_BINARY_DIR}/generated/embedded_${module}.cpp)
  # A file that is renamed or removed makes nothing newer: its name is part of the command.
  string(MD5 names "${files}")
  list(JOIN ARG_TABLES "," tables)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DNAMES=${names}
            -DHEADER=${ARG_HEADER} -DTYPE=${ARG_TYPE} -DNAMESPACE=${module} -DTABLES=${tables}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
  receiptd_compiled_in(${module} library)
  target_sources(${library} PRIVATE ${generated})
endfunction()

# receiptd_sandbox_part(name USES sandbox parts... SHARES daemon modules... LINKS targets...): sandbox/<name>/*.cpp
# as library receiptd_sandbox_<name>, with unit tests from tests/unit/sandbox_<name>/*_test.cpp.
function(receiptd_sandbox_part name)
  cmake_parse_arguments(ARG "" "" "USES;SHARES;LINKS" ${ARGN})
  set(modules ${ARG_SHARES})
  foreach(part ${ARG_USES})
    list(APPEND modules sandbox_${part})
  endforeach()
  receiptd_library(receiptd_sandbox_${name} ${CMAKE_SOURCE_DIR}/sandbox/${name}
    USES ${modules} LINKS ${ARG_LINKS})
endfunction()
