import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTcpProxy } from "./tcp_proxy.ts";

/** A server that says everything back, and a client that reaches it through a proxy. */
async function openEcho(t: TestContext) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = await openTcpProxy((server.address() as AddressInfo).port);
  t.after(async () => {
    await proxy[Symbol.asyncDispose]();
    server.close();
  });
  return { proxy, client: await dial(proxy.port) };
}

async function dial(port: number): Promise<Socket & { heard(): string }> {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => text += chunk);
  socket.on("error", () => {});
  await once(socket, "connect");
  return Object.assign(socket, { heard: () => text });
}

async function echo(socket: Socket, text: string): Promise<string> {
  const answer = once(socket, "data");
  socket.write(text);
  return String((await answer)[0]);
}

test("openTcpProxy() lets everything pass, in both directions", async (t) => {
  const { proxy, client } = await openEcho(t);
  assert.equal(await echo(client, "one"), "one");
  assert.equal(proxy.connections, 1);
});

test("stall() holds bytes back, and pass() brings them late and whole", async (t) => {
  const { proxy, client } = await openEcho(t);
  await echo(client, "one");
  proxy.stall();
  client.write("two");
  await delay(100);
  assert.equal(client.heard(), "one");
  const late = await dial(proxy.port);
  late.write("new");
  await delay(50);
  assert.equal(late.heard(), "");
  const answers = [once(client, "data"), once(late, "data")];
  proxy.pass();
  await Promise.all(answers);
  assert.deepEqual([client.heard(), late.heard()], ["onetwo", "new"]);
});

test("blackhole() swallows bytes, and pass() resets what lost some", async (t) => {
  const { proxy, client } = await openEcho(t);
  const other = await dial(proxy.port);
  await Promise.all([echo(client, "one"), echo(other, "one")]);
  proxy.blackhole();
  client.write("two");
  await delay(100);
  assert.equal(client.heard(), "one");
  const closed = new Promise((resolve) => client.once("close", resolve));
  proxy.pass();
  await closed;
  assert.equal((client.errored as NodeJS.ErrnoException | null)?.code, "ECONNRESET");
  assert.equal(await echo(other, "three"), "three");
});

test("reset() ends all connections, and new ones pass", async (t) => {
  const { proxy, client } = await openEcho(t);
  await echo(client, "one");
  const closed = new Promise((resolve) => client.once("close", resolve));
  proxy.reset();
  await closed;
  assert.equal((client.errored as NodeJS.ErrnoException | null)?.code, "ECONNRESET");
  assert.equal(await echo(await dial(proxy.port), "two"), "two");
});
