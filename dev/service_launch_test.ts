import assert from "node:assert/strict";
import { test } from "node:test";
import { fileVariableOf, permissionsFor, PERMITTED_SERVICES } from "@posthaste/runtime";
import type { Addresses } from "./server_addresses.ts";
import { serviceLaunch } from "./service_launch.ts";

const key = `dev:${Buffer.alloc(32).toString("base64")}`;

const keys = { masterKeyFile: "", masterKey: key, webhookKey: key, secondFactorKey: "" };

const server = { MONGODB_URL: "mongodb://db", NATS_URL: "nats://broker" };

test("serviceLaunch() gives no service a secret of others, whatever the environment has", async () => {
  const secrets = new Set(PERMITTED_SERVICES.flatMap((name) => permissionsFor(name).secrets ?? []));
  const env = Object.fromEntries(
    [...secrets].flatMap((name) => [[name, key], [fileVariableOf(name), "/nowhere/key"]]),
  );
  const services = Object.fromEntries(PERMITTED_SERVICES.map((name) => [name, server]));
  const operator = { mongodbUrl: "mongodb://db", natsUrl: "nats://broker" };
  const { envOf } = serviceLaunch({ env, dataDir: "/nowhere", runtime: "node" }, {
    ...{ root: "/nowhere", apiUrl: "http://127.0.0.1:8080/v1", built: Promise.resolve(), keys },
    addresses: { operator, services } as unknown as Addresses,
    dashboardUrl: "http://localhost:8081",
  });
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

test("serviceLaunch() gives services the ports of their addresses, also the usual one of HTTP", async () => {
  const addresses = {
    operator: { mongodbUrl: "mongodb://db", natsUrl: "nats://broker" },
    services: { api: server, dashboard: server },
  } as unknown as Addresses;
  const launchAt = (apiUrl: string, dashboardUrl: string) =>
    serviceLaunch({ env: {}, dataDir: "/nowhere", runtime: "node" }, {
      ...{ root: "/nowhere", addresses, apiUrl, dashboardUrl, built: Promise.resolve() },
      keys,
    });
  const { envOf } = launchAt("http://127.0.0.1:8080/v1", "http://localhost:8081");
  assert.deepEqual([(await envOf("api"))["PORT"], (await envOf("dashboard"))["PORT"]], [
    ...["8080", "8081"],
  ]);
  const usual = launchAt("http://127.0.0.1:80/v1", "http://localhost:80");
  assert.equal((await usual.envOf("api"))["PORT"], "80");
  assert.equal((await usual.envOf("dashboard"))["PORT"], "80");
});
