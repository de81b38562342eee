import assert from "node:assert/strict";
import { test } from "node:test";
import { openLedgerApp } from "./_test_ledger_app.ts";

/** A bus whose renderer answers for one mail with one PDF. */
const bus = {
  ask: (type: string) =>
    Promise.resolve(
      type === "content.requested"
        ? {
          ok: true,
          parts: { subject: "Hi", html: { inline: "<p>Hi</p>" }, text: { inline: "Hi" } },
          pdfs: [{ filename: "invoice ü.pdf", html: { inline: "x" }, page: {} }],
        }
        : undefined,
    ),
};

test("a mail is shown as it was sent, to read:content and its account alone", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  const { id, messages: [message] } = await api.send({
    to: [{ email: "a@example.net", attachments: [{ id: 1 }] }],
  });
  const path = `/v1/messages/${message?.id}`;
  const { status, body } = await api.ask(`${path}/content`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...{ subject: "Hi", html: "<p>Hi</p>", text: "Hi" },
    attachments: [{ index: 0, filename: "invoice ü.pdf" }],
  });
  const content = `${path}/content`;
  assert.equal((await api.ask(content, { isOther: true })).status, 404);
  assert.equal((await api.ask(content, { scopes: ["read", "list"] })).status, 403);
  await api.end(id, 0, "sent");
  const now = new Date();
  await api.store.sends.settle([id], now);
  const before = new Date(now.getTime() + 1000);
  await api.store.retention.removeContents({ accountId: api.accountId, before, limit: 1000, now });
  const gone = await api.ask(`${path}/content`);
  assert.deepEqual([gone.status, gone.body.code], [410, "content_removed"]);
  assert.ok(gone.body.error.includes(now.toISOString().slice(0, 10)));
});
