import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { QUOTAS } from "./quotas.ts";

let dashboard: TestDashboard;
before(async () => {
  const quotas = { ...QUOTAS, suppressions: 60 };
  dashboard = await openTestDashboard({ options: { quotas } });
});
after(() => dashboard?.[Symbol.asyncDispose]());

const PATH = "/api/suppressions";
const CSV = { "content-type": "text/csv" };

const listed = async (query = "") => {
  const { status, body } = await dashboard.own.viewer.get(`${PATH}${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.rows.map(({ email }: { email: string }) => email);
};
const bring = (text: string | Buffer, query = "", headers: Record<string, string> = CSV) =>
  dashboard.own.editor.post(`${PATH}/import${query}`, Buffer.from(text), headers);

test("suppressionRoutes() adds, finds and removes addresses, of the own account only", async () => {
  const { own: { editor, viewer }, foreign, store } = dashboard;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const added = await editor.post(PATH, { email: "Ann@Shop.example", expiresAt });
  assert.deepEqual([added.status, added.body], [200, { added: 1 }]);
  await editor.post(PATH, { email: "bob@example.net", expiresAt: null });
  const { body } = await viewer.get(PATH);
  const [{ addedAt, ...ann }] = body.rows;
  assert.ok(Date.parse(addedAt) <= Date.now());
  assert.deepEqual(ann, {
    ...{ email: "ann@shop.example", reason: "manual", reply: null, messageId: null, expiresAt },
  });
  assert.deepEqual([body.next, body.entries, body.maxEntries], [null, 2, 60]);
  assert.deepEqual(await listed("?part=SHOP.ex"), ["ann@shop.example"]);
  assert.deepEqual(await listed("?part=.*"), []);
  assert.deepEqual((await foreign.owner.get(PATH)).body.rows, []);
  const foreigner = await foreign.owner.post(`${PATH}/remove`, { email: "bob@example.net" });
  assert.deepEqual(foreigner.body, { removed: 0 });

  assert.deepEqual((await editor.post(`${PATH}/remove`, { email: "BOB@example.net" })).body, {
    removed: 1,
  });
  assert.deepEqual(await listed(), ["ann@shop.example"]);
  const lines = await store.audit.list(own().accountId, { limit: 3 });
  assert.deepEqual(lines.map(({ action }) => action), [
    ...["suppression.removed", "suppression.added", "suppression.added"],
  ]);
  assert.equal(lines[0]?.details["addresses"], 1);
  for (
    const wrong of [{ email: "x" }, { email: "a@b.example", expiresAt: "2020-01-01T00:00:00Z" }]
  ) {
    const { status } = await editor.post(PATH, { expiresAt: null, ...wrong });
    assert.equal(status, 400, JSON.stringify(wrong));
  }
});

const own = () => dashboard.own;

test("POST /api/suppressions/import shows what it would do, then does it, and keeps what is known", async () => {
  const { store, own: { accountId } } = dashboard;
  const at = new Date();
  await store.suppressions.add(
    accountId,
    [{ email: "known@import.example", reason: "hard_refusal", at }],
    { max: 60 },
  );
  const text = "email\nnew@import.example\nKnown@import.example\nnot one\nNEW@import.example\n";
  const expected = {
    ...{ addresses: 2, added: 1, invalidLines: 1 },
    invalid: [{
      line: 4,
      message: "the address must not contain blanks, line breaks, control or invisible characters",
    }],
  };
  assert.deepEqual((await bring(text, "?dry=true")).body, expected);
  assert.deepEqual(await listed("?part=import.example"), ["known@import.example"]);
  assert.deepEqual((await bring(text)).body, expected);
  const { rows } = (await dashboard.own.viewer.get(`${PATH}?part=import.example`)).body;
  assert.deepEqual(rows.map(({ email, reason }: Record<string, string>) => [email, reason]), [
    ["known@import.example", "hard_refusal"],
    ["new@import.example", "import"],
  ]);
  assert.equal((await bring(text)).body.added, 0);
  assert.equal((await bring(Buffer.from([0xff, 0xfe, 0x61]))).status, 400);
  assert.equal((await bring("{}", "", { "content-type": "application/json" })).status, 400);
  assert.equal((await bring("\n".repeat(60_000))).status, 413);
  assert.equal((await bring("a".repeat(4_000_001))).status, 413);
});

test("POST /api/suppressions/import adds nothing if not all of it fits", async () => {
  const text = Array.from({ length: 60 }, (_, at) => `a${at}@full.example\n`).join("");
  const { status, body } = await bring(text);
  assert.deepEqual([status, body.code], [409, "conflict"]);
  assert.match(body.error, /add 60 addresses .* of at most 60 entries$/);
  assert.deepEqual(await listed("?part=full.example"), []);
});

test("GET /api/suppressions lists page by page, and the export has all of it without formulas", async () => {
  const { own: { editor, viewer } } = dashboard;
  const names = Array.from({ length: 51 }, (_, at) => `p${String(at).padStart(2, "0")}`);
  const text = names.map((name) => `${name}@page.example\n`).join("");
  assert.equal((await bring(text)).body.added, 51);
  const first = (await viewer.get(`${PATH}?part=page.example`)).body;
  assert.equal(first.rows.length, 50);
  const after = encodeURIComponent(first.next);
  assert.deepEqual(await listed(`?part=page.example&after=${after}`), ["p50@page.example"]);
  await editor.post(PATH, { email: "=1+1@page.example", expiresAt: null });
  const { status, headers, text: csv } = await editor.get(`${PATH}/export`);
  assert.equal(status, 200);
  assert.match(String(headers["content-type"]), /^text\/csv/);
  assert.match(String(headers["content-disposition"]), /^attachment/);
  assert.match(
    csv,
    /^email,reason,addedAt,expiresAt,reply,messageId\r\n'=1\+1@page.example,manual,/,
  );
  assert.equal(csv.match(/@page\.example/g)?.length, 52);
  assert.deepEqual((await bring(csv, "?dry=true")).body.invalid, []);
  const [line] = await dashboard.store.audit.list(own().accountId, { limit: 1 });
  assert.equal(line?.action, "suppression.exported");
});
