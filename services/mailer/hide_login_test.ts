import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { type FaultStage, openFaultySmtp, testCertificate } from "@posthaste/kit";
import { openTestResolver } from "./_test_resolver.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { openTransportPool } from "./transport_pool.ts";

const auth = { user: "shop", password: "Canary 5.7.8+pass" };
const encoded = (text: string) => Buffer.from(text).toString("base64");

const REPEATING = [["auth", 535], ["auth", 454], ["mail", 550], ["dot", 550], [
  "dot",
  250,
]] as const satisfies [
  FaultStage,
  number,
][];

for (const [stage, code] of REPEATING) {
  test(`openTransportPool() repeats no password that a server repeats with ${code} at ${stage}`, async () => {
    const reply = `${code} 5.7.8 you said ${auth.password} or ${
      encoded(`\0shop\0${auth.password}`)
    }`;
    await using faulty = await openFaultySmtp({
      tls: "starttls",
      users: { shop: auth.password },
      plan: (moment) => moment.stage === stage ? { do: "reply", reply } : undefined,
    });
    await using pool = openTransportPool({
      ehloName: "test",
      resolveHost: openTestResolver(),
    });
    const outcome = await pool.send({
      integration: {
        ...{ key: "1", host: "localhost", port: faulty.port, tls: "starttls", auth },
        ca: testCertificate.cert,
      },
      envelope: { from: "a@example.com", to: "b@example.net" },
      raw: Buffer.from("Subject: x\r\n\r\nbody\r\n"),
    }).catch((error: unknown) => error);
    if (outcome instanceof Error) assert.ok(outcome instanceof SmtpFailure, outcome.message);
    const shown = inspect(outcome, { depth: 9 });
    assert.match(shown, /\[password\]/);
    assert.doesNotMatch(shown, /Canary|Q2FuYXJ5/);
  });
}
