import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@posthaste/runtime";
import { CONFIG, oidcOf } from "./config.ts";

const REQUIRED = {
  MONGODB_URL: "mongodb://127.0.0.1/posthaste",
  NATS_URL: "nats://127.0.0.1",
  SEALING_KEY: `test:${Buffer.alloc(32, 9).toString("base64")}`,
};

test("CONFIG allows an account without sign-in only if the dashboard is not reachable from outside", () => {
  const read = (HOST: string, PUBLIC_URL: string) =>
    readConfig(CONFIG, { ...REQUIRED, DEMO_ACCOUNT: "Demonstration", HOST, PUBLIC_URL });
  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    assert.equal(read(host, "http://localhost:8081").DEMO_ACCOUNT, "Demonstration");
  }
  assert.equal(read("127.0.0.1", "http://[::1]:8081").HOST, "127.0.0.1");
  for (
    const [host, url, fault] of [
      ["0.0.0.0", "http://localhost:8081", /HOST must be local to this machine/],
      ["::", "http://localhost:8081", /HOST must be local to this machine/],
      ["127.0.0.1", "https://posthaste.example", /PUBLIC_URL must be local to this machine/],
      ["127.0.0.1", "http://localhost.evil.example", /PUBLIC_URL must be local to this machine/],
    ] as const
  ) assert.throws(() => read(host, url), fault, `${host} ${url}`);
  assert.throws(() => readConfig(CONFIG, { ...REQUIRED, DEMO_ACCOUNT: "Demonstration" }), /HOST/);
  assert.equal(readConfig(CONFIG, REQUIRED).DEMO_ACCOUNT, undefined);
});

const OIDC = {
  ...{ OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "posthaste" },
  OIDC_CLIENT_SECRET: "secret",
};

test("oidcOf() returns a provider if all settings are set, none if none is, and refuses a part", () => {
  const read = (env: Record<string, string>) => oidcOf(readConfig(CONFIG, { ...REQUIRED, ...env }));
  assert.equal(read({}), undefined);
  assert.equal(read({ OIDC_NAME: "Example" }), undefined);
  assert.deepEqual(read({ ...OIDC, OIDC_NAME: "Example" }), {
    ...{ issuer: "https://id.example", clientId: "posthaste", clientSecret: "secret" },
    name: "Example",
  });
  for (const name of Object.keys(OIDC)) {
    assert.throws(() => read({ ...OIDC, [name]: "" }), /set all of OIDC_ISSUER/, name);
  }
});

test("TRUSTED_PROXIES is a list, and no proxy is trusted if it is not set", () => {
  assert.deepEqual(readConfig(CONFIG, REQUIRED).TRUSTED_PROXIES, []);
  const env = { ...REQUIRED, TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1" };
  assert.deepEqual(readConfig(CONFIG, env).TRUSTED_PROXIES, ["10.0.0.0/8", "127.0.0.1"]);
});
