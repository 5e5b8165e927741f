// As base/asio.cpp, for TLS.
#include <boost/asio/ssl/impl/src.hpp>
