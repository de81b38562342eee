/**
 * Prints every Secret that the overlays refer to, with fresh passwords and keys, as one JSON list:
 *
 * ```sh
 * npm run --silent secrets | kubectl apply -f -                     # cert-manager makes the certificates
 * npm run --silent secrets -- --certificates | kubectl apply -f -   # openssl makes them here
 * ```
 *
 * It suits a trial as it is. For production, run it once, into the store of your Secrets: a second run
 * generates other keys, and data sealed or encrypted under the first keys is lost without them.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import process from "node:process";
import { BROKER_USERS } from "@posthaste/messaging";
import { DATABASE_USERS, readMasterKeys, sealingKeyOf, writeSealingKey } from "@posthaste/storage";
import { makeCertificates } from "./make_certificates.ts";
import { passwordVariableOf } from "./nats_accounts.ts";

/** Secrets by name, and their values by key. */
export type Secrets = Record<string, Record<string, string>>;

const NAMESPACE = "posthaste";
const CA = "/run/secrets/posthaste/ca.crt";
const MONGODB_HOSTS = [0, 1, 2].map((n) => `mongodb-${n}.mongodb.${NAMESPACE}.svc:27017`).join(",");

/** Makes all Secrets but the certificates. */
export function makeSecrets(): Secrets {
  const broker = passwordsOf(["operator", ...BROKER_USERS]);
  const database = passwordsOf(["operator", ...DATABASE_USERS]);
  const masterKey = `k1:${randomBytes(32).toString("base64")}`;
  const webhookKey = `k1:${randomBytes(32).toString("base64")}`;
  const apiPrefix = `OPERATOR.${newPassword()}`;
  const connections = (user: string): Record<string, string> => ({
    NATS_URL: natsUrl(user, broker[user] as string),
    // The pdf service has no user there.
    ...(user in database ? { MONGODB_URL: mongodbUrl(user, database[user] as string) } : {}),
  });
  return {
    "nats-server": {
      "secrets.conf": [
        ...Object.entries(broker).map(([user, password]) =>
          `${passwordVariableOf(user as "operator")}: "${password}"`
        ),
        `JETSTREAM_KEY: "${newPassword()}"`,
        `OPERATOR_API: "${apiPrefix}.>"`,
        "",
      ].join("\n"),
    },
    "mongodb-keyfile": { keyfile: newPassword() },
    "mongodb-users": { "users.json": JSON.stringify(database) },
    ...Object.fromEntries(BROKER_USERS.map((user) => [`${user}-connections`, connections(user)])),
    "operator-connections": {
      ...connections("operator"),
      NATS_URL: `${natsUrl("operator", broker["operator"] as string)}&api=${apiPrefix}`,
    },
    "master-key": { MASTER_KEY: masterKey },
    "webhook-key": { WEBHOOK_KEY: webhookKey },
    "dashboard-secrets": {
      SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(masterKey))),
      WEBHOOK_SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(webhookKey))),
      SETUP_CODE: randomBytes(6).toString("hex"),
      SECOND_FACTOR_KEY: randomBytes(32).toString("base64"),
    },
  };
}

function natsUrl(user: string, password: string): string {
  return `tls://${user}:${password}@nats.${NAMESPACE}.svc:4222?ca=${CA}`;
}

function mongodbUrl(user: string, password: string): string {
  return `mongodb://${user}:${password}@${MONGODB_HOSTS}/posthaste` +
    `?replicaSet=rs0&authSource=admin&tls=true&tlsCAFile=${encodeURIComponent(CA)}`;
}

function passwordsOf(users: readonly string[]): Record<string, string> {
  return Object.fromEntries(users.map((user) => [user, newPassword()]));
}

// Of digits without a special meaning in an address, a configuration file or a shell.
function newPassword(): string {
  return randomBytes(24).toString("hex");
}

if (import.meta.main) {
  const secrets = makeSecrets();
  if (process.argv.includes("--certificates")) Object.assign(secrets, await makeCertificates());
  const items = Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: NAMESPACE },
    stringData,
  }));
  process.stdout.write(`${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2)}\n`);
}
