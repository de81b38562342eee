import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openTestStore } from "./_test_store.ts";

const HANGS_AFTER_MS = 5000;

/** Follows the connections that this process opens. */
function openedSockets() {
  const sockets = new Set<Socket>();
  const add = (message: unknown) => void sockets.add((message as { socket: Socket }).socket);
  subscribe("net.client.socket", add);
  return {
    sockets,
    [Symbol.dispose]: () => void unsubscribe("net.client.socket", add),
  };
}

test("an operation whose connection was closed a moment ago is repeated", async () => {
  using opened = openedSockets();
  await using ledger = await openTestStore();
  const { store } = ledger;
  const operations = [
    () => store.accounts.find("acc_1"),
    () => store.mailers.announce("mailer_1"),
  ];
  for (const operation of operations) {
    await operation();
    // The driver does not know it yet: it hears of the end when the socket reports it, a moment later.
    for (const socket of opened.sockets) socket.destroy();
    const late = delay(HANGS_AFTER_MS, "hangs", { ref: false });
    assert.notEqual(await Promise.race([operation(), late]), "hangs");
  }
});
