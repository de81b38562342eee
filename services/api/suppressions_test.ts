import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOKEN_SCOPES } from "@posthaste/contracts";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";
import { NO_BROKER } from "./_test_deps.ts";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";

let api: LedgerApp;
before(async () => void (api = await openLedgerApp()));
after(() => api?.[Symbol.asyncDispose]());

const ADDED = { reason: "manual" as const, at: new Date() };

const FILLED = {
  ok: true,
  parts: { subject: "Hi", html: { inline: "<p>Hi</p>" }, text: { inline: "Hi" } },
  pdfs: [],
};

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

test("sendRoute() accepts toSuppressed with a scope of its own, and writes it to the audit log", async () => {
  const from = { email: "shop@example.com" };
  const scopes = TOKEN_SCOPES.filter((scope) => scope !== "send:suppressed");
  const to = [{ email: "a@one.example" }, { email: "b@one.example", toSuppressed: true }];
  const path = "/v1/templates/1/send/1";
  for (const dry of ["", "/dry-run"]) {
    const body = { from, to };
    const refused = await api.ask(`${path}${dry}`, { method: "POST", body, scopes });
    assert.deepEqual([refused.status, refused.body.code], [403, "missing_scope"], dry);
    assert.match(refused.body.error, /"send:suppressed"/);
  }
  const plain = { from, to, toSuppressed: false };
  const { status } = await api.ask(path, { method: "POST", body: plain, scopes });
  assert.equal(status, 403);
  const [one = {}] = to;
  const without = await api.ask(path, { method: "POST", body: { from, to: [one] }, scopes });
  assert.equal(without.status, 200);
  const { id } = await api.send({ to });
  const lines = await api.store.audit.list(api.accountId, { limit: 10 });
  const found = lines.filter(({ action }) => action === "send.to_suppressed");
  assert.deepEqual(found.map(({ target, details }) => [target, details["recipients"]]), [
    [`send ${id}`, 1],
  ]);
});

test("sendRoute() and dryRunRoute() warn about suppressed recipients, and accept them", async () => {
  await using api = await openLedgerApp({
    bus: { ...NO_BROKER.bus, ask: () => Promise.resolve(FILLED) } as never,
  });
  await api.store.suppressions.add(api.accountId, [
    ...["a@warned.example", "c@warned.example"].map((email) => ({ email, ...ADDED })),
    { email: "b@warned.example", ...ADDED, expiresAt: new Date(Date.now() - 1) },
  ], { max: 9 });
  const path = "/v1/templates/1/send/1";
  const to = ["A@warned.example", "b@warned.example", "C@Warned.example", "d@warned.example"]
    .map((email) => ({ email }));
  const body = { from: { email: "shop@example.com" }, to };
  const post = async (asked: string, more = {}, isOther = false) => {
    const answer = await api.ask(asked, { method: "POST", body: { ...body, ...more }, isOther });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const sent = await post(path);
  const [warning, ...more] = sent.warnings;
  assert.deepEqual([warning.code, warning.recipients], ["suppressed_recipients", [0, 2]]);
  assert.deepEqual(more, []);
  assert.equal(sent.messages.length, 4);
  assert.deepEqual((await post(`${path}/dry-run`)).warnings, sent.warnings);
  assert.equal((await post(path, { toSuppressed: true })).warnings, undefined);
  assert.equal((await post(path, {}, true)).warnings, undefined);
  const stored = await api.store.sends.find(api.accountId, sent.id);
  assert.deepEqual(stored?.suppressed, [0, 2]);
});

test("acceptSend() accepts without a warning if the suppression list cannot be read in time", async () => {
  const hangs = Promise.withResolvers<never>();
  const fails = () => Promise.reject(new Error("no database"));
  for (const among of [() => hangs.promise, fails]) {
    // The answer does not wait for a look-up that hangs, but the file's end would.
    await using app = openTestApp({ suppressions: { among } }, { ledgerTimeoutMs: 1000 });
    const { status, body } = await app.post(SEND, smallSend());
    assert.deepEqual([status, body.warnings], [200, undefined]);
  }
});

test("suppressionChangeRoutes() refuses what does not fit, and counts nothing twice", async () => {
  await using api = await openLedgerApp({}, { maxSuppressions: 2 });
  const add = async (...names: string[]) => {
    const suppressions = names.map((name) => ({ email: `${name}@full.example` }));
    return await api.ask("/v1/suppressions", { method: "POST", body: { suppressions } });
  };
  assert.deepEqual((await add("a", "A")).body, { added: 1 });
  const { status, body } = await add("b", "c");
  assert.deepEqual([status, body.code], [409, "suppression_list_full"]);
  assert.match(body.error, /add 2 addresses .* has 1 of at most 2 entries$/);
  assert.equal((await add("b")).status, 200);
});
