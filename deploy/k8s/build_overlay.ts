import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { findKubectl } from "./find_kubectl.ts";

const run = promisify(execFile);
const MAX_BYTES = 16 * 1024 ** 2;

/** The common fields of Kubernetes objects. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  /** Each kind has its own. */
  spec?: unknown;
  data?: Record<string, string>;
}

/** The overlays that people deploy. */
export const OVERLAYS = ["dev", "prod"] as const;

/** Why overlays cannot be built here; `false` if they can. */
export const NO_KUSTOMIZE: string | false = await findKubectl(process.env).then(
  () => false,
  (error) => `${error}`.split("\n")[0] as string,
);

if (NO_KUSTOMIZE !== false) {
  process.stderr.write(
    `SKIPPED for want of "kubectl": no overlay of deploy/k8s is built, and none of its objects ` +
      `checked; install kubectl 1.27 or newer (${NO_KUSTOMIZE})\n`,
  );
}

/** Builds an overlay of `deploy/k8s`. @throws {Error} kustomize finds a fault. */
export async function buildOverlay(name: string): Promise<KubernetesObject[]> {
  return await buildFolder(overlayDir(name));
}

/**
 * Builds an overlay for tests; returns nothing if it cannot be built here, as they are skipped then. A test file
 * waits for it before its suites, because a suite must declare its tests without waiting.
 */
export async function testedOverlay(name: string): Promise<KubernetesObject[]> {
  return NO_KUSTOMIZE ? [] : await buildOverlay(name);
}

/** Builds a folder with a `kustomization.yaml`. @throws {Error} kustomize finds a fault. */
export async function buildFolder(folder: string): Promise<KubernetesObject[]> {
  return parseAllDocuments(await build(folder)).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as KubernetesObject;
  });
}

function overlayDir(name: string): string {
  return join(import.meta.dirname, "overlays", name);
}

async function build(folder: string): Promise<string> {
  kubectl ??= findKubectl(process.env);
  const { stdout } = await run(await kubectl, ["kustomize", folder], { maxBuffer: MAX_BYTES });
  return stdout;
}

let kubectl: Promise<string> | undefined;
