# The program of a later version: this one with one more migration, which stands before that of the library when it is
# linked. Tests migrate with it under a daemon of this version.
set(generated ${CMAKE_BINARY_DIR}/generated)
file(GLOB migrations CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/migrations/*.sql)
list(LENGTH migrations count)
math(EXPR number "10001 + ${count}")
string(SUBSTRING ${number} 1 4 number)
set(later ${generated}/later/${number}_later.sql)
configure_file(data/migrations/later.sql ${later} COPYONLY)
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/migrations/*.sql ${CMAKE_SOURCE_DIR}/schema/*.sql)
add_custom_command(OUTPUT ${generated}/embedded_later.cpp
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${generated}/embedded_later.cpp -DSOURCE_DIR=${CMAKE_SOURCE_DIR}
          -DHEADER=storage/embedded_sql.hpp -DTYPE=SqlFile -DNAMESPACE=storage
          -DTABLES=migration_files=migrations/*.sql,schema_files=schema/*.sql -DMORE_FILES=${later}
          -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${files} ${later} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
add_executable(receiptd-later ${CMAKE_SOURCE_DIR}/daemon/main.cpp ${generated}/embedded_later.cpp)
target_link_libraries(receiptd-later PRIVATE receiptd_app)
# It has to be in the folder of the programs, where scenarios look for them.
set_target_properties(receiptd-later PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
