import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { loginHider } from "./hide_login.ts";

const login = { user: "shop", password: "Canary 5.7.8+pass" };
const encoded = (text: string) => Buffer.from(text).toString("base64");

test("loginHider() removes the password from a reply, in every form in which it was sent", () => {
  const plain = encoded(`\0shop\0${login.password}`);
  const said = `535 5.7.8 no: AUTH PLAIN ${plain}, ${encoded(login.password)}, ${login.password}`;
  assert.equal(
    loginHider(login)(said).replaceAll("=", ""),
    "535 5.7.8 no: AUTH PLAIN [password], [password], [password]",
  );
});

test("loginHider() removes the initial responses that contain an access token", () => {
  for (const start of ["user=shop", "n,a=shop,"]) {
    const sent = encoded(`${start}\x01auth=Bearer ${login.password}\x01\x01`);
    const said = loginHider(login)(`535 5.7.3 no: AUTH ${sent}`);
    assert.equal(said.replaceAll("=", ""), "535 5.7.3 no: AUTH [password]");
  }
});

test("loginHider() leaves codes alone, and everything without a login", () => {
  assert.equal(loginHider({ ...login, password: "5" })("535 5.7.8 wrong"), "535 5.7.8 wrong");
  assert.equal(loginHider(null)("250 ok"), "250 ok");
});
