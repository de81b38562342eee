import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintOf, leaksLogin, type SmtpIntegration } from "./smtp_integration.ts";

const integration: SmtpIntegration = {
  key: "1",
  host: "mail.example.com",
  port: 587,
  tls: "none",
  auth: { user: "ann", password: "secret" },
};

test("leaksLogin() is true for a login in the clear to another machine", () => {
  for (
    const host of ["mail.example.com", "10.0.0.1", "128.0.0.1", "2001:db8::1", "127.0.0.1.nip.io"]
  ) {
    assert.equal(leaksLogin({ ...integration, host }), true, host);
  }
});

test("leaksLogin() is false on this machine, with encryption and without a login", () => {
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1"]) {
    assert.equal(leaksLogin({ ...integration, host }), false, host);
  }
  assert.equal(leaksLogin({ ...integration, tls: "starttls" }), false);
  assert.equal(leaksLogin({ ...integration, tls: "implicit" }), false);
  assert.equal(leaksLogin({ ...integration, auth: null }), false);
});

test("fingerprintOf() is the same for equal settings and another for each change", () => {
  for (const same of [{}, { maxConnections: 9 }]) {
    assert.equal(fingerprintOf({ ...integration, ...same }), fingerprintOf(integration));
  }
  const changes: Partial<SmtpIntegration>[] = [
    { key: "2" },
    { host: "other.example.com" },
    { port: 25 },
    { tls: "starttls" },
    { auth: { user: "ann", password: "other" } },
    { auth: null },
    { allowInvalidCertificate: true },
    { ca: "x" },
  ];
  const all = changes.map((change) => fingerprintOf({ ...integration, ...change }));
  assert.equal(new Set([...all, fingerprintOf(integration)]).size, changes.length + 1);
});
