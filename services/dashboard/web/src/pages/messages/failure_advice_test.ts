import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceOf, type Failure } from "./failure_advice.ts";

const REFUSED = "The SMTP server refused the recipient address";
const LATER = "The SMTP server did not accept the recipient address for now";
const BY_CAUSE: readonly (readonly [name: string, cause: Partial<Failure>, advice: RegExp])[] = [
  ["a full mailbox", { code: 552, enhanced: "5.2.2" }, /mailbox is full/],
  ["an unknown user", { code: 550, enhanced: "5.1.1" }, /Correct it, or add it to the suppressed/],
  ["a closed mailbox", { code: 550, enhanced: "5.2.1" }, /Correct it/],
  ["a sender without a domain", { code: 553, enhanced: "5.1.8" }, /sender address/],
  ["a policy", { code: 550, enhanced: "5.7.1" }, /SPF and its DKIM/],
  ["a missing proof of the sender", { code: 550, enhanced: "5.7.26" }, /SPF and its DKIM/],
  ["a login by its status", { code: 535, enhanced: "5.7.8" }, /login of the integration/],
  [
    "a login without a status",
    { reason: "The SMTP server refused the user name or the password" },
    /login of the integration/,
  ],
  [
    "a login that is missing",
    { code: 530, enhanced: "5.7.0", reason: "The SMTP server requires authentication" },
    /login of the integration/,
  ],
  ["a refused sender", { reason: "The SMTP server refused the sender address" }, /may send from/],
  [
    "a size that is refused with the sender",
    { enhanced: "5.3.4", reason: "The SMTP server refused the sender address" },
    /smaller attachments/,
  ],
  ["greylisting", { state: "deferred", code: 450, enhanced: "4.7.1", reason: LATER }, /^Wait/],
  ["greylisting without a status", { state: "deferred", code: 451, reason: LATER }, /delay/],
  ["any delay", { state: "deferred", code: 421, reason: LATER }, /^Wait/],
  ["a size by its status", { code: 552, enhanced: "5.3.4" }, /smaller attachments/],
  [
    "a size that is known before",
    { reason: "The mail is larger than the SMTP server allows" },
    /smaller attachments/,
  ],
  [
    "a template",
    { reason: "The template could not be filled: 'name' is missing" },
    /template and the variables/,
  ],
  ["a PDF", { reason: "A PDF could not be printed: it hung" }, /template and the variables/],
  ["an unknown outcome", { state: "unknown", code: 250, reason: "Lost" }, /before you send it/],
];

for (const [name, cause, advice] of BY_CAUSE) {
  test(`adviceOf() says what to do about ${name}`, () => {
    const failure = { state: "failed", reason: REFUSED, code: null, enhanced: null } as const;
    assert.match(adviceOf({ ...failure, ...cause }) ?? "", advice);
  });
}

test("adviceOf() returns null if the cause says too little, or nothing failed", () => {
  const reply = { reason: REFUSED, code: 550, enhanced: null };
  assert.equal(adviceOf({ state: "failed", ...reply }), null);
  assert.equal(adviceOf({ state: "sent", reason: null, code: 250, enhanced: "2.0.0" }), null);
});
