import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_STORED_SUBJECT, newSubjectKey, openSubject, sealSubject } from "./subject_box.ts";

const key = newSubjectKey();

test("openSubject() returns what sealSubject() was given, cut to its limit and never in a character", () => {
  for (const subject of ["Your invoice 42", "Größe 😀", "", "x".repeat(MAX_STORED_SUBJECT)]) {
    assert.equal(openSubject(sealSubject(subject, key), key), subject);
  }
  const cut = openSubject(
    sealSubject("x".repeat(MAX_STORED_SUBJECT - 1) + "😀 and more", key),
    key,
  );
  assert.equal(cut, "x".repeat(MAX_STORED_SUBJECT - 1));
});

test("sealSubject() hides a subject, and whether another is the same", () => {
  const [one, other] = [sealSubject("canary", key), sealSubject("canary", key)];
  assert.notEqual(one, other);
  assert.ok(!Buffer.from(one, "base64").includes("canary"));
});

test("openSubject() returns null without the key, with another one, and for damaged text", () => {
  const sealed = sealSubject("canary", key);
  assert.equal(openSubject(sealed, undefined), null);
  assert.equal(openSubject(sealed, newSubjectKey()), null);
  assert.equal(openSubject(undefined, key), null);
  for (const damaged of ["", "AAAA", sealed.slice(4), `${sealed.slice(0, -4)}AAAA`]) {
    assert.equal(openSubject(damaged, key), null, damaged);
  }
});
