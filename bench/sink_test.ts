import { equal, ok } from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { openSink } from "./sink_process.ts";

const MAIL =
  "MAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nDATA\r\nSubject: x\r\n\r\n.dot\r\n.";

test("openSink() counts mails whose final dot is cut at any byte", async () => {
  await using sink = await openSink();
  const socket = connect({ port: sink.port, host: "127.0.0.1", noDelay: true });
  await once(socket, "data");
  const wire = `EHLO me\r\n${MAIL}\r\n${MAIL}\r\n`;
  for (const byte of wire) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { firstAt, lastAt } = await sink.waitFor(2, 5000);
  ok(lastAt >= firstAt);
  socket.write(`${MAIL}\r\n${MAIL}\r\n`);
  await sink.waitFor(4, 5000);
  await sink.reset();
  equal(await sink.count(), 0);
  socket.destroy();
});

test("openSink() reports how many mails are missing", async () => {
  await using sink = await openSink();
  const missing = await sink.waitFor(1, 50).catch((error: Error) => error.message);
  equal(missing, "Cannot measure: 0 of 1 mails arrived within 50 ms");
});
