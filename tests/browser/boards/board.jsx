// A board as Grafana draws it: its own frames, units, thresholds and components, in the grid of the board. What its panel
// plug-ins add (they are not on npm) is left out: the menus, tooltips, and what a pie, a state timeline or a gauge would be.
import { applyFieldOverrides, cacheFieldDisplayNames, createTheme, FieldType, fieldReducers, makeTimeRange, Registry } from "@grafana/data";
import { BigValue, GlobalStyles, PanelChrome, ThemeContext, TimeSeries } from "@grafana/ui";
import { TableNG } from "@grafana/ui/unstable";
import { createRoot } from "react-dom/client";
import { frames } from "./frames.js";

const CELL = 30, GAP = 8;
const theme = createTheme({ colors: { mode: "dark" } });

const plain = (id, custom = false) => ({ id: custom ? `custom.${id}` : id, path: id, name: id, isCustom: custom, process: (value) => value, shouldApply: () => true });
const registry = new Registry(() => [
  ...["unit", "min", "max", "decimals", "displayName", "noValue", "thresholds", "color", "mappings", "links"].map((id) => plain(id)),
  ...["drawStyle", "lineWidth", "fillOpacity", "showPoints", "spanNulls", "stacking", "thresholdsStyle", "axisPlacement", "axisSoftMax", "align", "cellOptions",
    "filterable", "width"].map((id) => plain(id, true)),
]);

function shaped(panel, answer) {
  const data = applyFieldOverrides({ data: frames(panel, answer), fieldConfig: panel.fieldConfig, replaceVariables: (text) => text, theme, timeZone: "utc",
    fieldConfigRegistry: registry });
  cacheFieldDisplayNames(data);
  return data;
}

function Stat({ panel, data, width, height }) {
  const field = data[0]?.fields.find((each) => each.type === FieldType.number);
  const last = field && fieldReducers.get("lastNotNull").reduce(field, false, false).lastNotNull;
  const nothing = last === null || last === undefined || Number.isNaN(last);
  const value = nothing
    ? { text: panel.fieldConfig.defaults.noValue ?? "No data", numeric: NaN, color: theme.colors.text.primary }
    : field.display(last);
  const sparkline = field && panel.options.graphMode === "area" && { y: field, x: data[0].fields[0] };
  return <BigValue value={value} sparkline={sparkline || undefined} width={width} height={height} theme={theme} colorMode="value"
    graphMode={panel.options.graphMode} justifyMode="auto" />;
}

// Annotations are the application's, not the library's: a line at each, or the time of a gap.
const marked = (annotations) => (config) => {
  config.addHook("draw", (plot) => {
    for (const { time, until, color } of annotations) {
      const left = plot.valToPos(Math.max(time, plot.scales.x.min), "x", true), right = until ? plot.valToPos(Math.min(until, plot.scales.x.max), "x", true) : left;
      if (time > plot.scales.x.max || (until ?? time) < plot.scales.x.min) continue;
      plot.ctx.fillStyle = theme.visualization.getColorByName(color);
      plot.ctx.globalAlpha = until ? 0.2 : 0.8;
      plot.ctx.fillRect(left, plot.bbox.top, Math.max(2, right - left), plot.bbox.height);
      plot.ctx.globalAlpha = 1;
    }
  });
  return null;
};

function Lines({ panel, data, width, height, range, annotations }) {
  if (!data.some((frame) => frame.length)) return <div className="nothing">{panel.fieldConfig.defaults.noValue ?? "No data"}</div>;
  return <TimeSeries frames={data} width={width} height={height} timeRange={range} timeZone="utc"
    legend={panel.options.legend} options={panel.options}>{marked(annotations)}</TimeSeries>;
}

const Rows = ({ panel, data, width, height }) => <TableNG data={data[0]} width={width} height={height} cellHeight="sm" enableVirtualization={false}
  structureRev={1} noValue={panel.fieldConfig.defaults.noValue} />;

const KINDS = { stat: Stat, timeseries: Lines, table: Rows };

function Board({ board, answers, range, annotations, width }) {
  const column = (width + GAP) / 24;
  return board.panels.map((panel) => {
    const { x, y, w, h } = panel.gridPos;
    const place = { position: "absolute", left: x * column, top: y * (CELL + GAP), width: w * column - GAP, height: h * (CELL + GAP) - GAP };
    if (panel.type === "row") return <h3 key={panel.id} style={{ ...place, margin: 0, paddingTop: 4, fontSize: 16 }}>{panel.title}</h3>;
    const Kind = KINDS[panel.type], data = shaped(panel, answers[panel.id]);
    return <div key={panel.id} style={place} data-panel={panel.title}>
      <PanelChrome title={panel.title} width={place.width} height={place.height} padding="md">
        {(innerWidth, innerHeight) => <Kind panel={panel} data={data} width={innerWidth} height={innerHeight} range={range} annotations={annotations} />}
      </PanelChrome>
    </div>;
  });
}

window.draw = ({ board, answers, since, until, annotations }, width) => {
  const bottom = Math.max(...board.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const place = document.getElementById("board");
  place.style.cssText = `position: relative; width: ${width}px; height: ${bottom * (CELL + GAP)}px`;
  const range = makeTimeRange(new Date(since * 1000).toISOString(), new Date(until * 1000).toISOString());
  createRoot(place).render(<ThemeContext.Provider value={theme}><GlobalStyles />
    <Board board={board} answers={answers} range={range} annotations={annotations} width={width} /></ThemeContext.Provider>);
  document.body.style.background = theme.colors.background.canvas;
};
