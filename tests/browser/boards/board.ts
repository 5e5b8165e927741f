// What @grafana/schema says of a board's JSON: names and types of dashboard, panels, variables and annotations, and of options by kind of panel.
import type { Dashboard, GraphFieldConfig, OptionsWithLegend, Panel, RowPanel, SingleStatBaseOptions, TableFieldOptions, VariableModel } from "@grafana/schema";

// JSON has the texts of enumerations.
type Json<T> = T extends string ? `${T}` : T extends (infer Each)[] ? Json<Each>[] : T extends object ? { [Key in keyof T]: Json<T[Key]> } : T;
type Fields = NonNullable<Panel["fieldConfig"]>;
// Targets are those of the sources, and links of a panel need no more than this.
type Of<Kind extends string, Options, Custom> = Omit<Json<Panel>, "type" | "options" | "targets" | "fieldConfig" | "links"> & {
  type: Kind; options: Json<Options>; targets: object[]; links: { title: string; url: string; targetBlank?: boolean }[];
  fieldConfig: Omit<Json<Fields>, "defaults"> & { defaults: Omit<Json<Fields["defaults"]>, "custom"> & { custom?: Json<Custom> } };
};
type Stat = SingleStatBaseOptions & { colorMode: string; graphMode: string; justifyMode: string; textMode: string };
export type Board = Omit<Json<Dashboard>, "panels" | "templating" | "annotations"> & {
  panels: (Of<"stat", Stat, never> | Of<"timeseries", OptionsWithLegend & { tooltip: object }, GraphFieldConfig> |
    Of<"table", { showHeader: boolean; cellHeight: string }, Partial<TableFieldOptions>> | Json<RowPanel>)[];
  templating: { list: (Json<VariableModel> & { definition?: string })[] };
  annotations: { list: object[] };
};
