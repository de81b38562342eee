import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { suite, test } from "node:test";
import type { IContainer } from "kubernetes-models/v1";
import { parse } from "yaml";
import { NO_KUSTOMIZE, OVERLAYS, testedOverlay } from "./build_overlay.ts";
import { configOf } from "./config_of.ts";
import { containersOf, isSelected, type Selector, workloadsOf } from "./workloads.ts";

const SERVICES = await readdir(new URL("../../services", import.meta.url));
/** Time for Node to end after its last work, with a margin. */
const END_MS = 3000;

for (const overlay of OVERLAYS) {
  const objects = await testedOverlay(overlay);
  suite(`pods of ${overlay}`, { skip: NO_KUSTOMIZE }, () => {
    const workloads = workloadsOf(objects);
    const services = workloads.filter(({ name }) => SERVICES.includes(name));

    test("every service of the house is deployed, from a file of its own", async () => {
      assert.deepEqual(
        services.map(({ id }) => id).sort(),
        SERVICES.map((n) => `Deployment/${n}`).sort(),
      );
      const files = await readdir(new URL("base", import.meta.url));
      for (const name of SERVICES) assert.ok(files.includes(`${name}.yaml`), `${name}.yaml`);
    });

    test("no container is root, may become it, or keeps a capability", () => {
      for (const workload of workloads) {
        const { securityContext: pod = {} } = workload.pod;
        assert.equal(pod.runAsNonRoot, true, workload.id);
        assert.ok(Number(pod.runAsUser) > 0, workload.id);
        assert.match(String(pod.seccompProfile?.type), /^(RuntimeDefault|Localhost)$/, workload.id);
        for (const { name, securityContext = {} } of containersOf(workload)) {
          const of = `${workload.id} ${name}`;
          assert.equal(securityContext.allowPrivilegeEscalation, false, of);
          assert.equal(securityContext.privileged ?? false, false, of);
          assert.equal(securityContext.readOnlyRootFilesystem, true, of);
          assert.deepEqual(securityContext.capabilities, { drop: ["ALL"] }, of);
          assert.equal(securityContext.runAsUser ?? pod.runAsUser, pod.runAsUser, of);
          assert.equal(securityContext.runAsNonRoot ?? true, true, of);
          assert.equal(securityContext.seccompProfile, undefined, of);
        }
        const { hostNetwork, hostPID, hostIPC, volumes = [] } = workload.pod;
        assert.deepEqual([hostNetwork, hostPID, hostIPC], [undefined, undefined, undefined]);
        for (const volume of volumes) assert.equal(volume.hostPath, undefined, workload.id);
      }
    });

    test("no pod has a token for the API server, or other services in its environment", () => {
      for (const { id, pod, name } of workloads) {
        assert.equal(pod.automountServiceAccountToken, false, id);
        assert.equal(pod.enableServiceLinks, false, id);
        assert.equal(pod.serviceAccountName, name, id);
        const account = objects.find(({ kind, metadata }) =>
          kind === "ServiceAccount" && metadata.name === name
        ) as unknown as { automountServiceAccountToken?: boolean };
        assert.equal(account.automountServiceAccountToken, false, id);
      }
    });

    test("every container has requests and limits of processor, memory and disk", () => {
      for (const workload of workloads) {
        for (const { name, resources = {} } of containersOf(workload)) {
          for (const what of ["cpu", "memory", "ephemeral-storage"]) {
            assert.ok(resources.requests?.[what], `${workload.id} ${name} requests ${what}`);
            assert.ok(resources.limits?.[what], `${workload.id} ${name} limits ${what}`);
          }
        }
        for (const { name, emptyDir } of workload.pod.volumes ?? []) {
          if (emptyDir) assert.ok(emptyDir.sizeLimit, `${workload.id} limits ${name}`);
        }
      }
    });

    test("every long-running container has all three probes, and services use /livez and /readyz", async () => {
      for (const { id, kind, pod, name } of workloads.filter(({ kind }) => kind !== "Job")) {
        const [main] = pod.containers as [IContainer];
        for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"] as const) {
          assert.ok(main[probe], `${id} has a ${probe}`);
        }
        if (kind !== "Deployment") continue;
        const paths = [main.startupProbe, main.livenessProbe, main.readinessProbe]
          .map((probe) => probe?.httpGet?.path);
        assert.deepEqual(paths, ["/livez", "/livez", "/readyz"], id);
        const health = main.ports?.find((port) => port.name === "health");
        assert.equal(health?.containerPort, (await configOf(objects, name))["HEALTH_PORT"], id);
      }
    });

    test("a service is killed only after its own deadline", async () => {
      for (const { id, name, pod } of services) {
        const [main] = pod.containers as [IContainer];
        const pauseMs = 1000 * Number(main.lifecycle?.preStop?.sleep?.seconds ?? 0);
        const drainMs = Number((await configOf(objects, name))["SHUTDOWN_DEADLINE"]);
        const graceMs = 1000 * Number(pod.terminationGracePeriodSeconds);
        assert.ok(graceMs >= pauseMs + drainMs + END_MS, `${id}: ${graceMs} ms`);
        // Callers must have removed a service before it ends.
        assert.equal(pauseMs > 0, main.ports?.some((port) => port.name === "http"), id);
      }
    });

    test("a mailer may wait for every reply within its timeout", async () => {
      const { TRANSFER_TIMEOUT, REPLY_TIMEOUT, SHUTDOWN_DEADLINE } = await configOf(
        objects,
        "mailer",
      );
      assert.ok(Number(SHUTDOWN_DEADLINE) > Number(TRANSFER_TIMEOUT) + Number(REPLY_TIMEOUT));
    });

    test("a new version takes over before the old one goes, and drains leave all but one", () => {
      for (const { id, spec, labels, kind } of workloads.filter(({ kind }) => kind !== "Job")) {
        if (kind === "Deployment") {
          assert.deepEqual(spec.strategy, {
            type: "RollingUpdate",
            rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
          }, id);
        }
        const budgets = objects.filter(({ kind, spec }) =>
          kind === "PodDisruptionBudget" &&
          isSelected((spec as { selector: Selector }).selector, labels)
        );
        assert.deepEqual(
          budgets.map(({ spec }) => (spec as { maxUnavailable: unknown }).maxUnavailable),
          [1],
          id,
        );
      }
    });

    test("pods of one kind are spread over machines and zones", () => {
      for (const { id, kind, labels, pod } of workloads.filter(({ kind }) => kind !== "Job")) {
        const spread = pod.topologySpreadConstraints ?? [];
        const keys = spread.map(({ topologyKey }) => topologyKey).sort();
        assert.deepEqual(keys, ["kubernetes.io/hostname", "topology.kubernetes.io/zone"], id);
        for (const { labelSelector } of spread) {
          assert.ok(isSelected(labelSelector as Selector, labels), id);
        }
        if (overlay !== "prod" || kind !== "StatefulSet") continue;
        assert.equal(
          spread[0]?.whenUnsatisfiable,
          "DoNotSchedule",
          `${id}: no two members on one machine`,
        );
      }
    });

    test("every image is named in the overlay with a version, and none is the latest", async () => {
      const text = await readFile(
        new URL(`overlays/${overlay}/kustomization.yaml`, import.meta.url),
        "utf8",
      );
      const { images } = parse(text) as {
        images: { name: string; newName?: string; newTag: string }[];
      };
      const named = new Set(
        images.map(({ name, newName = name, newTag }) => `${newName}:${newTag}`),
      );
      for (const workload of workloads) {
        for (const { image } of containersOf(workload)) {
          assert.ok(named.has(String(image)), `${workload.id}: ${image}`);
          assert.doesNotMatch(String(image), /:latest$/);
        }
      }
      const used = new Set(workloads.flatMap(containersOf).map(({ image }) => image));
      assert.deepEqual([...named].filter((image) => !used.has(image)), []);
    });

    test("streams, indexes and users are made by jobs, never by a service", async () => {
      const jobs = workloads.filter(({ kind }) => kind === "Job").map(({ name }) => name).sort();
      assert.deepEqual(jobs, ["migrate", "mongodb-users"]);
      const migrate = workloads.find(({ name }) => name === "migrate");
      assert.deepEqual(migrate?.pod.containers[0]?.args, ["migrate", "--replicas", "3"]);
      assert.equal((await configOf(objects, "tracker"))["APPLY_TOPOLOGY"], false);
    });

    test("whatever is deployed belongs to a step of the deployment", () => {
      for (const { kind, metadata } of objects) {
        const step = metadata.labels?.["posthaste/step"];
        assert.match(String(step), /^(parts|migration|services)$/, `${kind}/${metadata.name}`);
      }
    });
  });
}
