import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { readConfig } from "@posthaste/runtime";
import { CONFIG, openResolver } from "./config.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";
import { openTestResolver } from "./_test_resolver.ts";
import { openTransportPool } from "./transport_pool.ts";

const REQUIRED = {
  MONGODB_URL: "mongodb://localhost/posthaste",
  NATS_URL: "nats://localhost",
  MASTER_KEY: "x",
};
const raw = Buffer.from("Subject: x\r\n\r\nHello\r\n");
const envelope = { from: "billing@example.com", to: "ann@example.net" };

/** Opens a listener on every address of this machine that is not a mail server. */
async function openListener(onConnection: (socket: Socket) => void = () => {}) {
  const sockets = new Set<Socket>();
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("data", (chunk) => heard.push(chunk));
    onConnection(socket);
  });
  server.listen(0, "::");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    port,
    heard,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Returns all names of this machine: its addresses in every notation that a resolver accepts. */
function ownHosts(): string[] {
  const own = Object.values(networkInterfaces()).flat().map((each) => each?.address ?? "");
  return [
    ...["127.0.0.1", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.2", "0.0.0.0"],
    ...["0", "localhost", "localhost.", "LOCALHOST", "[::1]", "::1", "::", "::ffff:127.0.0.1"],
    ...["::ffff:7f00:1", "[::ffff:127.0.0.1]", "0:0:0:0:0:0:0:1", "64:ff9b::7f00:1"],
    ...["2002:7f00:1::", "１２７.０.０.１", "127。0。0。1", ...own],
  ];
}

test("send() reaches nothing on this machine or inside of its network unless the operator allows", async () => {
  await using listener = await openListener();
  const { port } = listener;
  const config = readConfig(CONFIG, REQUIRED);
  // The port is allowed here, so that the address alone decides.
  const resolveHost = openResolver({ ...config, SMTP_PORTS: [String(port)] });
  await using pool = openTransportPool({ ehloName: "x", resolveHost, connectTimeoutMs: 500 });
  for (const host of ownHosts()) {
    for (const tls of ["none", "implicit"] as const) {
      const integration = { key: host, host, port, tls, auth: null } as const;
      const failure = await pool.send({ integration, envelope, raw }).then(
        () => assert.fail(host),
        (failure: SmtpFailure) => failure,
      );
      assert.ok(["host", "dns"].includes(failure.fault), `${host}: ${failure.fault}`);
      assert.equal(failure.phase, "connect");
    }
  }
  assert.equal(listener.connections(), 0);
});

test("send() sends nothing to a server without a mail greeting, and reveals nothing about it", async () => {
  const replies: string[] = [];
  const greetings = [
    "SSH-2.0-OpenSSH_9.2p1 secret-banner\r\n",
    "HTTP/1.1 400 Bad Request\r\nServer: secret-banner\r\n\r\n",
    "554 secret-banner\r\n",
    "-ERR secret-banner\r\n",
    "\x15\x03\x01\x00\x02\x02\x28",
    "",
  ];
  for (const greeting of greetings) {
    await using listener = await openListener((socket) => socket.end(greeting));
    await using pool = openTransportPool({
      ehloName: "x",
      resolveHost: openTestResolver(),
      connectTimeoutMs: 500,
    });
    const host = "127.0.0.1";
    const integration = {
      ...{ key: "1", host, port: listener.port, tls: "none" } as const,
      auth: { user: "ann", password: "canary-password" },
    };
    const failure = await pool.send({ integration, envelope, raw }).then(
      () => assert.fail(greeting),
      (failure: SmtpFailure) => failure,
    );
    assert.ok(failure instanceof SmtpFailure);
    replies.push(JSON.stringify(judgeSmtpFailure(failure)));
    assert.doesNotMatch(Buffer.concat(listener.heard).toString(), /canary|ehlo|mail/i, greeting);
  }
  assert.equal(new Set(replies).size, 1, replies.join("\n"));
  assert.doesNotMatch(replies.join(), /secret-banner/);
});
