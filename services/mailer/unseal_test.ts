import { INTEGRATION_PASSWORD, readMasterKeys, sealSecret } from "@posthaste/storage";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { integrationOf } from "./_test_integration.ts";
import { unsealer } from "./unseal.ts";

const KEYS = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
const OTHER_KEYS = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);

function withLogin(method: "PLAIN" | "LOGIN" | null = null) {
  const binding = { accountId: "acc_1", recordId: "acc_1/4", field: INTEGRATION_PASSWORD };
  const password = sealSecret("s3cret", { ...binding, keys: KEYS });
  return integrationOf({ auth: { user: "shop", password, method } });
}

test("unsealer() opens an integration's password and leaves out what SMTP need not know", () => {
  assert.deepEqual(unsealer(KEYS)(withLogin("LOGIN")), {
    key: "acc_1/4",
    host: "smtp.example.com",
    port: 587,
    tls: "starttls",
    maxConnections: 5,
    allowInvalidCertificate: false,
    auth: { user: "shop", password: "s3cret", method: "LOGIN" },
  });
});

test("unsealer() leaves the method to the server where the integration names none", () => {
  assert.deepEqual(unsealer(KEYS)(withLogin()).auth, { user: "shop", password: "s3cret" });
});

test("unsealer() takes an integration without a login as it is", () => {
  assert.equal(unsealer(KEYS)(integrationOf()).auth, null);
});

test("unsealer() opens the same document once, and a new one again", () => {
  const unseal = unsealer(KEYS);
  const integration = withLogin();
  assert.equal(unseal(integration), unseal(integration));
  assert.notEqual(unseal(integration), unseal({ ...integration }));
});

test("unsealer() throws without the password or a key in its message when it does not open", () => {
  const { auth } = withLogin();
  const moved = integrationOf({ _id: "acc_1/5", auth });
  for (const [keys, integration] of [[OTHER_KEYS, withLogin()], [KEYS, moved]] as const) {
    assert.throws(() => unsealer(keys)(integration), (error: Error) => {
      assert.match(error.message, /^Cannot open secret "auth.password" of "acc_1\/\d"/);
      return !error.message.includes("s3cret");
    });
  }
});
