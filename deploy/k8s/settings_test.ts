import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { suite, test } from "node:test";
import type { IConfigMap } from "kubernetes-models/v1";
import { describeConfig } from "@posthaste/runtime";
import {
  buildOverlay,
  type KubernetesObject,
  NO_KUSTOMIZE,
  OVERLAYS,
  testedOverlay,
} from "./build_overlay.ts";
import { configOf, schemaOf } from "./config_of.ts";
import { makeCertificates } from "./make_certificates.ts";
import { makeSecrets } from "./make_secrets.ts";
import { settingsOf } from "./settings_of.ts";
import { workloadsOf } from "./workloads.ts";

const SERVICES = await readdir(new URL("../../services", import.meta.url));
/** Variables that third-party code reads from the environment. */
const OTHERS = /^(OTEL_|NODE_)/;

for (const overlay of OVERLAYS) {
  const objects = await testedOverlay(overlay);
  suite(`settings and secrets of ${overlay}`, { skip: NO_KUSTOMIZE }, () => {
    for (const service of SERVICES) {
      test(`every setting of ${service} is in its schema, and the service would accept them`, async () => {
        const known = new Set(
          describeConfig(await schemaOf(service)).flatMap(({ name, secret }) =>
            secret ? [name, `${name}_FILE`] : [name]
          ),
        );
        const unknown = Object.keys(settingsOf(objects, service))
          .filter((name) => !known.has(name) && !OTHERS.test(name));
        assert.deepEqual(unknown, []);
        await configOf(objects, service);
      });
    }

    test("no ConfigMap has a setting that is a secret, and there is no Secret in the overlay", async () => {
      assert.deepEqual(objects.filter(({ kind }) => kind === "Secret"), []);
      const secret = new Set<string>();
      for (const service of SERVICES) {
        for (const each of describeConfig(await schemaOf(service))) {
          if (each.secret) secret.add(each.name);
        }
      }
      for (const { kind, metadata, data = {} } of objects) {
        if (kind !== "ConfigMap") continue;
        assert.deepEqual(Object.keys(data).filter((name) => secret.has(name)), [], metadata.name);
      }
      for (const { name } of workloadsOf(objects)) {
        const named = Object.keys(settingsOf(objects, name)).filter((each) => secret.has(each));
        assert.deepEqual(named, [], name);
      }
    });

    test("every file that a setting names is mounted, from a Secret that make_secrets.ts makes", async () => {
      const secrets = { ...makeSecrets(), ...await makeCertificates() };
      for (const workload of workloadsOf(objects)) {
        const files = filesOf(workload.pod.volumes ?? [], objects, secrets);
        const [main] = workload.pod.containers;
        const mounted = new Set(
          (main?.volumeMounts ?? []).flatMap(({ name, mountPath }) =>
            (files[name] ?? []).map((file) => `${mountPath}/${file}`)
          ),
        );
        for (const [name, value] of Object.entries(settingsOf(objects, workload.name))) {
          if (!/_FILE$/.test(name)) continue;
          assert.ok(mounted.has(value), `${workload.id}: ${name}=${value} of ${[...mounted]}`);
        }
      }
    });

    test("no service has the secrets of another", () => {
      const shared = new Set(["nats-tls", "mongodb-tls", "mongodb-keyfile"]);
      const users = new Map<string, string[]>();
      for (const { name, pod } of workloadsOf(objects)) {
        for (const secret of secretsOf(pod.volumes ?? [])) {
          users.set(secret, [...users.get(secret) ?? [], name]);
        }
      }
      for (const [secret, names] of users) {
        if (!shared.has(secret)) assert.equal(names.length, 1, `${secret}: ${names}`);
      }
      assert.deepEqual(users.get("master-key")?.sort(), ["mailer"]);
      assert.deepEqual(users.get("webhook-key")?.sort(), ["webhooks"]);
      assert.deepEqual(users.get("mongodb-keyfile")?.sort(), ["mongodb", "mongodb-users"]);
    });
  });
}

suite("names of prod", { skip: NO_KUSTOMIZE }, () => {
  test("the links for people and programs have the gateway's names", async () => {
    const objects = await buildOverlay("prod");
    const { API_URL, PUBLIC_URL } = await configOf(objects, "dashboard");
    const hosts = (kind: string) =>
      objects.filter((object) => object.kind === kind).flatMap(({ spec }) => {
        const { hostnames = [], listeners = [] } = spec as {
          hostnames?: string[];
          listeners?: { hostname?: string }[];
        };
        return [...hostnames, ...listeners.flatMap(({ hostname }) => hostname ?? [])];
      }).sort();
    const reported = [API_URL, PUBLIC_URL].map((url) => new URL(String(url)).hostname).sort();
    assert.deepEqual(hosts("HTTPRoute"), reported);
    assert.deepEqual(hosts("Gateway"), reported);
  });
});

type Volumes = NonNullable<ReturnType<typeof workloadsOf>[number]["pod"]["volumes"]>;

/** Returns the files of each volume. A Secret or key that is not created is a fault. */
function filesOf(
  volumes: Volumes,
  objects: readonly KubernetesObject[],
  secrets: Record<string, Record<string, string>>,
): Record<string, string[]> {
  const files: Record<string, string[]> = {};
  for (const { name, projected } of volumes) {
    files[name] = (projected?.sources ?? []).flatMap(({ secret, configMap }) => {
      const source = secret ?? configMap;
      const map = objects.find(({ kind, metadata }) =>
        kind === "ConfigMap" && metadata.name === configMap?.name
      ) as unknown as IConfigMap | undefined;
      const data = secret ? secrets[String(secret.name)] : map?.data;
      assert.ok(data, `there is ${source?.name}`);
      if (source?.items === undefined) return Object.keys(data);
      return source.items.map(({ key, path }) => {
        assert.ok(key in data, `${source.name} has ${key}`);
        return path;
      });
    });
  }
  return files;
}

function secretsOf(volumes: Volumes): string[] {
  return volumes.flatMap(({ secret, projected }) => [
    ...(secret?.secretName === undefined ? [] : [secret.secretName]),
    ...(projected?.sources ?? []).flatMap((source) => source.secret?.name ?? []),
  ]);
}
