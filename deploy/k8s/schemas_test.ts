import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { takesLong } from "@posthaste/kit";
import { buildFolder, buildOverlay, type KubernetesObject, NO_KUSTOMIZE } from "./build_overlay.ts";

takesLong();

const run = promisify(execFile);

/** The packages with the schemas of API groups other than Kubernetes' own. */
const PACKAGES: Record<string, string> = {
  "keda.sh": "@kubernetes-models/keda",
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "cert-manager.io": "@kubernetes-models/cert-manager",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
};

/** Returns the module with the schema of an object: `kubernetes-models/apps/v1/Deployment`. */
function moduleOf({ apiVersion, kind }: KubernetesObject): string {
  const [group = ""] = apiVersion.split("/");
  return `${PACKAGES[group] ?? "kubernetes-models"}/${apiVersion}/${kind}`;
}

/** Builds every component that no overlay has, so that optional ones are checked, too. */
async function buildVariant(): Promise<KubernetesObject[]> {
  await using folder = await mkdtempDisposable(join(import.meta.dirname, ".variant-"));
  await writeFile(
    join(folder.path, "kustomization.yaml"),
    JSON.stringify({
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      resources: ["../overlays/dev"],
      components: ["../components/oidc", "../components/remote_images"],
    }),
  );
  return await buildFolder(folder.path);
}

suite("objects of Kubernetes", { skip: NO_KUSTOMIZE }, () => {
  const folders = {
    dev: () => buildOverlay("dev"),
    prod: () => buildOverlay("prod"),
    variant: buildVariant,
    node_seccomp: () => buildFolder(join(import.meta.dirname, "node_seccomp")),
  };
  for (const [folder, build] of Object.entries(folders)) {
    test(`every object of ${folder} fits its published schema`, async () => {
      const faults = [];
      for (const object of await build()) {
        const { [object.kind]: Model } = await import(moduleOf(object));
        assert.ok(Model, `${object.apiVersion} has a schema of ${object.kind}`);
        try {
          new Model(object).validate();
        } catch (error) {
          faults.push(`${object.kind}/${object.metadata.name}: ${error}`);
        }
      }
      assert.deepEqual(faults, []);
    });
  }

  test("no object has a field that is unknown to its schema", async () => {
    // The published schemas accept unknown fields, and so typing errors; the types do not.
    const all = await Promise.all(Object.values(folders).map((build) => build()));
    const objects = all.flat();
    const slip = JSON.parse(JSON.stringify(objects.find(({ kind }) => kind === "Deployment")));
    slip.spec.template.spec.containers[0].livenesProbe = {};
    const [fault, ...others] = await typeFaults([...objects, slip]);
    assert.match(String(fault), /livenesProbe.* does not exist/, "a slip that was made is seen");
    assert.deepEqual(others, []);
  });
});

/** Compares objects with their published types, which name every field that exists, by the compiler. */
async function typeFaults(objects: readonly KubernetesObject[]): Promise<string[]> {
  // Inside of the repository, so that the packages are found; with a name that no check reads.
  const folder = await mkdtempDisposable(join(import.meta.dirname, ".types-"));
  const source = objects.map((object, index) =>
    `import type { I${object.kind} as K${index} } from "${moduleOf(object)}";\n` +
    `export const o${index}: K${index} = ${JSON.stringify(object)};\n`
  ).join("");
  try {
    await writeFile(join(folder.path, "objects.ts"), source);
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig"];
    const modules = ["--module", "nodenext", "--target", "esnext", "--types", "node"];
    await run("tsc", [...flags, ...modules, join(folder.path, "objects.ts")]);
    return [];
  } catch (error) {
    const { stdout = "" } = error as { stdout?: string };
    if (stdout === "") throw error;
    return stdout.trim().split("\n");
  } finally {
    await rm(folder.path, { recursive: true, force: true });
  }
}
