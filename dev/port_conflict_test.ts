import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { checkPorts } from "./check_ports.ts";
import { portConflict } from "./port_conflict.ts";
import { portHolder } from "./port_holder.ts";

test("portConflict() names port, purpose, holder and remedy", () => {
  assert.equal(
    portConflict([{ name: "api", port: 8080, holder: "nginx (pid 7)", free: 8090 }]),
    "Cannot start: port 8080, for the interface, is used by nginx (pid 7);\n" +
      "  stop it or choose another one: API_PORT=8090 npm start",
  );
});

test("portConflict() returns one remedy for several ports", () => {
  const text = portConflict([
    { name: "inboxWeb", port: 8025, holder: undefined, free: 8035 },
    { name: "nats", port: 14222, holder: undefined, free: 14232 },
  ]);
  assert.match(text, /port 8025, for the inbox's page, is used by another program;\n/);
  assert.match(text, /stop them or choose others: INBOX_WEB_PORT=8035 NATS_PORT=14232 npm start$/);
});

test("checkPorts() refuses a port in use, names its user, and offers a free one", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await assert.rejects(checkPorts({ api: port }), ({ message }: Error) => {
      assert.match(message, new RegExp(`port ${port}, for the interface`));
      if (process.platform === "linux") assert.match(message, new RegExp(`pid ${process.pid}\\)`));
      const free = Number(/API_PORT=(\d+)/.exec(message)?.[1]);
      assert.ok(free > 0 && free !== port);
      return true;
    });
    assert.notEqual((await checkPorts({ api: 0 })).api, 0);
  } finally {
    server.close();
  }
});

test("portHolder() returns undefined for a free port", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  assert.equal(await portHolder(port), undefined);
});
