import {
  bindPassword,
  INTEGRATION_DKIM_KEY,
  INTEGRATION_PASSWORD,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
} from "@posthaste/storage";
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { integrationOf } from "./_test_integration.ts";
import { unsealer } from "./unseal.ts";

const KEYS = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
const OTHER_KEYS = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);

const NO_TOKENS = {
  get: () => Promise.reject(new Error("no tokens")),
  replace: () => Promise.reject(new Error("no tokens")),
};

function withLogin(method: "PLAIN" | "LOGIN" | null = null) {
  const { host, port } = integrationOf();
  const binding = bindPassword({ accountId: "acc_1", recordId: "acc_1/4", host, port });
  const password = sealSecret("s3cret", { ...binding, key: sealingKeyOf(KEYS) });
  return integrationOf({ auth: { kind: "password", user: "shop", password, method } });
}

test("unsealer() opens an integration's password and leaves out fields that SMTP does not need", () => {
  assert.deepEqual(unsealer(KEYS, NO_TOKENS)(withLogin("LOGIN")), {
    key: "acc_1/4",
    owner: "acc_1",
    host: "smtp.example.com",
    port: 587,
    tls: "starttls",
    maxConnections: 5,
    allowInvalidCertificate: false,
    auth: { user: "shop", password: "s3cret", method: "LOGIN" },
  });
});

test("unsealer() leaves the method to the server if the integration names none", () => {
  assert.deepEqual(unsealer(KEYS, NO_TOKENS)(withLogin()).auth, {
    user: "shop",
    password: "s3cret",
  });
});

test("unsealer() accepts an integration without a login", () => {
  assert.equal(unsealer(KEYS, NO_TOKENS)(integrationOf()).auth, null);
});

test("unsealer() opens the same document once, and a new one again", () => {
  const unseal = unsealer(KEYS, NO_TOKENS);
  const integration = withLogin();
  assert.equal(unseal(integration), unseal(integration));
  assert.notEqual(unseal(integration), unseal({ ...integration }));
});

test("unsealer() throws without the password or a key in its message when it does not open", () => {
  const { auth } = withLogin();
  const copied = integrationOf({ _id: "acc_1/5", auth });
  const elsewhere = ["evil.example", "smtp.example.com.evil.example"].map((host) =>
    integrationOf({ host, auth })
  );
  const otherPort = integrationOf({ port: 2525, auth });
  const cases = [
    [OTHER_KEYS, withLogin()],
    ...[copied, ...elsewhere, otherPort].map((integration) => [KEYS, integration] as const),
  ] as const;
  for (const [keys, integration] of cases) {
    assert.throws(() => unsealer(keys, NO_TOKENS)(integration), (error: Error) => {
      assert.match(error.message, /^Cannot open secret "auth.password" of "acc_1\/\d"/);
      return !error.message.includes("s3cret");
    });
  }
});

function withDkim(enabled: boolean, field: string = INTEGRATION_DKIM_KEY) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const binding = { accountId: "acc_1", recordId: "acc_1/4", field };
  const dkim = {
    ...{ domain: "example.com", selector: "ph", publicKey: "", enabled },
    privateKey: sealSecret(pem, { ...binding, key: sealingKeyOf(KEYS) }),
  };
  return { privateKey, integration: integrationOf({ dkim }) };
}

test("unsealer() opens the DKIM key, if mail is signed", () => {
  const { privateKey, integration } = withDkim(true);
  const { dkim } = unsealer(KEYS, NO_TOKENS)(integration);
  assert.deepEqual([dkim?.domain, dkim?.selector], ["example.com", "ph"]);
  assert.ok(dkim?.privateKey.equals(privateKey));
  assert.equal(unsealer(KEYS, NO_TOKENS)(withDkim(false).integration).dkim, undefined);
});

test("unsealer() does not accept a password as a key", () => {
  const { integration } = withDkim(true, INTEGRATION_PASSWORD);
  assert.throws(
    () => unsealer(KEYS, NO_TOKENS)(integration),
    /Cannot open secret "dkim.privateKey"/,
  );
});
