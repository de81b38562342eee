import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@posthaste/runtime";
import { CONFIG } from "./config.ts";

const REQUIRED = {
  MONGODB_URL: "mongodb://127.0.0.1/posthaste",
  NATS_URL: "nats://127.0.0.1",
  MASTER_KEY: `test:${Buffer.alloc(32).toString("base64")}`,
};

test("the settings let anybody enter an account only where nobody else can reach the dashboard", () => {
  const read = (HOST: string, PUBLIC_URL: string) =>
    readConfig(CONFIG, { ...REQUIRED, DEMO_ACCOUNT: "Demonstration", HOST, PUBLIC_URL });
  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    assert.equal(read(host, "http://localhost:8081").DEMO_ACCOUNT, "Demonstration");
  }
  assert.equal(read("127.0.0.1", "http://[::1]:8081").HOST, "127.0.0.1");
  for (
    const [host, url, fault] of [
      ["0.0.0.0", "http://localhost:8081", /HOST must be of this machine/],
      ["::", "http://localhost:8081", /HOST must be of this machine/],
      ["127.0.0.1", "https://posthaste.example", /PUBLIC_URL must be of this machine/],
      ["127.0.0.1", "http://localhost.evil.example", /PUBLIC_URL must be of this machine/],
    ] as const
  ) assert.throws(() => read(host, url), fault, `${host} ${url}`);
  assert.throws(() => readConfig(CONFIG, { ...REQUIRED, DEMO_ACCOUNT: "Demonstration" }), /HOST/);
  assert.equal(readConfig(CONFIG, REQUIRED).DEMO_ACCOUNT, undefined);
});
