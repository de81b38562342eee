import assert from "node:assert/strict";
import { test } from "node:test";
import { integrationSchema } from "./documents.ts";

const INTEGRATION = {
  _id: "acc_1/1",
  accountId: "acc_1",
  id: 1,
  name: "Shop",
  revision: 1,
  host: "smtp.example.com",
  port: 587,
  tls: "starttls",
  auth: null,
  senders: ["shop@example.com"],
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

test("integrationSchema retries for 48 hours over 5 connections by default", () => {
  const { maxConnections, retryForMs, whenUnknown } = integrationSchema.parse(INTEGRATION);
  assert.deepEqual([maxConnections, retryForMs, whenUnknown], [5, 48 * 3_600_000, "retry"]);
});

test("integrationSchema refuses retries beyond 5 days, an empty list of senders and an invalid port", () => {
  const broken = { ...INTEGRATION, retryForMs: 5 * 86_400_000 + 1, senders: [], port: 65536 };
  const issues = integrationSchema.safeParse(broken).error?.issues ?? [];
  assert.deepEqual(issues.map(({ path }) => path.join(".")), ["port", "senders", "retryForMs"]);
});

test("integrationSchema checks certificates and trusts only public authorities by default", () => {
  const { ca, allowInvalidCertificate } = integrationSchema.parse(INTEGRATION);
  assert.deepEqual([ca, allowInvalidCertificate], [null, false]);
  const pem = (what: string) => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`;
  const accepts = (changes: object) => integrationSchema.safeParse({ ...INTEGRATION, ...changes });
  assert.ok(accepts({ ca: pem("CERTIFICATE") + pem("CERTIFICATE") }).success);
  for (const ca of ["", "x", pem("PRIVATE KEY"), pem("CERTIFICATE") + pem("PRIVATE KEY")]) {
    assert.ok(!accepts({ ca }).success, ca);
  }
});

test("integrationSchema accepts names and addresses as host, and nothing else", () => {
  const accepts = (host: string) => integrationSchema.safeParse({ ...INTEGRATION, host }).success;
  for (const host of ["localhost", "mail.bücher.example", "192.0.2.1", "2001:db8::1", "[::1]"]) {
    assert.ok(accepts(host), host);
  }
  for (
    const host of ["", "a b", "a\r\nb", "a\0", "smtp://a", "a/b", "u@a", "fe80::1%eth0", "a\u202eb"]
  ) {
    assert.ok(!accepts(host), JSON.stringify(host));
  }
});
