import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** The metrics and labels of a query. */
export interface PromqlUse {
  /** Names of the metrics, with the labels that each is selected by. */
  selectors: { metric: string; labels: string[] }[];
  /** Labels that results are grouped by. */
  grouping: string[];
}

/** Values for Grafana's own variables. */
const VARIABLES: readonly (readonly [string, string])[] = [
  ["$__rate_interval", "5m"],
  ["$__interval", "1m"],
  ["$__range", "1h"],
];

/** Replaces Grafana's variables by values. */
export function withoutVariables(query: string): string {
  return VARIABLES.reduce((text, [name, value]) => text.replaceAll(name, value), query);
}

/**
 * Reads a query with Prometheus's own grammar.
 *
 * @throws {SyntaxError} If it is none.
 */
export function readPromql(query: string): PromqlUse {
  const text = withoutVariables(query);
  const tree: Tree = parser.parse(text);
  const use: PromqlUse = { selectors: [], grouping: [] };
  tree.iterate({
    enter: ({ type, from, node }) => {
      if (type.isError) throw new SyntaxError(`Cannot read "${text}": at character ${from}`);
      if (type.name === "VectorSelector") use.selectors.push(selectorOf(node, text));
      if (type.name === "GroupingLabels") use.grouping.push(...namesIn(node, text));
    },
  });
  return use;
}

function selectorOf(node: SyntaxNode, text: string): PromqlUse["selectors"][number] {
  const name = node.getChild("Identifier");
  if (name === null) throw new SyntaxError(`Cannot read "${text}": a selector has no name`);
  const matchers = node.getChild("LabelMatchers");
  return {
    metric: text.slice(name.from, name.to),
    labels: matchers === null ? [] : namesIn(matchers, text),
  };
}

function namesIn(node: SyntaxNode, text: string): string[] {
  const names: string[] = [];
  node.cursor().iterate(({ type, from, to }) => {
    if (type.name === "LabelName") names.push(text.slice(from, to));
  });
  return names;
}
