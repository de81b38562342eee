import assert from "node:assert/strict";
import { test } from "node:test";
import { fastify } from "fastify";
import { readConfig } from "@posthaste/runtime";
import { CONFIG } from "./config.ts";
import { serveSecurityContact } from "./security_contact.ts";

test("serveSecurityContact() shows strangers where to write, until when, and its own address", async () => {
  await using app = fastify();
  serveSecurityContact(app, {
    contact: "mailto:security@example.com",
    publicUrl: "https://mail.example.com/",
    now: () => new Date("2031-01-01T00:00:00Z"),
  });
  const { headers, body } = await app.inject("/.well-known/security.txt");
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.deepEqual(body.split("\n"), [
    "Contact: mailto:security@example.com",
    "Expires: 2031-06-30T00:00:00.000Z",
    "Canonical: https://mail.example.com/.well-known/security.txt",
    "",
  ]);
});

test("SECURITY_CONTACT is an address that a program can open, on one line", () => {
  const settings = {
    ...{ MONGODB_URL: "mongodb://h/db", NATS_URL: "nats://h" },
    SEALING_KEY: `k:${Buffer.alloc(32, 9).toString("base64")}`,
  };
  for (const contact of ["https://example.com/security", "mailto:a@example.com"]) {
    assert.equal(
      readConfig(CONFIG, { ...settings, SECURITY_CONTACT: contact }).SECURITY_CONTACT,
      contact,
    );
  }
  for (const contact of ["a@example.com", "javascript:alert(1)", "mailto:a@b\nPolicy: x"]) {
    assert.throws(() => readConfig(CONFIG, { ...settings, SECURITY_CONTACT: contact }));
  }
});
