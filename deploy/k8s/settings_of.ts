import type { KubernetesObject } from "./build_overlay.ts";
import { workloadsOf } from "./workloads.ts";

/** Returns the environment of a workload's main container in an overlay, without the pod's additions. */
export function settingsOf(
  objects: readonly KubernetesObject[],
  name: string,
): Record<string, string> {
  const workload = workloadsOf(objects).find((each) => each.name === name);
  if (workload === undefined) throw new RangeError(`Cannot read settings: there is no "${name}"`);
  const [main] = workload.pod.containers;
  const settings: Record<string, string> = {};
  for (const { configMapRef } of main?.envFrom ?? []) {
    const map = objects.find(({ kind, metadata }) =>
      kind === "ConfigMap" && metadata.name === configMapRef?.name
    );
    if (map === undefined) throw new RangeError(`Cannot read settings: no "${configMapRef?.name}"`);
    Object.assign(settings, map.data);
  }
  for (const { name, value } of main?.env ?? []) settings[name] = value ?? "";
  return settings;
}
