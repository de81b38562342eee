import assert from "node:assert/strict";
import { test } from "node:test";
import { maskText } from "./mask_text.ts";
import { hideSecrets, rememberSecrets } from "./known_secrets.ts";

test("hideSecrets() removes the password of a connection string, however an error quotes it", () => {
  const password = "Can@ary/12:3456#";
  rememberSecrets([`mongodb://shop:${password}@db.example:27017/x`]);
  for (
    const quoted of [
      password,
      encodeURIComponent(password),
      `Unable to parse shop:${password} with URL`,
      "Invalid URL: ary/12:3456#@db.example",
      "getaddrinfo ENOTFOUND 12:3456#",
      "Invalid URL: shop:Can@ary",
    ]
  ) {
    assert.doesNotMatch(hideSecrets(quoted), /ary|3456/, quoted);
  }
  assert.equal(
    hideSecrets("connect ECONNREFUSED db.example:27017"),
    "connect ECONNREFUSED db.example:27017",
  );
});

test("hideSecrets() removes a password in the port's place, and a token without a user", () => {
  rememberSecrets(["mongodb://root:NoHostCanary", "nats://TokenCanary@broker.example:4222"]);
  assert.equal(hideSecrets("Unable to parse root:NoHostCanary"), "Unable to parse root:[redacted]");
  assert.equal(hideSecrets("as TokenCanary"), "as [redacted]");
});

test("hideSecrets() removes each of several keys, and maskText() does so too", () => {
  rememberSecrets(["new:TmV3S2V5TmV3S2V5TmV3S2V5=,old:T2xkS2V5T2xkS2V5T2xkS2V5="]);
  assert.equal(maskText("under T2xkS2V5T2xkS2V5T2xkS2V5= (old)"), "under [redacted] (old)");
});

test("rememberSecrets() hides no address of a connection string without a password, nor short texts", () => {
  rememberSecrets([
    "mongodb://first.example:27017,second.example:27018/?replicaSet=rs0",
    "nats://127.0.0.1:4222,nats://broker.example",
    "short",
  ]);
  const text = "short first.example:27017 second.example:27018 rs0 127.0.0.1:4222 broker.example";
  assert.equal(hideSecrets(text), text);
});
