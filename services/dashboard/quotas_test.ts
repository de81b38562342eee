import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestDashboard } from "./_test_dashboard.ts";
import type { IntegrationInput } from "./interface/integrations.ts";
import { QUOTAS } from "./quotas.ts";

test("requireQuota() refuses members, templates and accounts beyond the operator's quotas, with a sentence", async () => {
  const quotas = { ...QUOTAS, members: 5, accounts: 2, templates: 2 };
  await using dashboard = await openTestDashboard({ options: { quotas } });
  const { own, store } = dashboard;
  const invite = (email: string) => own.owner.post("/api/invitations", { email, role: "viewer" });
  assert.equal((await invite("first@x.example")).status, 200);
  // The same address reuses its place.
  assert.equal((await invite("first@x.example")).status, 200);
  const fifth = await invite("second@x.example");
  assert.deepEqual([fifth.status, fifth.body.code], [409, "conflict"]);
  assert.match(fifth.body.error, /has 5 members and invitations/);

  const make = (kind: string) => own.editor.post(`/api/templates/${kind}`, { name: `A ${kind}` });
  const first = await make("email");
  assert.equal(first.status, 200);
  assert.equal((await make("pdf")).status, 200);
  assert.match((await make("pdf")).body.error, /has 2 templates/);
  const copy = `/api/templates/email/${first.body.id}/duplicate`;
  assert.equal((await own.editor.post(copy, { name: "Copy" })).status, 409);
  const id = String(first.body.id);
  assert.equal((await own.editor.delete(`/api/templates/email/${id}`)).status, 200);
  assert.equal((await make("email")).status, 200);

  const settle = () => own.owner.post("/api/accounts", { name: "More" });
  assert.equal((await settle()).status, 200);
  assert.match((await settle()).body.error, /own 2 accounts/);
  assert.equal((await store.people.listMemberships(own.owner.user._id)).length, 2);
});

test("requireQuota() refuses active tokens and integrations beyond the operator's quotas", async () => {
  const quotas = { ...QUOTAS, tokens: 2, integrations: 2 };
  await using dashboard = await openTestDashboard({ options: { quotas } });
  const { owner, editor } = dashboard.own;
  const wish = { name: "A token", scopes: ["send"], expiresAt: null };
  const tokens = await Promise.all([1, 2].map(() => owner.post("/api/tokens", wish)));
  const ids = tokens.map(({ body }) => body.token?.id);
  const tries: [string, object][] = [
    ["/api/tokens", wish],
    [`/api/tokens/${ids[0]}/roll`, { overlapHours: 1 }],
  ];
  for (const [path, input] of tries) {
    const { status, body } = await owner.post(path, input);
    assert.deepEqual([status, body.code], [409, "conflict"], path);
    assert.match(body.error, /has 2 active tokens/);
  }
  assert.equal((await owner.post(`/api/tokens/${ids[0]}/revoke`)).status, 200);
  assert.equal((await owner.post("/api/tokens", wish)).status, 200);

  const settings: IntegrationInput = {
    ...{ name: "Main", host: "smtp.example.com", port: 587, tls: "starttls", ca: null },
    ...{ allowInvalidCertificate: false, user: null, authMethod: null },
    ...{ senders: ["shop@example.com"], maxConnections: 5, maxPerMinute: null },
    ...{ retryForMs: 172_800_000, whenUnknown: "retry" },
  };
  const add = (name: string) => editor.post("/api/integrations", { ...settings, name });
  assert.equal((await add("First")).status, 200);
  assert.equal((await add("Second")).status, 200);
  assert.match((await add("Third")).body.error, /has 2 integrations/);
  assert.equal((await owner.delete("/api/integrations/1")).status, 200);
  assert.equal((await add("Third")).status, 200);
});
