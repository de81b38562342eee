import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BROKER_USERS, brokerAccounts } from "@posthaste/messaging";
import { DATABASE_USERS, readMasterKeys, sealingKeyOf, writeSealingKey } from "@posthaste/storage";

/** The addresses of the servers, from the services. */
export interface ServerNames {
  /** `mongo:27017` */
  mongodb: string;
  /** Name of the replica set. */
  replicaSet: string;
  /** `nats:4222` */
  nats: string;
}

/** Names of the files, without those of single users. */
export const SECRET_FILES = {
  masterKey: "master_key",
  sealingKey: "sealing_key",
  webhookKey: "webhook_key",
  webhookSealingKey: "webhook_sealing_key",
  secondFactorKey: "second_factor_key",
  replicaSetKey: "mongodb_key",
  brokerAccounts: "nats_accounts",
} as const;

/** Name of the file with a user's address of the database. */
export function mongodbFileOf(user: string): string {
  return `${user}_mongodb_url`;
}

/** Name of the file with a user's address of the broker. */
function natsFileOf(user: string): string {
  return `${user}_nats_url`;
}

/**
 * Generates the secrets of an installation into a folder, one file each; existing ones stay. The sealing keys
 * follow from the others, and the broker's accounts from the others and the permissions of this version:
 * these are written again each time. The folder is for its owner alone; its files are readable by the
 * containers that mount them.
 *
 * @returns the names of the files that were written
 * @throws {Error} If the folder cannot be written, or an address in it is none.
 */
export function writeSecretFiles(folder: string, servers: ServerNames): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const apiPrefix = `OPERATOR.${draw()}`;
  const drawn: [string, () => string][] = [
    [SECRET_FILES.masterKey, () => `k1:${randomBytes(32).toString("base64")}`],
    [SECRET_FILES.webhookKey, () => `k1:${randomBytes(32).toString("base64")}`],
    [SECRET_FILES.secondFactorKey, () => randomBytes(32).toString("base64")],
    [SECRET_FILES.replicaSetKey, () => randomBytes(48).toString("base64")],
    ...["operator", ...DATABASE_USERS].map((user) =>
      [mongodbFileOf(user), () => mongodbUrl(user, servers)] as [string, () => string]
    ),
    ["operator_nats_url", () => `nats://operator:${draw()}@${servers.nats}?api=${apiPrefix}`],
    ...BROKER_USERS.map((user) =>
      [natsFileOf(user), () => `nats://${user}:${draw()}@${servers.nats}`] as [string, () => string]
    ),
  ];
  const missing = drawn.filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, make] of missing) write(folder, name, make());
  writeSealingKeyFile(folder, SECRET_FILES.masterKey, SECRET_FILES.sealingKey);
  writeSealingKeyFile(folder, SECRET_FILES.webhookKey, SECRET_FILES.webhookSealingKey);
  write(folder, SECRET_FILES.brokerAccounts, accountsIn(folder));
  return [
    ...missing.map(([name]) => name),
    SECRET_FILES.sealingKey,
    SECRET_FILES.webhookSealingKey,
    SECRET_FILES.brokerAccounts,
  ];
}

/** Writes the public half of a key. */
function writeSealingKeyFile(folder: string, from: string, to: string): void {
  const keys = readMasterKeys(readSecretFileOf(folder, from));
  write(folder, to, writeSealingKey(sealingKeyOf(keys)));
}

/** Reads one of the files. */
export function readSecretFileOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8").trim();
}

/** The password in an address. */
export function passwordIn(url: string): string {
  const [, password] = /\/\/[^:@/]+:([^@/]+)@/.exec(url) ?? [];
  if (password === undefined) throw new Error("Cannot read a password: the URL has none");
  return decodeURIComponent(password);
}

function mongodbUrl(user: string, { mongodb, replicaSet }: ServerNames): string {
  return `mongodb://${user}:${draw()}@${mongodb}/posthaste?replicaSet=${replicaSet}&authSource=admin`;
}

function accountsIn(folder: string): string {
  const url = (user: string) => readSecretFileOf(folder, natsFileOf(user));
  const [, apiPrefix] = /\?api=(.+)$/.exec(url("operator")) ?? [];
  if (apiPrefix === undefined) {
    throw new Error('Cannot write the accounts of the broker: "operator_nats_url" has no "?api="');
  }
  const passwords = BROKER_USERS.map((user) => [user, passwordIn(url(user))] as const);
  const services = Object.fromEntries(passwords) as Record<typeof BROKER_USERS[number], string>;
  return brokerAccounts({ operator: passwordIn(url("operator")), services, apiPrefix });
}

// Of digits without a special meaning in an address.
function draw(): string {
  return randomBytes(24).toString("hex");
}

function write(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  // A read-only file can still be replaced.
  writeFileSync(`${file}.new`, `${text.trimEnd()}\n`, { mode: 0o444 });
  renameSync(`${file}.new`, file);
}
