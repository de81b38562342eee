import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MAX_CSV_LINES,
  readSuppressionCsv,
  SUPPRESSION_CSV_HEAD,
  suppressionCsvLine,
} from "./suppression_csv.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const read = (text: string) => readSuppressionCsv(text, NOW);
const emailsIn = (text: string) => read(text).addresses.map(({ email }) => email);

test("readSuppressionCsv() reads one address a line, and files with named columns", () => {
  assert.deepEqual(emailsIn("a@example.com\n\nb@example.com\r\n"), [
    ..."a@example.com,b@example.com".split(","),
  ]);
  const text =
    '\u{feff}Name;E-Mail;expiresAt\r\n"Ann; of B";ann@example.com;2027-01-02T03:04:05Z\r\n';
  assert.deepEqual(read(text).addresses, [{
    ...{ line: 2, email: "ann@example.com", expiresAt: new Date("2027-01-02T03:04:05Z") },
  }]);
  assert.deepEqual(emailsIn("name\temail\nx\ta@example.com"), ["a@example.com"]);
  assert.deepEqual(emailsIn(""), []);
});

test("readSuppressionCsv() names invalid lines by their number, after line breaks in quotes too", () => {
  const { addresses, invalid } = read(
    'email,note,expires\na@example.com,"two\nlines",\nnot one,,\n' +
      'b@example.com,,yesterday\nc@example.com,,2026-02-28T00:00:00Z\n,x,\n"d@example.com\n',
  );
  assert.deepEqual(addresses.map(({ email, line }) => [email, line]), [["a@example.com", 2]]);
  assert.deepEqual(invalid.map(({ line }) => line), [4, 5, 6, 7, 8]);
  assert.match(invalid[0]?.message ?? "", /^the address must not contain blanks/);
  assert.match(invalid[1]?.message ?? "", /^expiresAt must be a time such as/);
  assert.equal(invalid[2]?.message, "expiresAt is in the past");
  assert.match(invalid[3]?.message ?? "", /must not be empty/);
});

test("readSuppressionCsv() takes an address once, regardless of case", () => {
  assert.deepEqual(emailsIn("A@example.com\na@example.com\n"), ["A@example.com"]);
});

test("readSuppressionCsv() refuses a file with too many lines, in little time", () => {
  assert.equal(emailsIn(`a@example.com\n${"\n".repeat(MAX_CSV_LINES - 1)}`).length, 1);
  assert.throws(() => read("x\n".repeat(MAX_CSV_LINES * 20)), /more than 50000 lines/);
  assert.deepEqual(read(`"${'""'.repeat(500_000)}`).addresses, []);
});

test("suppressionCsvLine() writes no formulas, and readSuppressionCsv() reads what it wrote", () => {
  const emails = [
    "=cmd@example.com",
    "+1@example.com",
    "-x@example.com",
    "'q@example.com",
    "o'k@x.de",
  ];
  const lines = emails.map((email) =>
    suppressionCsvLine({
      ...{ _id: "x", accountId: "acc_1", email, reason: "hard_refusal", at: NOW },
      ...{ reply: { code: 550, enhanced: "5.1.1" }, messageId: "msg_1" },
      expiresAt: new Date("2027-01-02T03:04:05Z"),
    })
  );
  for (const line of lines.slice(0, 4)) assert.match(line, /^'/);
  assert.equal(
    lines[0],
    "'=cmd@example.com,hard_refusal,2026-03-01T00:00:00.000Z,2027-01-02T03:04:05.000Z,550 5.1.1,msg_1\r\n",
  );
  const { addresses, invalid } = read(`${SUPPRESSION_CSV_HEAD}${lines.join("")}`);
  assert.deepEqual([addresses.map(({ email }) => email), invalid], [emails, []]);
  assert.equal(addresses[0]?.expiresAt?.getUTCFullYear(), 2027);
});
