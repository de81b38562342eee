import type { IContainer, IPodSpec } from "kubernetes-models/v1";
import type { KubernetesObject } from "./build_overlay.ts";

/** A pod that an object creates. */
export interface Workload {
  /** `Deployment/api` */
  id: string;
  kind: string;
  name: string;
  /** Labels of its pods. */
  labels: Record<string, string>;
  pod: IPodSpec;
  /** The controller's own spec. */
  spec: { replicas?: number; strategy?: unknown; volumeClaimTemplates?: unknown };
}

interface WithTemplate {
  template?: { metadata: { labels: Record<string, string> }; spec: IPodSpec };
}

/** Returns the pods that the objects of an overlay create. */
export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap(({ kind, metadata: { name }, spec }) => {
    const { template } = (spec ?? {}) as WithTemplate;
    if (template?.spec?.containers === undefined) return [];
    const { metadata, spec: pod } = template;
    const own = spec as Workload["spec"];
    return [{ id: `${kind}/${name}`, kind, name, labels: metadata.labels, pod, spec: own }];
  });
}

/** Returns all containers of a pod. */
export function containersOf({ pod }: Workload): IContainer[] {
  return [...pod.initContainers ?? [], ...pod.containers];
}

/** A label selector. */
export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[];
}

/** Returns whether a label selector matches an object with these labels. */
export function isSelected(selector: Selector, labels: Record<string, string>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const isIn = key in labels && values.includes(labels[key] as string);
      if (operator === "In") return isIn;
      if (operator === "NotIn") return !isIn;
      throw new RangeError(`Cannot determine what "${operator}" selects`);
    });
}
