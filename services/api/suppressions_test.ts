import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";

let api: LedgerApp;
before(async () => void (api = await openLedgerApp()));
after(() => api?.[Symbol.asyncDispose]());

const post = (path: string, body: unknown) => api.ask(path, { method: "POST", body });

async function listed(query = ""): Promise<string[]> {
  const { status, body } = await api.ask(`/v1/suppressions?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ email }: { email: string }) => email);
}

test("suppressionChangeRoutes() adds and removes addresses, and suppressionListRoute() pages through them", async () => {
  const emails = ["b@one.example", "A@one.example", "a2@one.example"];
  const suppressions = emails.map((email) => ({ email }));
  assert.deepEqual((await post("/v1/suppressions", { suppressions })).body, { added: 3 });
  assert.deepEqual(await listed(), ["a2@one.example", "a@one.example", "b@one.example"]);
  assert.deepEqual(await listed("email=A*"), ["a2@one.example", "a@one.example"]);
  assert.deepEqual(await listed("email=a@one.example"), ["a@one.example"]);
  const { body } = await api.ask("/v1/suppressions?limit=2");
  assert.deepEqual(await listed(`limit=2&cursor=${body.next}`), ["b@one.example"]);
  const removed = await post("/v1/suppressions/remove", {
    emails: ["a@ONE.example", "x@y.example"],
  });
  assert.deepEqual(removed.body, { removed: 1 });
  assert.deepEqual(await listed(), ["a2@one.example", "b@one.example"]);
});

test("suppressionChangeRoutes() refuses what is no address, and reasons of its own", async () => {
  for (const entry of [{ email: "x" }, { email: "a@b.example", reason: "complaint" }]) {
    const { status } = await post("/v1/suppressions", { suppressions: [entry] });
    assert.equal(status, 400, JSON.stringify(entry));
  }
});
