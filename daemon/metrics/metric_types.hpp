// Names of the metrics' types, for structs of series. Who counts includes metrics/registry.hpp.
#pragma once

namespace prometheus {

class Counter;
class Gauge;
class Histogram;
template <class T>
class Family;

}  // namespace prometheus

namespace receiptd::metrics {

class Registry;

}  // namespace receiptd::metrics
