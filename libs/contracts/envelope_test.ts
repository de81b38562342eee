import assert from "node:assert/strict";
import { test } from "node:test";
import { dropNulls } from "./drop_nulls.ts";
import { envelopeOf, type GivenEnvelope } from "./envelope.ts";
import { sendBodySchema } from "./send_request.ts";

const BASE = { from: { email: "shop@example.com" }, to: [{ email: "ann@example.com" }] };

/** Returns every fault of a send with these fields, as `path: message`. */
function faultsOf(fields: object): string[] {
  const body = structuredClone({ ...BASE, ...fields });
  dropNulls(sendBodySchema(), body);
  const issues = sendBodySchema().safeParse(body).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test("sendBodySchema() accepts an envelope for the send and for a recipient", () => {
  const envelope = {
    replyTo: [{ email: "help@example.com", name: "Help" }],
    headers: { "X-Order": "42", "In-Reply-To": "<a@example.com>", "feedback-id": "a:b" },
    listUnsubscribe: { url: "https://example.com/u", mailto: "u@example.com?subject=stop" },
  };
  assert.deepEqual(faultsOf({ ...envelope, to: [{ email: "ann@example.com", ...envelope }] }), []);
  const removed = { replyTo: [], headers: { "X-Order": "" }, listUnsubscribe: "" };
  assert.deepEqual(faultsOf({ to: [{ email: "ann@example.com", ...removed }] }), []);
  assert.deepEqual(
    faultsOf({ replyTo: null, listUnsubscribe: { mailto: "a@b.example", url: null } }),
    [],
  );
});

test("sendBodySchema() refuses headers of senders, of recipients, and of the mail's structure", () => {
  const refused = [
    ..."From,Sender,Return-Path,Reply-To,To,Cc,Bcc,Resent-To,Resent-From,Subject,Date".split(","),
    ..."Message-ID,MIME-Version,Content-Type,DKIM-Signature,Received".split(","),
    ..."List-Unsubscribe,X-SMTPAPI,x-smtpapi,X-Posthaste-Id,X-MC-BccAddress,X-MSYS-API".split(","),
    ...["X-", "X-A:b", "X-A b", "X-Ü", "", `X-${"a".repeat(70)}`, "X-A\r\nBcc"],
  ];
  for (const name of refused) {
    assert.deepEqual(
      faultsOf({ headers: { [name]: "x" } }),
      [`headers.${name}: is not a header that may be set`],
    );
  }
});

test("sendBodySchema() refuses values of headers that are too long, duplicate, or not one line of text", () => {
  const fault = (headers: object) => faultsOf({ headers }).join();
  for (const evil of ["a\r\nBcc: b@example.com", "a\nb", "a\u2028b", "a\0b"]) {
    assert.match(fault({ "X-A": evil }), /line breaks or control characters/, JSON.stringify(evil));
  }
  assert.match(fault({ "X-A": "1", "x-a": "2" }), /^headers.x-a: is given twice$/);
  assert.match(fault({ "References": "é" }), /must be ASCII/);
  assert.equal(fault({ "X-A": "é" }), "");
  assert.match(fault({ "X-A": "a".repeat(901) }), /900 bytes without a blank/);
  assert.match(fault({ "X-A": "a b ".repeat(1100).trim() }), /4096 bytes/);
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, "a"]));
  assert.equal(fault(many(20)), "");
  assert.match(fault(many(21)), /more than 20 headers/);
});

test("sendBodySchema() accepts at most ten addresses for replies, each one plain address", () => {
  const list = (count: number) => Array.from({ length: count }, () => ({ email: "a@example.com" }));
  assert.deepEqual(faultsOf({ replyTo: list(10) }), []);
  assert.match(faultsOf({ replyTo: list(11) }).join(), /more than 10 addresses/);
  assert.match(
    faultsOf({ replyTo: [{ email: "a@example.com, b@example.com" }] }).join(),
    /replyTo.0.email/,
  );
  const name = "A\r\nBcc: b@example.com";
  assert.match(faultsOf({ replyTo: [{ email: "a@example.com", name }] }).join(), /replyTo.0.name/);
});

test("sendBodySchema() accepts one-click unsubscription only with https (RFC 8058)", () => {
  const fault = (listUnsubscribe: unknown) => faultsOf({ listUnsubscribe }).join();
  assert.equal(fault({ url: "https://example.com/u" }), "");
  assert.equal(fault({ url: "http://example.com/u", oneClick: false }), "");
  assert.match(fault({ url: "http://example.com/u" }), /https/);
  assert.match(fault({ mailto: "u@example.com", oneClick: true }), /https/);
  assert.match(fault({}), /must have a url or a mailto/);
  for (const url of ["ftp://example.com", "https://a@example.com/", "javascript:x", "/u"]) {
    assert.match(fault({ url }), /must be an http or https URL/, url);
  }
  for (
    const url of ["https://example.com/>,<mailto:x@y.example", "https://example.com/\r\nBcc:a"]
  ) {
    assert.match(fault({ url }), /must be ASCII without blanks/, url);
  }
  assert.match(fault({ mailto: "a@example.com,b@example.com" }), /listUnsubscribe.mailto/);
});

test("envelopeOf() replaces the send's values by a recipient's, headers by name in any case", () => {
  const top: GivenEnvelope = {
    replyTo: [{ email: "help@example.com" }],
    headers: { "X-A": "1", "X-B": "2", "X-C": "3" },
    listUnsubscribe: { mailto: "u@example.com" },
  };
  assert.deepEqual(envelopeOf(top, {}), top);
  assert.deepEqual(envelopeOf(top, { headers: { "x-a": "4", "X-B": "" }, listUnsubscribe: "" }), {
    replyTo: top.replyTo,
    headers: { "x-a": "4", "X-C": "3" },
  });
  assert.equal(envelopeOf({}, {}), undefined);
  assert.deepEqual(envelopeOf({ toSuppressed: true }, {}), { toSuppressed: true });
  assert.equal(envelopeOf({ toSuppressed: true }, { toSuppressed: false }), undefined);
  assert.equal(envelopeOf({ replyTo: top.replyTo }, { replyTo: [] }), undefined);
});
