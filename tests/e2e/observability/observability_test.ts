import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type MetricDefinition, METRICS } from "@posthaste/telemetry";
import { parse } from "yaml";
import { exportedMetrics, TARGET_LABELS } from "./exported_metrics.ts";
import { readPromql } from "./read_promql.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = join(ROOT, "deploy/observability");

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

interface Panel {
  type: string;
  title: string;
  description?: string;
  fieldConfig?: { defaults: { unit?: string } };
  targets?: { expr: string; legendFormat?: string; refId: string }[];
}

interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
}

const read = (path: string) => readFileSync(join(FOLDER, path), "utf8");
const rules = (parse(read("alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups
  .flatMap((group) => group.rules);
const dashboards = globSync("dashboards/*.json", { cwd: FOLDER })
  .map((file) => JSON.parse(read(file)) as Dashboard);
const panels = dashboards.flatMap((dashboard) => dashboard.panels)
  .filter(({ type }) => type !== "row");
const known = exportedMetrics();

/** Returns the names in a query that no service exports. */
function faultsOf(query: string): string[] {
  const { selectors, grouping } = readPromql(query);
  const labels = new Set(TARGET_LABELS);
  const faults = selectors.flatMap(({ metric, labels: asked }) => {
    const own = known.get(metric);
    if (own === undefined) return [`no metric ${metric}`];
    for (const label of own) labels.add(label);
    return asked.filter((label) => !own.has(label) && !TARGET_LABELS.has(label))
      .map((label) => `${metric} has no label ${label}`);
  });
  return [
    ...faults,
    ...grouping.filter((label) => !labels.has(label)).map((label) => `nothing has label ${label}`),
  ];
}

test("each alert queries metrics and labels that exist", () => {
  assert.ok(rules.length > 15);
  for (const { alert, expr } of rules) assert.deepEqual([alert, faultsOf(expr)], [alert, []]);
});

test("each panel queries metrics and labels that exist, and has a unit and a description", () => {
  assert.ok(panels.length > 30);
  for (const { title, description = "", fieldConfig, targets = [] } of panels) {
    assert.ok(targets.length > 0, title);
    for (const { expr } of targets) assert.deepEqual([title, faultsOf(expr)], [title, []]);
    assert.ok(description.length > 10, `"${title}" has a description`);
    assert.ok(fieldConfig?.defaults.unit, `"${title}" has a unit`);
  }
});

test("each legend names labels that its query leaves", () => {
  for (const { title, targets = [] } of panels) {
    for (const { expr, legendFormat = "" } of targets) {
      const { grouping } = readPromql(expr);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
      assert.deepEqual([title, named.filter((name) => !grouping.includes(name))], [title, []]);
    }
  }
});

test("faultsOf() finds a metric, a label and a grouping that do not exist, and a query that is none", () => {
  assert.deepEqual(faultsOf("rate(posthaste_nothing_total[5m])"), [
    "no metric posthaste_nothing_total",
  ]);
  assert.deepEqual(faultsOf('posthaste_queue_messages{stage="pdf"}'), [
    "posthaste_queue_messages has no label stage",
  ]);
  assert.deepEqual(faultsOf("sum by (stage) (posthaste_queue_messages)"), [
    "nothing has label stage",
  ]);
  assert.throws(() => faultsOf("sum(posthaste_queue_messages"), SyntaxError);
});

test("every metric is in a panel or an alert, except those for investigations", () => {
  const asked = new Set(
    [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ].flatMap((expr) => readPromql(expr).selectors.map(({ metric }) => metric)),
  );
  const unseen = [...known.keys()].filter((name) => !asked.has(name))
    .filter((name) => !/_(bucket|seconds_count|bytes_count|sum)$/.test(name));
  assert.deepEqual(unseen.sort(), [
    "nodejs_eventloop_delay_max_seconds",
    "nodejs_eventloop_delay_mean_seconds",
    "process_unix_file_descriptor_count",
    "process_uptime_seconds",
    "v8js_memory_heap_limit_bytes",
  ]);
});

test("each alert contains what happened and its urgency, and has a runbook page that quotes it", () => {
  for (const { alert, expr, labels, annotations } of rules) {
    assert.match(labels.severity, /^(page|ticket)$/, alert);
    assert.ok(annotations.summary.length > 10 && annotations.description.length > 20, alert);
    const page = join(ROOT, annotations.runbook_url);
    assert.ok(existsSync(page), annotations.runbook_url);
    const text = readFileSync(page, "utf8");
    assert.ok(text.startsWith(`# ${alert}\n`), `${annotations.runbook_url} is about ${alert}`);
    assert.ok(text.includes(expr), `${annotations.runbook_url} quotes the alert as it is`);
    for (const part of ["## How to look", "## What to do"]) assert.ok(text.includes(part), alert);
  }
});

test("each runbook page belongs to an alert, is listed, and links to pages that exist", () => {
  const pages = globSync("docs/runbook/*.md", { cwd: ROOT }).map((path) => path.split("/").pop());
  const own = rules.map(({ annotations }) => annotations.runbook_url.split("/").pop());
  assert.deepEqual([...new Set([...own, "README.md"])].sort(), pages.sort());
  for (const page of pages) {
    const text = readFileSync(join(ROOT, "docs/runbook", page ?? ""), "utf8");
    for (const [, link] of text.matchAll(/\]\((\w+\.md)\)/g)) assert.ok(pages.includes(link), link);
  }
  const list = readFileSync(join(ROOT, "docs/runbook/README.md"), "utf8");
  for (const { alert } of rules) assert.ok(list.includes(`[${alert}]`), alert);
});

test("each line of a log that the runbook quotes is written somewhere", () => {
  const code = globSync(["libs/**/*.ts", "services/**/*.ts"], {
    cwd: ROOT,
    exclude: (path) => /node_modules|_test\.ts$|services\/dashboard\/web/.test(path),
  }).map((path) => readFileSync(join(ROOT, path), "utf8")).join("\n");
  const quoted = globSync("docs/runbook/*.md", { cwd: ROOT }).flatMap((path) =>
    readFileSync(join(ROOT, path), "utf8").replaceAll(/\s*\n\s+/g, " ").split("\n")
      .filter((line) => /\blogs?\b/.test(line))
      .flatMap((line) => [...line.matchAll(/"([A-Z][^"]+)"/g)].map(([, text = ""]) => text))
  );
  assert.ok(quoted.length > 5);
  assert.deepEqual(quoted.filter((text) => !code.includes(text)), []);
});

test("every metric that is declared is recorded somewhere, and no place names another", () => {
  const files = globSync(["libs/**/*.ts", "services/**/*.ts"], {
    cwd: ROOT,
    exclude: (path) => /node_modules|_test\.ts$|services\/dashboard\/web/.test(path),
  });
  const recorded = new Set(files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return [...text.matchAll(
      /\b(?:count|recordDuration|recordSize|setGauge|observe)\(\s*"(\w+(?:\.\w+)+)"/g,
    )].map(([, name = ""]) => name);
  }));
  assert.deepEqual([...recorded].sort(), Object.keys(METRICS).sort());
});

test("the page about telemetry lists every metric with its attributes, and no other", () => {
  const text = readFileSync(join(ROOT, "docs/telemetry.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([\w.]+)` \| `(\w+)` \| \w+ \| (.*?) \|/gm)]
    .map(([, name, , attributes = ""]) => [name, attributes.replaceAll("`", "")]);
  const declared = Object.entries<MetricDefinition>(METRICS)
    .map(([name, { attributes }]) => [name, attributes.join(", ")]);
  assert.deepEqual(rows, declared);
});

test("the page about telemetry counts the alerts", () => {
  const text = readFileSync(join(ROOT, "docs/telemetry.md"), "utf8");
  const [, counted] = /^\| `alerts\.yaml` \| (\d+) alerts /m.exec(text) ?? [];
  assert.equal(Number(counted), rules.length);
});

test("each alert fires on what it is made for, and Prometheus takes the files", (t) => {
  if (spawnSync("promtool", ["--version"]).error !== undefined) {
    return t.skip("promtool is missing; install prometheus");
  }
  for (
    const args of [
      ["check", "rules", "alerts.yaml"],
      ["check", "config", "prometheus.yaml"],
      ["test", "rules", "alerts_test.yaml"],
    ]
  ) {
    const { status, stdout, stderr } = spawnSync("promtool", args, {
      cwd: FOLDER,
      encoding: "utf8",
    });
    assert.equal(status, 0, `${args.join(" ")}\n${stdout}${stderr}`);
  }
  const tested = parse(read("alerts_test.yaml")) as { tests: { name: string }[] };
  assert.deepEqual(tested.tests.map(({ name }) => name).sort(), rules.map((r) => r.alert).sort());
});

interface Collector {
  [section: string]: Record<string, unknown>;
}

test("the collector's pipelines are made of parts that are there, all of them, and hold no secret", () => {
  const text = read("collector.yaml");
  const config = parse(text) as Collector;
  const { pipelines, extensions } = config["service"] as {
    pipelines: Record<string, Record<"receivers" | "processors" | "exporters", string[]>>;
    extensions: string[];
  };
  const has = (section: string) => Object.keys(config[section] ?? {});
  const used = { receivers: new Set(), processors: new Set(), exporters: new Set() };
  for (const pipeline of Object.values(pipelines)) {
    for (const section of ["receivers", "processors", "exporters"] as const) {
      for (const name of pipeline[section]) used[section].add(name);
    }
  }
  for (const section of ["receivers", "processors", "exporters"] as const) {
    const there = [...has(section), ...(section === "processors" ? [] : has("connectors"))];
    assert.deepEqual([...used[section]].sort(), there.sort(), section);
  }
  assert.deepEqual(extensions.toSorted(), has("extensions").sort());
  assert.match(text, /token: \$\{env:TRACES_TOKEN\}/);
});
