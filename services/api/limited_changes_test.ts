import assert from "node:assert/strict";
import { test } from "node:test";
import type { TokenLimits } from "@posthaste/contracts";
import { openLedgerApp } from "./_test_ledger_app.ts";

const HOUR_MS = 3_600_000;

test("a limited token changes only messages, sends and batches of its templates and integrations", async () => {
  await using api = await openLedgerApp();
  const { accountId, store } = api;
  const later = new Date(Date.now() + HOUR_MS).toISOString();
  const to = [{ email: "ann@example.net" }];

  /** Makes every change with a token, each of mail of its own. Returns the states of the answers. */
  async function changesBy(limits: Partial<TokenLimits>): Promise<Record<string, number>> {
    const scopes = ["manage:messages" as const];
    const { token } = await store.tokens.create({ accountId, name: "limited", scopes, limits });
    const statuses: Record<string, number> = {};
    const change = async (
      name: string,
      path: string,
      options: { method?: "PATCH"; body?: unknown },
    ) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await api.ask(`/v1${path}`, { method: "POST", headers, ...options });
      statuses[name] = answer.status;
      if (answer.status === 403) assert.equal(answer.body.code, "missing_scope", name);
    };
    const scheduled = () => api.send({ to, sendAt: later });
    const failed = async () => {
      const { id } = await api.send({ to });
      await api.end(id, 0, "failed");
      return { id, message: `${id.replace("snd_", "msg_")}0000` };
    };
    await change("cancel a message", `/messages/${(await scheduled()).messages[0]?.id}/cancel`, {});
    await change("cancel a send", `/sends/${(await scheduled()).id}/cancel`, {});
    const body = { sendAt: null };
    await change("schedule", `/sends/${(await scheduled()).id}`, { method: "PATCH", body });
    await change("retry a message", `/messages/${(await failed()).message}/retry`, {});
    const cancel = (filter: object) => ({ body: { filter } });
    await change("cancel by send", "/messages/cancel", cancel({ sendId: (await scheduled()).id }));
    await change("cancel by use", "/messages/cancel", cancel({ templateId: 1, integrationId: 1 }));
    await change("cancel by tag", "/messages/cancel", cancel({ tag: "spring" }));
    const retry = { state: "failed" };
    await change("retry by send", "/messages/retry", {
      body: { ...retry, sendId: (await failed()).id },
    });
    await change("retry all", "/messages/retry", { body: retry });
    const from = { email: "shop@example.com" };
    const batch = await api.ask("/v1/batches", {
      method: "POST",
      body: { templateId: 1, integrationId: 1, from },
    });
    await change("cancel a batch", `/batches/${batch.body.id}/cancel`, {});
    return statuses;
  }

  const names = Object.keys(await changesBy({}));
  const all = (status: number) => Object.fromEntries(names.map((name) => [name, status]));
  assert.deepEqual(await changesBy({}), all(200));
  // These may be of other templates and integrations, too.
  const unnamed = { "cancel by tag": 403, "retry all": 403 };
  for (
    const limits of [{ templates: [1] }, { integrations: [1] }, {
      templates: [1],
      integrations: [1],
    }]
  ) {
    assert.deepEqual(await changesBy(limits), { ...all(200), ...unnamed }, JSON.stringify(limits));
  }
  for (
    const limits of [{ templates: [2] }, { integrations: [2] }, {
      templates: [1],
      integrations: [2],
    }]
  ) {
    assert.deepEqual(await changesBy(limits), all(403), JSON.stringify(limits));
  }
});
