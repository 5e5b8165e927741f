// Data frames as Grafana's PostgreSQL and Prometheus sources make them of what draw.py has asked.
import { createDataFrame, FieldType } from "@grafana/data";

const INTEGERS = [20, 21, 23], FRACTIONS = [700, 701, 1700], TIMES = [1114, 1184];
const kindOf = (type) => (TIMES.includes(type) ? FieldType.time : [...INTEGERS, ...FRACTIONS].includes(type) ? FieldType.number : FieldType.string);
const valueOf = { [FieldType.time]: (text) => Date.parse(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")), [FieldType.number]: Number, [FieldType.string]: String };

function ofSql({ columns, rows }, overTime) {
  const fields = columns.map(([name, type], place) => {
    const kind = overTime && name === "time" ? FieldType.time : kindOf(type);
    const read = overTime && name === "time" ? (text) => 1000 * Number(text) : valueOf[kind];
    return { name, type: kind, config: {}, values: rows.map((row) => (row[place] === null ? null : read(row[place]))) };
  });
  return createDataFrame({ fields });
}

// One frame a series; `metric` names it.
function split(frame) {
  const [time, metric, value] = frame.fields;
  return [...new Set(metric.values)].sort().map((name) => {
    const places = metric.values.flatMap((each, place) => (each === name ? [place] : []));
    return createDataFrame({ fields: [{ ...time, values: places.map((place) => time.values[place]) },
      { ...value, name, config: { displayNameFromDS: name }, values: places.map((place) => value.values[place]) }] });
  });
}

const titled = (legend, labels) => legend.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => labels[name] ?? "") || undefined;

function ofPrometheus(query) {
  return query.series.map(({ labels, values }) => createDataFrame({ refId: query.refId, fields: [
    { name: "Time", type: FieldType.time, config: {}, values: values.map(([at]) => 1000 * at) },
    { name: "Value", type: FieldType.number, labels, config: { displayNameFromDS: titled(query.legend, labels) }, values: values.map(([, value]) => value) },
  ] }));
}

// The only transformation that boards use: order, names and absence of columns.
function organized(query, { indexByName, renameByName }) {
  return createDataFrame({ fields: Object.keys(indexByName).map((name) => ({ name: renameByName[name] ?? name, type: FieldType.string, config: {},
    values: query.series.map(({ labels }) => labels[name] ?? "") })) });
}

export function frames(panel, answer) {
  if (answer.columns) {
    const overTime = panel.targets[0].format === "time_series", frame = ofSql(answer, overTime);
    return overTime && frame.fields[1]?.name === "metric" ? split(frame) : [frame];
  }
  if (panel.transformations) return [organized(answer.queries[0], panel.transformations[0].options)];
  return answer.queries.flatMap(ofPrometheus);
}
