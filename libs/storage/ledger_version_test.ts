import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestStore } from "./_test_store.ts";
import { LEDGER_VERSION, ledgerFault } from "./ledger_version.ts";
import { LedgerVersionError } from "./ledger_version_error.ts";
import { openStore } from "./store.ts";

const NOW = { version: 3, oldestRead: 2 };

test("ledgerFault() accepts ledgers of older and newer programs that both sides can read", () => {
  assert.equal(ledgerFault({ version: 3, oldestProgram: 2 }, NOW), undefined);
  // Before its migration, and after that of a newer program beside which it may run.
  assert.equal(ledgerFault({ version: 2, oldestProgram: 1 }, NOW), undefined);
  assert.equal(ledgerFault({ version: 4, oldestProgram: 3 }, NOW), undefined);
});

test("ledgerFault() refuses a ledger that is too old or too new, and returns what to do", () => {
  assert.match(ledgerFault({ version: 5, oldestProgram: 4 }, NOW) ?? "", /version 5.*too old/);
  assert.match(ledgerFault({ version: 1, oldestProgram: 1 }, NOW) ?? "", /"posthaste migrate"/);
  assert.match(ledgerFault(null, NOW) ?? "", /version 1, but this program needs 2/);
  assert.match(ledgerFault(null) ?? "", /run "posthaste migrate" first/);
});

test("openStore() refuses a ledger that a newer program has made unreadable, and never lowers its version", async () => {
  await using opened = await openTestStore({ changesIndexes: true });
  const { db, store, url } = opened;
  const marks = db.collection<{ _id: string; version: number; oldestProgram: number }>("ledger");
  const mark = await marks.findOne({ _id: "ledger" });
  assert.equal(mark?.version, LEDGER_VERSION);
  await marks.updateOne({ _id: "ledger" }, { $set: { version: 9 } });
  await (await openStore({ url }))[Symbol.asyncDispose]();
  await marks.updateOne({ _id: "ledger" }, { $set: { oldestProgram: 9 } });
  await assert.rejects(
    openStore({ url }),
    /Cannot open database ".+": its documents are of version 9/,
  );
  await assert.rejects(openStore({ url, migrating: true }), ({ message, cause }: Error) => {
    assert.match(message, /too old for them/);
    return cause instanceof LedgerVersionError;
  });
  await store.ensureIndexes();
  assert.equal((await marks.findOne({ _id: "ledger" }))?.version, 9);
});
