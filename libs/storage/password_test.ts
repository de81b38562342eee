import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword, isOutdated, passwordFault, verifyPassword } from "./password.ts";

const CHEAP = { memory: 64, passes: 2, parallelism: 1 };

test("hashPassword() returns a PHC string with OWASP's costs, and another salt each time", async () => {
  const [a, b] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  assert.match(a, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(a, b);
  assert.doesNotMatch(a, /correct/);
});

test("verifyPassword() accepts only the right password, in any normalisation of its letters", async () => {
  const stored = await hashPassword("Zürich is lovely");
  assert.equal(await verifyPassword("Zu\u0308rich is lovely", stored), true);
  for (const wrong of ["Zurich is lovely", "zürich is lovely", "Zürich is lovely ", ""]) {
    assert.equal(await verifyPassword(wrong, stored), false, wrong);
  }
});

test("verifyPassword() reads a hash of argon2's reference implementation", async () => {
  // From test.c of github.com/P-H-C/phc-winner-argon2: "password", salt "somesalt", m=2^16, t=2, p=1.
  const stored =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await verifyPassword("password", stored), true);
  assert.equal(await verifyPassword("passwort", stored), false);
});

test("verifyPassword() refuses a text that is no stored password, and reveals nothing of it", async () => {
  for (
    const stored of [
      "",
      "plain secret",
      "$argon2i$v=19$m=64,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c",
    ]
  ) {
    await assert.rejects(verifyPassword("x", stored), (error: Error) => {
      assert.ok(error instanceof TypeError);
      return !/secret|CTFh/.test(error.message);
    });
  }
});

test("isOutdated() finds hashes of a lower cost than passwords have now", async () => {
  const stored = await hashPassword("correct horse", CHEAP);
  assert.equal(isOutdated(stored, CHEAP), false);
  for (const name of ["memory", "passes", "parallelism"] as const) {
    assert.equal(isOutdated(stored, { ...CHEAP, [name]: CHEAP[name] + 1 }), true, name);
    assert.equal(isOutdated(stored, { ...CHEAP, [name]: CHEAP[name] - 1 }), false, name);
  }
});

test("passwordFault() requires 12 to 200 characters that are not the address", async () => {
  const faultOf = async (password: string, email = "a@b.example") =>
    await passwordFault(password, email) ?? "";
  assert.match(await faultOf("elevenchars"), /at least 12/);
  assert.equal(await faultOf("twelve chars"), "");
  assert.equal(await faultOf("🔑🐎🔋".repeat(60) + "and more words"), "");
  assert.match(await faultOf("x".repeat(201)), /more than 200/);
  assert.match(await faultOf(" Jane@shop.Example", "jane@shop.example"), /address/);
});

test("passwordFault() refuses common passwords, and combinations of them", async () => {
  const common = [
    ...["passwordpassword", "Password1234", "P@ssw0rd123!!", "123456789012", "aaaaaaaaaaaa"],
    ...["qwertyuiop12", "letmeinletmein", "abcdefghijkl", "iloveyou2024", "x".repeat(200)],
  ];
  for (const password of common) {
    assert.match(await passwordFault(password, "a@b.example") ?? "", /easy to guess/, password);
  }
  for (const password of ["correct horse battery", "kd8f03jf9s0d", "four words are enough"]) {
    assert.equal(await passwordFault(password, "a@b.example"), undefined, password);
  }
});
