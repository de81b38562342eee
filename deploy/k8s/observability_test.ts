import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { suite, test } from "node:test";
import type { IPodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { parse } from "yaml";
import { NO_KUSTOMIZE, testedOverlay } from "./build_overlay.ts";
import {
  containersOf,
  isSelected,
  type Selector,
  type Workload,
  workloadsOf,
} from "./workloads.ts";

const FOLDER = join(import.meta.dirname, "../observability");
const SERVICES = await readdir(new URL("../../services", import.meta.url));

const read = (path: string) => readFile(join(FOLDER, path), "utf8");

const objects = await testedOverlay("prod");
suite("observability of prod", { skip: NO_KUSTOMIZE }, () => {
  const ofKind = (wanted: string) => objects.filter(({ kind }) => kind === wanted);

  test("each service is one job of Prometheus, by the name in alerts and dashboards", () => {
    const monitors = ofKind("PodMonitor").map(({ spec }) => spec as IPodMonitor["spec"]);
    const jobs = workloadsOf(objects).flatMap((workload) =>
      monitors.filter((monitor) => isScraped(workload, monitor))
        .map((monitor) => [workload.name, workload.labels[monitor.jobLabel ?? ""]])
    );
    assert.deepEqual(jobs.sort(), SERVICES.toSorted().map((name) => [name, name]));
  });

  test("the alerts are those of deploy/observability, all in one PrometheusRule", async () => {
    const specs = ofKind("PrometheusRule").map(({ spec }) => spec);
    assert.deepEqual(specs, [parse(await read("alerts.yaml"))]);
  });

  test("the dashboards are those of deploy/observability, where Grafana's sidecar finds them", async () => {
    const maps = ofKind("ConfigMap")
      .filter(({ metadata }) => metadata.labels?.["grafana_dashboard"] === "1");
    assert.deepEqual(maps.map(({ metadata }) => metadata.name), ["dashboards"]);
    const files = globSync("dashboards/*.json", { cwd: FOLDER });
    const texts = await Promise.all(files.map(async (file) => [basename(file), await read(file)]));
    assert.deepEqual(maps[0]?.data, Object.fromEntries(texts));
  });
});

function isScraped(workload: Workload, monitor: IPodMonitor["spec"]): boolean {
  const endpoints = monitor.podMetricsEndpoints ?? [];
  const ports = containersOf(workload).flatMap(({ ports = [] }) => ports);
  return isSelected(monitor.selector as Selector, workload.labels) &&
    ports.some(({ name }) => endpoints.some(({ port }) => port === name));
}
