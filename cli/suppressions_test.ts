import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SUPPRESS_BODY, UNSUPPRESS_BODY } from "@posthaste/contracts";
import { type Answer, openStub } from "./_open_stub.ts";
import { EXIT } from "./exit_code.ts";

const ADDED_AT = "2026-03-01T10:00:00.000Z";

interface Entry {
  email: string;
  reason: string;
  expiresAt: string | null;
  reply?: { code?: number; enhanced?: string };
}

/** Opens an interface with a suppression list, in pages of two entries. */
async function openList(given: Entry[] = [], before: Answer = () => [0, null]) {
  const entries = new Map(given.map((entry) => [entry.email, entry]));
  const answer: Answer = (seen, count) => {
    const first = before(seen, count);
    if (first[0] !== 0) return first;
    const url = new URL(seen.route.split(" ")[1] ?? "", "http://stub");
    if (seen.route.startsWith("GET /v1/suppressions?")) return [200, pageOf(url.searchParams)];
    const body = JSON.parse(seen.body);
    if (seen.route === "POST /v1/suppressions") {
      const { data, error } = SUPPRESS_BODY.safeParse(body);
      if (data === undefined) {
        const issues = error?.issues.map(({ path, message }) => ({
          path: path.join("."),
          message,
        }));
        return [400, { error: "Cannot add the suppressions", code: "invalid_request", issues }];
      }
      const added = data.suppressions.filter(({ email }) => !entries.has(email)).length;
      for (const { expiresAt, ...entry } of data.suppressions) {
        entries.set(entry.email, { ...entry, expiresAt: expiresAt?.toISOString() ?? null });
      }
      return [200, { added }];
    }
    assert.equal(seen.route, "POST /v1/suppressions/remove");
    const { emails } = UNSUPPRESS_BODY.parse(body);
    return [200, { removed: emails.filter((email) => entries.delete(email)).length }];
  };
  function pageOf(query: URLSearchParams) {
    const email = query.get("email") ?? "*";
    const wanted = [...entries.values()].toSorted((a, b) => a.email < b.email ? -1 : 1)
      .filter((one) =>
        email.endsWith("*") ? one.email.startsWith(email.slice(0, -1)) : one.email === email
      )
      .filter((one) => one.email > (query.get("cursor") ?? ""));
    const data = wanted.slice(0, 2).map(({ reply = null, ...entry }) => ({
      ...{ ...entry, reply, messageId: null, addedAt: ADDED_AT, ofANewerServer: true },
    }));
    return { data, next: wanted.length > 2 ? data[1]?.email : null };
  }
  const stub = await openStub(answer);
  return {
    ...stub,
    entries,
    write: (name: string, text: string) => writeFile(join(stub.folder, name), text),
  };
}

const listed = (email: string, more: Partial<Entry> = {}): Entry => ({
  ...{ email, reason: "manual", expiresAt: null },
  ...more,
});

const REFUSED = listed("gone@example.net", {
  ...{ reason: "hard_refusal", reply: { code: 550, enhanced: "5.1.1" } },
});

test("suppressionsCommand() adds and removes addresses", async () => {
  await using list = await openList([listed("old@example.net")]);
  const until = "--until 2099-01-31T01:00:00+01:00";
  const added = await list.run(`suppressions add new@example.net old@example.net ${until}`);
  assert.equal(added.code, EXIT.ok, added.stderr);
  assert.equal(added.stdout, "Added 1 address; replaced 1 entry\n");
  assert.equal(list.entries.get("old@example.net")?.expiresAt, "2099-01-31T00:00:00.000Z");
  assert.equal(list.seen[0]?.headers.authorization, "Bearer ph_test");
  const removed = await list.run("suppressions remove new@example.net none@example.net --json");
  assert.deepEqual(JSON.parse(removed.stdout), { removed: 1 });
  const again = await list.run("suppressions remove new@example.net");
  assert.deepEqual([again.code, again.stdout], [EXIT.notFound, ""]);
  assert.match(again.stderr, /none of the addresses is on the list/);
});

test("suppressionsCommand() reports which address or time is not valid", async () => {
  await using list = await openList();
  const wrong = await list.run("suppressions add ann@example.net ann@@example.net");
  assert.equal(wrong.code, EXIT.refused);
  assert.match(wrong.stderr, /suppressions\.1\.email: must be one address/);
  const late = await list.run("suppressions add ann@example.net --until tomorrow");
  assert.equal(late.code, EXIT.usage);
  assert.equal(list.seen.length, 1, "nothing is sent with a time that is not valid");
  assert.equal(list.entries.size, 0);
});

test("suppressionsCommand() lists entries by address, all pages of them", async () => {
  await using list = await openList([
    ...[REFUSED, listed("ann@example.net"), listed("annabel@example.net")],
    listed("bob@example.net", { expiresAt: "2099-01-31T00:00:00.000Z" }),
  ]);
  const { stdout } = await list.run("suppressions list");
  assert.deepEqual(stdout.split("\n").slice(1, -1).map((line) => line.split(/ {2,}/)), [
    ["ann@example.net", "manual", "2026-03-01 10:00:00Z", "never"],
    ["annabel@example.net", "manual", "2026-03-01 10:00:00Z", "never"],
    ["bob@example.net", "manual", "2026-03-01 10:00:00Z", "2099-01-31 00:00:00Z"],
    ["gone@example.net", "hard_refusal 550 5.1.1", "2026-03-01 10:00:00Z", "never"],
  ]);
  const found = JSON.parse((await list.run("suppressions list --email ann* --json")).stdout);
  assert.deepEqual(found.map(({ email }: Entry) => email), [
    ...["ann@example.net", "annabel@example.net"],
  ]);
  const none = await list.run("suppressions list --email nobody@example.net");
  assert.equal(none.stdout, "No address is suppressed\n");
});

test("suppressionsCommand() lists at most 100 entries, and says that there are more", async () => {
  await using list = await openList(
    Array.from({ length: 150 }, (_, n) => listed(`r${String(n).padStart(3, "0")}@example.net`)),
  );
  const { stdout, stderr } = await list.run("suppressions list --json");
  assert.equal(JSON.parse(stdout).length, 100);
  assert.match(stderr, /There are more/);
});

test("suppressionsCommand() imports what it exports, formulas as addresses", async () => {
  const own = [
    ...[REFUSED, listed("=cmd@example.net")],
    listed("till@example.net", { expiresAt: "2099-01-31T00:00:00.000Z" }),
  ];
  await using from = await openList(own);
  const { code, stdout } = await from.run("suppressions export");
  assert.equal(code, EXIT.ok);
  assert.equal(
    stdout,
    "email,reason,addedAt,expiresAt,reply,messageId\r\n" +
      `'=cmd@example.net,manual,${ADDED_AT},,,\r\n` +
      `gone@example.net,hard_refusal,${ADDED_AT},,550 5.1.1,\r\n` +
      `till@example.net,manual,${ADDED_AT},2099-01-31T00:00:00.000Z,,\r\n`,
  );
  await using to = await openList();
  await to.write("list.csv", stdout);
  const imported = await to.run("suppressions import list.csv");
  assert.equal(imported.stdout, "Added 3 addresses\n", imported.stderr);
  assert.deepEqual([...to.entries.values()], [
    listed("=cmd@example.net", { reason: "import" }),
    listed("gone@example.net", { reason: "import" }),
    listed("till@example.net", { reason: "import", expiresAt: "2099-01-31T00:00:00.000Z" }),
  ]);
  assert.equal(
    (await from.run("suppressions export --json")).stdout.includes('"hard_refusal"'),
    true,
  );
});

test("suppressionsCommand() imports nothing of a file with invalid lines, unless they are skipped", async () => {
  await using list = await openList();
  await list.write("list.csv", "email\nann@example.net\nx\nbob@example.net\n");
  const refused = await list.run("suppressions import list.csv");
  assert.equal(refused.code, EXIT.refused);
  assert.match(refused.stderr, /1 line not valid\n {2}list\.csv:3: the address must be one/);
  const dry = await list.run("suppressions import list.csv --skip-invalid --dry-run");
  assert.equal(dry.stdout, '2 addresses in "list.csv"\n');
  assert.match(dry.stderr, /^list\.csv:3: warning: the address must be one/);
  assert.equal(list.seen.length, 0);
  const done = await list.run("suppressions import - --skip-invalid", "ann@example.net\nx\n");
  assert.deepEqual([done.code, done.stdout], [EXIT.ok, "Added 1 address\n"]);
  for (const [text, message] of [["", "no address"], ["a@b.example\n".repeat(50_003), "50000"]]) {
    const { code, stderr } = await list.run("suppressions import -", text);
    assert.equal(code, EXIT.refused);
    assert.ok(stderr.includes(message ?? ""), stderr);
  }
  assert.equal((await list.run("suppressions import none.csv")).code, EXIT.notFound);
});

test("suppressionsCommand() sends a thousand addresses per request, and reports how many before a failure", async () => {
  const full: Answer = (_, count) =>
    count === 3 ? [409, { error: "The list is full", code: "suppression_list_full" }] : [0, null];
  await using list = await openList([], full);
  const text = Array.from({ length: 2500 }, (_, n) => `r${n}@example.net`).join("\n");
  const { code, stderr } = await list.run("suppressions import -", text);
  assert.equal(code, EXIT.refused);
  assert.match(stderr, /Added 2000 of 2500 addresses before the failure\n.*The list is full/);
  assert.equal(list.entries.size, 2000);
});

test("suppressionsCommand() waits where the interface limits its requests", async () => {
  const busy: Answer = (_, count) =>
    count === 2
      ? [429, { error: "Too many requests", code: "too_many_requests" }, { "retry-after": "0" }]
      : [0, null];
  await using list = await openList([REFUSED, listed("a@b.example"), listed("c@d.example")], busy);
  const { code, stdout } = await list.run("suppressions export");
  assert.deepEqual([code, stdout.trimEnd().split("\r\n").length], [EXIT.ok, 4]);
  assert.equal(list.seen.length, 3);
});
