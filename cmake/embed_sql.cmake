# Writes OUTPUT, a C++ file that defines the tables of storage/embedded_sql.hpp from
# SOURCE_DIR/migrations/*.sql and SOURCE_DIR/schema/*.sql, in name order.
function(append_table variable folder)
  file(GLOB files ${SOURCE_DIR}/${folder}/*.sql)
  list(SORT files)
  set(text "const std::vector<SqlFile>& ${variable}() {\n    static const std::vector<SqlFile> files = {\n")
  foreach(path ${files})
    get_filename_component(name ${path} NAME)
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${hex}")
    # Short literals: a compiler need only support 64 Ki characters in one.
    string(REGEX REPLACE "((\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..))" "\\1\"\n         \"" escaped "${escaped}")
    string(APPEND text "        {\"${name}\",\n         \"${escaped}\"},\n")
  endforeach()
  string(APPEND text "    };\n    return files;\n}\n\n")
  set(tables "${tables}${text}" PARENT_SCOPE)
endfunction()

set(tables "")
append_table(migration_files migrations)
append_table(schema_files schema)
file(WRITE ${OUTPUT} "// Generated from migrations/ and schema/ by cmake/embed_sql.cmake.
#include \"storage/embedded_sql.hpp\"

namespace receiptd::storage {

${tables}}  // namespace receiptd::storage
")
