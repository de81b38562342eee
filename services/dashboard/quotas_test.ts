import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestDashboard } from "./_test_dashboard.ts";

test("requireRoom() refuses members, templates and accounts beyond the operator's quotas, with a sentence", async () => {
  const quotas = { members: 5, accounts: 2, templates: 2, assetBytes: 1000, suppressions: 9 };
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
