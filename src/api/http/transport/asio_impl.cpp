// The parts of Asio and Beast that are not templates, compiled once (BOOST_ASIO_SEPARATE_COMPILATION and
// BOOST_BEAST_SEPARATE_COMPILATION are defined for every file of the target).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
