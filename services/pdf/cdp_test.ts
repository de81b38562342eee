import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "node:test";
import { CdpConnection, CdpError } from "./cdp.ts";

/** Opens a fake browser, whose answers the test writes. */
function openFake() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  return {
    connection: new CdpConnection(input, output),
    output,
    say: (message: object) => void output.write(`${JSON.stringify(message)}\0`),
    heard: () =>
      String(input.read() ?? "").split("\0").slice(0, -1).map((text) => JSON.parse(text)),
  };
}

test("CdpConnection reads an answer that arrives in pieces", async () => {
  const { connection, output, heard } = openFake();
  const session = connection.session("s", () => undefined);
  const answers = Promise.all([
    session.send("Page.getFrameTree", {}),
    connection.send("Target.createBrowserContext", {}),
  ]);
  assert.deepEqual(heard(), [
    { id: 1, sessionId: "s", method: "Page.getFrameTree", params: {} },
    { id: 2, method: "Target.createBrowserContext", params: {} },
  ]);
  const first = { id: 2, result: { browserContextId: "é" } };
  const second = { id: 1, sessionId: "s", result: { frameTree: { frame: { id: "f" } } } };
  for (const byte of Buffer.from(`${JSON.stringify(first)}\0${JSON.stringify(second)}\0`)) {
    output.write(Buffer.of(byte));
  }
  assert.deepEqual(await answers, [second.result, first.result]);
});

test("CdpConnection delivers the events of a page to its session alone", async () => {
  const { connection, say } = openFake();
  const heard: unknown[] = [];
  connection.session("a", (event, params) => void heard.push([event, params]));
  connection.session("b", () => assert.fail("it is not its own"));
  say({ method: "Inspector.targetCrashed", params: {}, sessionId: "a" });
  say({ method: "Target.targetCreated", params: {} });
  await turn();
  assert.deepEqual(heard, [["Inspector.targetCrashed", {}]]);
});

test("CdpConnection distinguishes an error from a page or a browser that is gone", async () => {
  const { connection, say, output } = openFake();
  const session = connection.session("s", () => undefined);
  const refused = assert.rejects(session.send("Page.navigate", { url: "" }), {
    message: `Cannot carry out "Page.navigate": Invalid URL`,
    isRefusal: true,
  });
  say({ id: 1, error: { message: "Invalid URL" }, sessionId: "s" });
  await refused;
  for (
    const end of [
      () => say({ id: 2, error: { message: "Target crashed" }, sessionId: "s" }),
      () => say({ method: "Target.detachedFromTarget", params: { sessionId: "s" } }),
      () => void output.destroy(),
    ]
  ) {
    const lost = session.send("Log.disable", {}).catch((error) => error);
    end();
    const error = await lost;
    assert.ok(error instanceof CdpError && !error.isRefusal, String(error));
  }
  await connection.closed;
  await assert.rejects(connection.send("Browser.close", {}), CdpError);
});
