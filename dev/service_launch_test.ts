import assert from "node:assert/strict";
import { test } from "node:test";
import { fileVariableOf, permissionsFor, PERMITTED_SERVICES } from "@posthaste/runtime";
import type { Addresses } from "./server_addresses.ts";
import { serviceLaunch } from "./service_launch.ts";

const key = `dev:${Buffer.alloc(32).toString("base64")}`;

type Env = Parameters<typeof serviceLaunch>[0]["env"];

const USUAL = { api: "http://127.0.0.1:8080/v1", dashboard: "http://localhost:8081" };

function launch({ env = {}, at = USUAL }: { env?: Env; at?: typeof USUAL } = {}) {
  const server = { MONGODB_URL: "mongodb://db", NATS_URL: "nats://broker" };
  const addresses = {
    operator: { mongodbUrl: "mongodb://db", natsUrl: "nats://broker" },
    services: Object.fromEntries(PERMITTED_SERVICES.map((name) => [name, server])),
  } as unknown as Addresses;
  return serviceLaunch({ env, dataDir: "/nowhere", runtime: "node" }, {
    ...{ root: "/nowhere", addresses, apiUrl: at.api, dashboardUrl: at.dashboard },
    keys: { masterKeyFile: "", masterKey: key, webhookKey: key, secondFactorKey: "" },
    built: Promise.resolve(),
  });
}

test("serviceLaunch() gives services the ports of their addresses, also the usual one of HTTP", async () => {
  const { envOf } = launch();
  assert.deepEqual([(await envOf("api"))["PORT"], (await envOf("dashboard"))["PORT"]], [
    ...["8080", "8081"],
  ]);
  const usual = launch({ at: { api: "http://127.0.0.1:80/v1", dashboard: "http://localhost:80" } });
  assert.equal((await usual.envOf("api"))["PORT"], "80");
  assert.equal((await usual.envOf("dashboard"))["PORT"], "80");
});

test("serviceLaunch() gives no service a secret of others, whatever the environment has", async () => {
  const secrets = new Set(PERMITTED_SERVICES.flatMap((name) => permissionsFor(name).secrets ?? []));
  const env = Object.fromEntries(
    [...secrets].flatMap((name) => [[name, key], [fileVariableOf(name), "/nowhere/key"]]),
  );
  const { envOf } = launch({ env });
  for (const name of PERMITTED_SERVICES) {
    const has = Object.entries(await envOf(name)).flatMap(([variable, value]) =>
      value === undefined ? [] : [variable]
    );
    const own = permissionsFor(name).secrets ?? [];
    const foreign = [...secrets].filter((secret) => !own.includes(secret))
      .flatMap((secret) => [secret, fileVariableOf(secret)]);
    assert.deepEqual(has.filter((variable) => foreign.includes(variable)), [], name);
  }
});
