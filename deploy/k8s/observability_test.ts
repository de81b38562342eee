import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { suite, test } from "node:test";
import type { IPodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { buildOverlay, NO_KUSTOMIZE } from "./build_overlay.ts";
import { containersOf, isSelected, type Selector, workloadsOf } from "./workloads.ts";

const SERVICES = await readdir(new URL("../../services", import.meta.url));

suite("observability of prod", { skip: NO_KUSTOMIZE }, async () => {
  const objects = NO_KUSTOMIZE ? [] : await buildOverlay("prod");
  test("Prometheus scrapes each service once, and its job is the service, as alerts and dashboards ask", () => {
    const monitors = objects.filter(({ kind }) => kind === "PodMonitor")
      .map(({ spec }) => spec as IPodMonitor["spec"]);
    // As the operator does it: the value of jobLabel, else the names of namespace and monitor.
    const jobs = workloadsOf(objects).flatMap(({ name, kind, labels, ...workload }) =>
      monitors
        .filter(({ selector }) => isSelected(selector as Selector, labels))
        .filter(({ podMetricsEndpoints = [] }) =>
          containersOf({ name, kind, labels, ...workload }).flatMap(({ ports = [] }) => ports)
            .some((port) => podMetricsEndpoints.some((endpoint) => endpoint.port === port.name))
        )
        .map(({ jobLabel = "" }) => [name, labels[jobLabel]])
    );
    assert.deepEqual(jobs.sort(), SERVICES.toSorted().map((name) => [name, name]));
  });
});
