/**
 * Writes the PrometheusRule of the Prometheus operator (`deploy/observability/prometheus_rule.yaml`) out of
 * `deploy/observability/alerts.yaml`; with `--check` it only reports whether the file is stale.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { writeGenerated } from "./write_generated.ts";

const FOLDER = new URL("../observability/", import.meta.url);

const HEAD = `# Made by deploy/k8s/prometheus_rule.ts out of alerts.yaml: do not edit.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: posthaste
  labels:
    app.kubernetes.io/part-of: posthaste
    posthaste/step: services
spec:
`;

/** Returns the PrometheusRule in the form of the file: Prometheus's own rule file is its `spec`. */
export async function prometheusRule(): Promise<string> {
  const rules = await readFile(new URL("alerts.yaml", FOLDER), "utf8");
  return HEAD + rules.replace(/^(?=.)/gm, "  ");
}

if (import.meta.main) {
  await writeGenerated(new URL("prometheus_rule.yaml", FOLDER), await prometheusRule());
}
