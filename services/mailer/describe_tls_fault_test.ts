import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { testCertificate } from "@posthaste/kit";
import { describeTlsFault } from "./describe_tls_fault.ts";

const own = new X509Certificate(testCertificate.cert);
const signed = Object.assign(Object.create(own), {}) as X509Certificate;
Object.defineProperty(signed, "issuer", { value: "C=DE\nO=Acme Mail CA\nCN=Acme Root 1" });

test("describeTlsFault() names the untrusted issuer, and what to configure", () => {
  assert.equal(
    describeTlsFault({ kind: "authority", certificate: signed }, "a.example"),
    "The certificate of the SMTP server is signed by Acme Mail CA, which is not trusted: " +
      "add the certificate of that authority (PEM) to the integration",
  );
  assert.equal(
    describeTlsFault({ kind: "authority", certificate: own }, "a.example"),
    "The certificate of the SMTP server is signed by itself: add it (PEM) to the integration to trust it",
  );
});

test("describeTlsFault() contains the names of a certificate, and the name that it should have", () => {
  assert.equal(
    describeTlsFault({ kind: "name", certificate: own }, "mail.example.com"),
    "The certificate of the SMTP server is for localhost, 127.0.0.1, 0:0:0:0:0:0:0:1, and not for mail.example.com",
  );
});

test("describeTlsFault() contains when a certificate expired, or becomes valid", () => {
  assert.equal(
    describeTlsFault({ kind: "expired", certificate: own }, "a.example"),
    "The certificate of the SMTP server expired on 2126-01-01. The operator of the server must renew it",
  );
  assert.match(
    describeTlsFault({ kind: "not_yet_valid", certificate: own }, "a.example"),
    /is not valid yet, but from 2025-\d\d-\d\d on$/,
  );
});

test("describeTlsFault() contains the alert with which a server refused", () => {
  assert.equal(
    describeTlsFault({ kind: "protocol", alert: "protocol version" }, "a.example"),
    'The SMTP server refused TLS 1.2 and 1.3 with the alert "protocol version"',
  );
});

test("describeTlsFault() returns a sentence without a certificate, too", () => {
  const kinds = ["authority", "expired", "not_yet_valid", "name", "protocol", "not_tls"] as const;
  const sentences = kinds.map((kind) => describeTlsFault({ kind }, "a.example"));
  assert.equal(new Set(sentences).size, kinds.length);
});
