import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";

let dashboard: TestDashboard;
before(async () => {
  dashboard = await openTestDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

test("GET /api/session shows each member their user and account, and nothing without a session", async () => {
  const { own, signedOut } = dashboard;
  for (const role of ["viewer", "editor", "owner"] as const) {
    const { status, body } = await own[role].get("/api/session");
    assert.equal(status, 200);
    assert.deepEqual([body.role, body.account.name], [role, "Own"]);
    assert.equal(body.csrfToken, own[role].csrfToken);
    assert.deepEqual(body.accounts.map(({ id }: { id: string }) => id), [own.accountId]);
  }
  assert.deepEqual((await signedOut.get("/api/session")).body.code, "signed_out");
});
