import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@posthaste/runtime";
import { CONFIG } from "./config.ts";

const REQUIRED = {
  MONGODB_URL: "mongodb://localhost/posthaste",
  NATS_URL: "nats://localhost",
  MASTER_KEY: "x",
};

test("CONFIG allows four ports at public addresses and no network inside by itself", () => {
  const { SMTP_PORTS, EGRESS_ALLOW } = readConfig(CONFIG, { ...REQUIRED, EGRESS_ALLOW: "" });
  assert.deepEqual(SMTP_PORTS, ["25", "465", "587", "2525"]);
  assert.equal(EGRESS_ALLOW, undefined);
});

test("CONFIG accepts networks and ports, and refuses invalid ones", () => {
  const config = readConfig(CONFIG, { ...REQUIRED, EGRESS_ALLOW: "10.1.0.0/16, ::1" });
  assert.deepEqual(config.EGRESS_ALLOW, ["10.1.0.0/16", "::1"]);
  for (const EGRESS_ALLOW of ["10.1", "10.0.0.0/40", "localhost", "10.1.0.0/16;::1"]) {
    assert.throws(() => readConfig(CONFIG, { ...REQUIRED, EGRESS_ALLOW }), /EGRESS_ALLOW is/);
  }
  for (const SMTP_PORTS of ["0", "smtp", "25,70000", "25 587"]) {
    assert.throws(() => readConfig(CONFIG, { ...REQUIRED, SMTP_PORTS }), /SMTP_PORTS is/);
  }
});
