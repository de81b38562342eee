import assert from "node:assert/strict";
import { test } from "node:test";
import { type FaultRule, openFaultySmtp, planOf } from "@posthaste/kit";
import { openTestResolver } from "./_test_resolver.ts";
import { type Copied, copiesFor } from "./copies.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { openTransportPool } from "./transport_pool.ts";

const raw = Buffer.from("Message-ID: <m1@example.com>\r\nSubject: x\r\n\r\nHello\r\n");

const MESSAGE: Copied = {
  to: { email: "ann@example.net" },
  attempt: 0,
  envelope: {
    cc: [{ email: "cy@bücher.example" }, { email: "ann@EXAMPLE.net" }],
    bcc: [{ email: "di@example.net" }, { email: "di@example.net" }],
  },
};

function refuse(address: string, reply: string): FaultRule {
  return { stage: "rcpt", address, action: { do: "reply", reply } };
}

/** Sends the message, and returns its outcome and that of its copies. */
async function sent(rules: readonly FaultRule[], message: Copied = MESSAGE) {
  await using faulty = await openFaultySmtp({ plan: planOf(rules) });
  await using pool = openTransportPool({ ehloName: "x.example", resolveHost: openTestResolver() });
  const integration = {
    ...{ key: "1", host: "127.0.0.1", port: faulty.port, tls: "none" as const, auth: null },
  };
  const copies = copiesFor(message);
  const outcome = await pool.send({
    integration,
    raw,
    envelope: { from: "shop@example.com", to: message.to.email, copies: copies.addresses },
    goesWithout: copies.goesWithout,
  }).then(() => "sent", (error) => {
    assert.ok(error instanceof SmtpFailure, String(error));
    const { kind, reason } = judgeSmtpFailure(error);
    return `${kind}: ${reason}`;
  });
  // The next mail goes over the same connection.
  const plain = { from: "shop@example.com", to: "eve@example.net" };
  await pool.send({ integration, raw, envelope: plain });
  assert.equal(faulty.counts.connections, 1);
  const [to = []] = faulty.messages.filter(({ record }) => !record.to.includes(plain.to))
    .map(({ record }) => record.to);
  return { outcome, to, refused: copies.refused() };
}

test("a mail and its copies are one transaction, each address once", async () => {
  const all = ["ann@example.net", "cy@xn--bcher-kva.example", "di@example.net"];
  assert.deepEqual(await sent([]), { outcome: "sent", to: all, refused: [] });
});

test("a mail goes without a copy that is refused permanently, and reports which and why", async () => {
  const { outcome, to, refused } = await sent([refuse("di@example.net", "550 5.1.1 No such user")]);
  assert.equal(outcome, "sent");
  assert.deepEqual(to, ["ann@example.net", "cy@xn--bcher-kva.example"]);
  const reply = { code: 550, response: "550 5.1.1 No such user", enhanced: "5.1.1" };
  assert.deepEqual(refused, [{ email: "di@example.net", reply }]);
});

test("a copy that is refused temporarily delays the mail twice, and the third attempt goes without it", async () => {
  const rules = [refuse("cy@xn--bcher-kva.example", "450 4.2.1 Later")];
  const reason = "defer: The SMTP server did not accept an address in cc or bcc for now";
  for (const attempt of [0, 1]) {
    const { outcome, to } = await sent(rules, { ...MESSAGE, attempt });
    assert.deepEqual([outcome, to], [reason, []]);
  }
  const third = await sent(rules, { ...MESSAGE, attempt: 2 });
  assert.deepEqual([third.outcome, third.to], ["sent", ["ann@example.net", "di@example.net"]]);
  assert.deepEqual(third.refused.map(({ email }) => email), ["cy@bücher.example"]);
});

test("a mail whose recipient is refused goes to no copy, at any attempt", async () => {
  const rules = [
    refuse("ann@example.net", "550 5.1.1 No such user"),
    refuse("di@example.net", "450 4.2.1 Later"),
  ];
  for (const attempt of [0, 2]) {
    assert.deepEqual(await sent(rules, { ...MESSAGE, attempt }), {
      outcome: "fail: The SMTP server refused the recipient address",
      to: [],
      refused: [],
    });
  }
});
