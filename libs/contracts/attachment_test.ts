import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { encodedBytes, isBlockedFile } from "./mail_file.ts";
import { sendBodySchema } from "./send_request.ts";

const FILE = { content: "aGk=", filename: "terms.pdf", contentType: "application/pdf" };

/** Returns every fault of a recipient's attachments, or of those for all, as `path: message`. */
function faultsOf(attachments: unknown, isCommon = false): string[] {
  const common = isCommon ? { attachments } : {};
  const to = [{ email: "ann@example.com", ...(isCommon ? {} : { attachments }) }];
  const { error } = sendBodySchema().safeParse({ from: { email: "a@example.com" }, to, ...common });
  const skipped = isCommon ? "attachments." : "to.0.attachments.";
  return (error?.issues ?? []).map(({ path, message }) =>
    `${path.join(".").replace(skipped, "")}: ${message}`
  );
}

test("sendBodySchema() accepts a PDF, a file, or the name of a kept one, and only files for everyone", () => {
  const files = [FILE, { asset: "logo", contentId: "logo" }, { ...FILE, contentId: "a.b-c" }];
  assert.deepEqual(faultsOf([{ id: 1, filename: "a.pdf", variables: {} }, ...files]), []);
  assert.deepEqual(faultsOf(files, true), []);
  assert.match(faultsOf([{ id: 1 }], true).join(), /: Unrecognized key: "id"/);
  assert.match(faultsOf([{}], true).join(), /0.content: is required/);
});

test("sendBodySchema() accepts exactly one of id, content and asset, and the fields that belong to it", () => {
  assert.deepEqual(faultsOf([{}]), ["0.id: is required"]);
  assert.deepEqual(faultsOf([{ id: 1, ...FILE }]), [
    "0.content: must not be given with id",
    "0.contentType: must not be given with id",
  ]);
  assert.deepEqual(faultsOf([{ ...FILE, asset: "logo", variables: {} }]), [
    "0.asset: must not be given with content",
    "0.variables: must not be given with content",
  ]);
  assert.deepEqual(faultsOf([{ content: "aGk=" }]), [
    "0.filename: is required",
    "0.contentType: is required",
  ]);
  assert.deepEqual(faultsOf([{ id: 1, contentId: "x" }]), [
    "0.contentId: must not be given with id",
  ]);
});

test("sendBodySchema() accepts canonical base64, and types that are valid in a header", () => {
  for (const content of ["aGk", "aGk=\r\n", "a-_=", "====", "a===", "aGk=aGk="]) {
    assert.match(faultsOf([{ ...FILE, content }]).join(), /must be base64/, content);
  }
  assert.match(faultsOf([{ ...FILE, content: "" }]).join(), /must not be empty/);
  for (
    const contentType of ["text/csv; charset=utf-8", "image/svg+xml", "application/vnd.a.b-c+d"]
  ) {
    assert.deepEqual(faultsOf([{ ...FILE, contentType }]), [], contentType);
  }
  for (
    const contentType of [
      "pdf",
      "a/b\r\nBcc: x@example.com",
      'a/b; name="x"',
      "multipart/mixed",
      "message/rfc822",
    ]
  ) {
    assert.equal(faultsOf([{ ...FILE, contentType }]).length, 1, contentType);
  }
  for (const contentId of ["a>", "a b", "a@b", "", "x".repeat(65), "a\r\nb"]) {
    assert.equal(faultsOf([{ ...FILE, contentId }]).length, 1, contentId);
  }
});

test("isBlockedFile() recognises executable files, however their names are written", () => {
  const blocked = [
    "a.exe",
    "a.EXE",
    "a.pdf.js",
    "a.js.",
    "a.js . ",
    "a.ｅｘｅ",
    "a.e\u202exe",
    ...["a.exe\u3164", "a.exe\ufe0f", "a.exe\u2800", "a.exe::$DATA", "a.scr;", 'a.exe".', "a.ex_"],
    "a.scr\u00a0",
  ];
  for (const name of blocked) assert.ok(isBlockedFile(name), JSON.stringify(name));
  for (const name of ["exe", "a.pdf", "a.json", "js.txt", "a.exe.zip", "a."]) {
    assert.ok(!isBlockedFile(name), name);
  }
  assert.match(
    faultsOf([{ ...FILE, filename: "a.exe" }]).join(),
    /ending that mail servers refuse/,
  );
  assert.match(faultsOf([{ asset: "logo", filename: "a.js" }]).join(), /ending that mail servers/);
});

test("the ending of a file name is judged in time proportional to its length", async () => {
  const judge = (sign: string, length: number) => () =>
    faultsOf([{ ...FILE, filename: `a.${sign.repeat(length)}a` }]);
  for (const sign of ["!", "\u00a0", ".", "\ufb2c", "::$DATA"]) {
    assert.match(judge(sign, 4_000)().join(), /must not exceed 200 characters/);
    const ratio = await cpuRatio(judge(sign, 32_000), judge(sign, 4_000), { runs: 3, below: 24 });
    assert.ok(ratio < 24, `${sign}: ${ratio} times as long for 8 times as much`);
  }
});

test("encodedBytes() returns the size of a file in a mail", () => {
  assert.deepEqual([0, 1, 3, 57, 58].map(encodedBytes), [0, 6, 6, 78, 84]);
});
