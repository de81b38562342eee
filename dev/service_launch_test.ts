import assert from "node:assert/strict";
import { test } from "node:test";
import type { Addresses } from "./server_addresses.ts";
import { serviceLaunch } from "./service_launch.ts";

const key = `dev:${Buffer.alloc(32).toString("base64")}`;

test("serviceLaunch() gives services the ports of their addresses, also the usual one of HTTP", async () => {
  const server = { MONGODB_URL: "mongodb://db", NATS_URL: "nats://broker" };
  const addresses = {
    operator: { mongodbUrl: "mongodb://db", natsUrl: "nats://broker" },
    services: { api: server, dashboard: server },
  } as unknown as Addresses;
  const launchAt = (apiUrl: string, dashboardUrl: string) =>
    serviceLaunch({ env: {}, dataDir: "/nowhere", runtime: "node" }, {
      ...{ root: "/nowhere", addresses, apiUrl, dashboardUrl, built: Promise.resolve() },
      keys: { masterKeyFile: "", masterKey: key, webhookKey: key, secondFactorKey: "" },
    });
  const { envOf } = launchAt("http://127.0.0.1:8080/v1", "http://localhost:8081");
  assert.deepEqual([(await envOf("api"))["PORT"], (await envOf("dashboard"))["PORT"]], [
    ...["8080", "8081"],
  ]);
  const usual = launchAt("http://127.0.0.1:80/v1", "http://localhost:80");
  assert.equal((await usual.envOf("api"))["PORT"], "80");
  assert.equal((await usual.envOf("dashboard"))["PORT"], "80");
});
