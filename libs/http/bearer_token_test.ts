import assert from "node:assert/strict";
import { test } from "node:test";
import { bearerToken, requireScopes } from "./bearer_token.ts";

test("bearerToken() reads a token, and refuses other schemes and texts that can be none", () => {
  for (const scheme of ["Bearer", "bearer", "BEARER "]) {
    assert.equal(bearerToken({ authorization: `${scheme} ph_abc ` }), "ph_abc");
  }
  const bad = ["", "Bearer", "Bearer ", "Basic ph_abc", "Bearer a b", "Bearer é", "ph_abc"];
  for (const authorization of [...bad, undefined, `Bearer ${"a".repeat(257)}`]) {
    const headers = authorization === undefined ? {} : { authorization };
    assert.throws(() => bearerToken(headers), { code: "unauthenticated" }, authorization);
  }
});

test("requireScopes() refuses a token that lacks one of several scopes, and names it", () => {
  requireScopes(["send", "read"], ["read", "send"]);
  requireScopes([], []);
  assert.throws(() => requireScopes(["send"], ["send", "read"]), {
    code: "missing_scope",
    message: 'Cannot use this token here: it lacks the scope "read"',
  });
});
