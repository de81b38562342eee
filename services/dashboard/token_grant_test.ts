import assert from "node:assert/strict";
import { test } from "node:test";
import { type Granted, grantedLimits, grantFaults } from "./token_grant.ts";

const NONE = { addresses: [], templates: [], integrations: [] };
const OWN: Granted = {
  ...{ scopes: ["manage:tokens", "send", "read"], expiresAt: new Date(2_000) },
  ...{ ...NONE, templates: [1, 2] },
};
const PART: Granted = { ...OWN, scopes: ["send"] };

test("grantFaults() allows a token to pass on a part of its rights", () => {
  assert.deepEqual(grantFaults(OWN, PART), []);
  assert.deepEqual(grantFaults(OWN, { ...PART, expiresAt: new Date(1_000), templates: [2] }), []);
  assert.deepEqual(grantFaults({ ...OWN, expiresAt: null }, { ...PART, expiresAt: null }), []);
});

test("grantFaults() finds more scopes, a later end and wider limits", () => {
  const pathsOf = (wanted: Partial<Granted>) =>
    grantFaults(OWN, { ...PART, ...wanted }).map(({ path }) => path);
  assert.deepEqual(pathsOf({ scopes: ["render"] }), ["scopes"]);
  assert.deepEqual(pathsOf({ expiresAt: null }), ["expiresAt"]);
  assert.deepEqual(pathsOf({ expiresAt: new Date(2_001), templates: [] }), ["expiresAt", "limits"]);
  assert.deepEqual(pathsOf({ templates: [3] }), ["limits"]);
});

test("grantFaults() leaves manage scopes to people, even if the token has them itself", () => {
  const [fault] = grantFaults(OWN, { ...PART, scopes: ["send", "manage:tokens"] });
  assert.deepEqual([fault?.path, fault?.isForPeople], ["scopes", true]);
});

test("grantedLimits() returns the limits of the creating token where none are requested", () => {
  const own = { ...OWN, addresses: ["203.0.113.7"] } as never;
  const limits = grantedLimits(own, { ...NONE, templates: [2] });
  assert.deepEqual(limits, { addresses: ["203.0.113.7"], templates: [2], integrations: [] });
  assert.deepEqual(grantedLimits(null, NONE), NONE);
});
