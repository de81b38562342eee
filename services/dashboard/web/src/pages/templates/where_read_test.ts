import assert from "node:assert/strict";
import { test } from "node:test";
import { whereRead } from "./where_read.ts";

const MJML = "\n<mjml></mjml>";

test("whereRead() names the parts of a mail, and the line if a part has several", () => {
  const mail = { isEmail: true, html: MJML };
  assert.equal(
    whereRead({ usedIn: ["html", "text"], line: 4 }, mail),
    "MJML (first in line 4), text",
  );
  assert.equal(whereRead({ usedIn: ["subject", "html"], line: 1 }, mail), "subject, MJML");
});

test("whereRead() returns the line of a document's body, not of its file name", () => {
  const document = { isEmail: false, html: "<p>" };
  const both = whereRead({ usedIn: ["subject", "html"], line: 9 }, document);
  assert.equal(both, "file name, HTML (first in line 9)");
  assert.equal(whereRead({ usedIn: ["subject"], line: 1 }, document), "file name");
});
