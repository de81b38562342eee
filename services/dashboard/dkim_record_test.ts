import assert from "node:assert/strict";
import { test } from "node:test";
import { checkRecord, dkimRecord, newDkimPair } from "./dkim_record.ts";

const { publicKey } = await newDkimPair();
const record = dkimRecord({ domain: "example.com", selector: "ph", publicKey });
const other = dkimRecord({ ...await newDkimPair(), domain: "example.com", selector: "ph" });
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

test("checkRecord() accepts the record however it is split, spaced and ordered", async () => {
  const shapes = [
    [record.value],
    [record.value.slice(0, 255), record.value.slice(255)],
    [`k=rsa;v=DKIM1;p=${publicKey};`],
    [`v=DKIM1;  p= ${publicKey.slice(0, 90)} ${publicKey.slice(90)}`],
    [`p=${publicKey}`],
  ];
  for (const strings of shapes) {
    const check = await checkRecord(record, (name) => {
      assert.equal(name, "ph._domainkey.example.com");
      return Promise.resolve([strings]);
    });
    assert.equal(check.outcome, "published", strings.join(""));
  }
});

test("checkRecord() distinguishes a missing record, another key, two records, and no answer", async () => {
  const look = async (found: string[][]) => {
    const { outcome, detail } = await checkRecord(record, () => Promise.resolve(found));
    return `${outcome}: ${detail}`;
  };
  assert.match(await look([[other.value]]), /^different: .* has another key/);
  assert.match(await look([["v=spf1 -all"]]), /^different/);
  assert.match(await look([[`v=DKIM2; p=${publicKey}`]]), /^different/);
  assert.match(await look([[record.value], [other.value]]), /^different: There are 2 records/);
  for (const code of ["ENOTFOUND", "ENODATA"]) {
    assert.equal((await checkRecord(record, failing(code))).outcome, "missing");
  }
  for (const code of ["ETIMEOUT", "ESERVFAIL", "ECONNREFUSED"]) {
    const check = await checkRecord(record, failing(code));
    assert.deepEqual([check.outcome, check.found], ["unavailable", []]);
  }
});
