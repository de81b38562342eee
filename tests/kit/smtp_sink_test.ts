import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { openSmtpSink, type SmtpSink, type SmtpStage } from "./smtp_sink.ts";

/** Speaks raw SMTP: writes each step when the reply before it has come, and returns all replies. */
async function talk(sink: SmtpSink, steps: readonly string[]): Promise<string> {
  const socket = connect(sink.port, sink.host).setEncoding("latin1");
  socket.on("error", () => {});
  let heard = "";
  let next = 0;
  socket.on("data", (text: string) => {
    heard += text;
    if (!/^\d{3} .*\r\n$/m.test(text)) return;
    const step = steps[next++];
    if (step === undefined) socket.end();
    else socket.write(step);
  });
  await once(socket, "close");
  return heard;
}

const mail = [
  "EHLO test\r\n",
  "MAIL FROM:<a@example.com>\r\n",
  "RCPT TO:<b@example.com>\r\n",
  "DATA\r\n",
  "Subject: hi\r\n\r\n..dot\r\n.\r\n",
];

test("openSmtpSink() keeps the envelope and the bytes of a message", async () => {
  await using sink = await openSmtpSink();
  await talk(sink, mail);
  const [message] = await sink.waitFor(1);
  assert.ok(message);
  assert.deepEqual(message.envelope, { from: "a@example.com", to: ["b@example.com"] });
  assert.equal(message.raw.toString(), "Subject: hi\r\n\r\n.dot\r\n");
  assert.equal(message.tls, false);
  assert.equal((await sink.parse(message)).subject, "hi");
  assert.equal(sink.connections, 1);
});

for (const stage of ["connect", "mail", "rcpt", "data", "dot"] as const) {
  test(`openSmtpSink() answers as its script says at ${stage}`, async () => {
    await using sink = await openSmtpSink({
      script: (moment) => moment.stage === stage ? { reply: "451 4.7.1 later" } : undefined,
    });
    assert.match(await talk(sink, mail), /^451 4\.7\.1 later\r$/m);
    assert.equal(sink.messages.length, 0);
  });
}

test("openSmtpSink() drops the connection at the stage of its script", async () => {
  for (const stage of ["connect", "data", "body", "dot"] satisfies SmtpStage[]) {
    await using sink = await openSmtpSink({
      script: (moment) => moment.stage === stage ? { drop: true } : undefined,
    });
    const heard = await talk(sink, mail);
    assert.equal(/^354/m.test(heard), stage === "body" || stage === "dot", stage);
    assert.doesNotMatch(heard, /queued/, stage);
    assert.equal(sink.messages.length, stage === "dot" ? 1 : 0, stage);
  }
});

test("waitFor() reports how many messages came", async () => {
  await using sink = await openSmtpSink();
  await assert.rejects(sink.waitFor(1, 30), {
    message: "Cannot wait for 1 messages: 0 came in 30 ms",
  });
});
