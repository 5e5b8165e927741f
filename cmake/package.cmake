# Two Debian packages: receiptd and receiptd-sandbox. `./dev package` makes them; docs/releasing.md tells the rest.
include(GNUInstallDirs)
set(debian ${CMAKE_SOURCE_DIR}/deploy/debian)
set(made ${CMAKE_BINARY_DIR}/package)
# Installing asks for nothing to be built: the tests are not part of it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# The time of the sources, so that the same sources make the same packages.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(source_date $ENV{SOURCE_DATE_EPOCH})
else()
  execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} log -1 --format=%ct
    OUTPUT_VARIABLE source_date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT source_date)
  set(source_date 0)
endif()
set(ENV{SOURCE_DATE_EPOCH} ${source_date})
string(TIMESTAMP release_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(RECEIPTD_MAINTAINER "receiptd <receiptd@localhost>" CACHE STRING "Name and address of who makes the packages")

# packed(FILE SOURCE): what Debian wants to be compressed, without the time of doing it.
function(packed file source)
  add_custom_command(OUTPUT ${file} COMMAND gzip -9n < ${source} > ${file} DEPENDS ${source} VERBATIM)
  set(package_files ${package_files} ${file} PARENT_SCOPE)
endfunction()
# said(FILE PROGRAM WORDS...): what a program says of itself.
function(said file program)
  add_custom_command(OUTPUT ${file} COMMAND ${program} ${ARGN} > ${file} DEPENDS ${program} VERBATIM)
  set(package_files ${package_files} ${file} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${made}/zsh ${made}/bash ${made}/fish)
packed(${made}/changelog.gz ${CMAKE_SOURCE_DIR}/CHANGELOG.md)
foreach(program receiptd receiptd-sandbox)
  file(CONFIGURE OUTPUT ${made}/${program}.changelog @ONLY
    CONTENT "@program@ (@PROJECT_VERSION@-1) stable; urgency=medium

  * Release @PROJECT_VERSION@: changelog.gz tells what is new.

 -- @RECEIPTD_MAINTAINER@  @release_date@
")
  packed(${made}/${program}.changelog.gz ${made}/${program}.changelog)
  said(${made}/${program}.1 ${program} manual)
  packed(${made}/${program}.1.gz ${made}/${program}.1)
  said(${made}/bash/${program} ${program} completion bash)
  said(${made}/zsh/_${program} ${program} completion zsh)
  said(${made}/fish/${program}.fish ${program} completion fish)
  set(doc ${CMAKE_INSTALL_DATADIR}/doc/${program})
  install(TARGETS ${program} COMPONENT ${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${made}/${program}.1.gz COMPONENT ${program} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${made}/bash/${program} COMPONENT ${program}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${made}/zsh/_${program} COMPONENT ${program}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${made}/fish/${program}.fish COMPONENT ${program}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${made}/changelog.gz ${debian}/copyright NOTICE COMPONENT ${program} DESTINATION ${doc})
  install(FILES ${made}/${program}.changelog.gz COMPONENT ${program} DESTINATION ${doc} RENAME changelog.Debian.gz)
  install(FILES ${debian}/${program}.lintian-overrides COMPONENT ${program}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${program})
endforeach()
# With the tests, which look at the packages.
if(RECEIPTD_TESTS)
  set(all ALL)
endif()
add_custom_target(package_files ${all} DEPENDS ${package_files})

# The unit of deploy/, without the lines that tell how to install it by hand, for the installed program.
file(READ deploy/receiptd.service unit)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS deploy/receiptd.service)
string(FIND "${unit}" "[Unit]" begin)
string(SUBSTRING "${unit}" ${begin} -1 unit)
string(REPLACE /usr/local/bin/ /usr/bin/ unit "${unit}")
string(REPLACE file:///etc/receiptd/receiptd.toml "man:receiptd(1) file:///usr/share/doc/receiptd/" unit "${unit}")
file(WRITE ${made}/receiptd.service "${unit}")

set(doc ${CMAKE_INSTALL_DATADIR}/doc/receiptd)
set(shared ${CMAKE_INSTALL_DATADIR}/receiptd)
install(FILES ${made}/receiptd.service COMPONENT receiptd DESTINATION /lib/systemd/system)
install(FILES ${debian}/sysusers.conf COMPONENT receiptd DESTINATION lib/sysusers.d RENAME receiptd.conf)
install(DIRECTORY COMPONENT receiptd DESTINATION /etc/receiptd
  DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)
install(FILES docs/receiptd.example.toml COMPONENT receiptd DESTINATION ${doc}/examples RENAME receiptd.toml)
install(FILES README.md ${debian}/README.Debian COMPONENT receiptd DESTINATION ${doc})
install(DIRECTORY docs COMPONENT receiptd DESTINATION ${doc} FILES_MATCHING PATTERN *.md PATTERN receiver.* PATTERN *.png
  PATTERN decisions EXCLUDE)
install(DIRECTORY dashboards/ COMPONENT receiptd DESTINATION ${shared} PATTERN rules_*test.yml EXCLUDE PATTERN source EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL receiptd receiptd-sandbox)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${RECEIPTD_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_NAME receiptd)
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_SECTION net)
# systemd-sysusers makes the user, procps has the kill of `systemctl reload`.
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers | systemd-sysusers, ca-certificates, procps")
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_RECOMMENDS "postgresql")
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_SUGGESTS "receiptd-sandbox, prometheus, prometheus-alertmanager")
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_RECEIPTD_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RECEIPTD-SANDBOX_PACKAGE_NAME receiptd-sandbox)
set(CPACK_DEBIAN_RECEIPTD-SANDBOX_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_RECEIPTD_DESCRIPTION
"follows NEAR transactions to their last receipt
receiptd stores the receipts of NEAR transactions in PostgreSQL, finds the
callback that failed under a transaction that looks like a success, and tells
whom it concerns by webhook, chat or e-mail. It serves a page, an HTTP API and
Prometheus metrics.")
set(CPACK_COMPONENT_RECEIPTD-SANDBOX_DESCRIPTION
"NEAR-like chain on this machine, behind an RPC gateway
receiptd-sandbox runs a small sharded chain with accounts, contracts, traffic
and faults on demand, and answers as the RPC hosts of a provider do. Tests of
programs that talk to NEAR need no network and no key with it.")
include(CPack)
