/** Tests `@posthaste/client` against the interface itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@posthaste/client";
import { openTestApp } from "./_test_app.ts";

const FROM = { email: "shop@example.com" };

async function open() {
  const api = openTestApp();
  const url = await api.app.listen({ port: 0, host: "127.0.0.1" });
  return { api, url, posthaste: createClient({ url, token: "ph_all" }) };
}

test("the client renders, sends and reads what it sent", async () => {
  const { api, posthaste } = await open();
  await using _closed = api;
  const rendered = await posthaste.render("welcome", { name: "Jane" });
  assert.equal(rendered.subject, "Hi Jane");
  const body = { from: FROM, to: [{ email: "jane@example.net", variables: { name: "Jane" } }] };
  const { id, messages: [message] } = await posthaste.send("welcome", 3, body, {
    idempotencyKey: "order-42",
  });
  assert.equal(message?.email, "jane@example.net");
  // The same key with the same body, byte for byte, returns the first answer.
  const again = await posthaste.send("welcome", 3, body, { idempotencyKey: "order-42" });
  assert.equal(again.id, id);
  assert.deepEqual([api.sends.length, api.sends[0]?._id], [1, id]);
  const state = await posthaste.sends.get(id);
  assert.deepEqual([state.id, state.template.id], [id, 5]);
});

test("the client throws the errors of the interface, with all their issues", async () => {
  const { api, url, posthaste } = await open();
  await using _closed = api;
  const body = { from: FROM, to: [{ email: "jane@" }, { email: "@example.net" }] };
  await assert.rejects(posthaste.send(5, 3, body), (error: Error & { issues?: unknown[] }) => {
    assert.equal(error.name, "PosthasteError");
    assert.equal(error.issues?.length, 2);
    return true;
  });
  await assert.rejects(posthaste.messages.get("msg_1"), { status: 404, code: "unknown_message" });
  const nobody = createClient({ url, token: "ph_nobody" });
  await assert.rejects(nobody.service(), { status: 401, message: "Unauthenticated" });
});

test("the client lists what the token may read, and its schemas", async () => {
  const { api, posthaste } = await open();
  await using _closed = api;
  const { service, token } = await posthaste.service();
  assert.deepEqual([service, token.name], ["posthaste", "ph_all"]);
  assert.match((await posthaste.openApi()).openapi, /^3\.1\./);
  const [template] = await Array.fromAsync(posthaste.templates.list({ limit: 1 }));
  assert.deepEqual([template?.alias, template?.version], ["welcome", 2]);
  assert.equal((await posthaste.templates.get("welcome")).id, 5);
  assert.equal((await posthaste.templates.schema("welcome")).type, "object");
  const [pdf] = await Array.fromAsync(posthaste.pdfTemplates.list());
  assert.deepEqual(await posthaste.pdfTemplates.get("invoice"), pdf);
  assert.equal((await posthaste.pdfTemplates.schema(7)).type, "object");
  const [integration] = await Array.fromAsync(posthaste.integrations.list());
  assert.deepEqual(await posthaste.integrations.get(3), integration);
});
