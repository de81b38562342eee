import { readFileSync } from "node:fs";
import { CommandError, usageError } from "./command_error.ts";
import { EXIT } from "./exit_code.ts";
import { type StackFile, stackFileSchema } from "./stack_file.ts";

/** Variables of an environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Default address of the HTTP interface. */
export const DEFAULT_URL = "http://127.0.0.1:8080/v1";

const SECRET: ReadonlySet<string> = new Set([
  "MONGODB_URL",
  "NATS_URL",
  "MASTER_KEY",
  "WEBHOOK_KEY",
  "POSTHASTE_TOKEN",
]);

/** With one of these, the demonstration is not used. */
const CONNECTIONS = ["MONGODB_URL", "NATS_URL", "MASTER_KEY", "SEALING_KEY", "WEBHOOK_KEY"];

/** Where {@linkcode Settings} come from. */
export interface SettingsOptions {
  env: Env;
  /** Written by `npm start` while the demonstration runs. */
  stackFile: string;
  /** Informs the operator that the demonstration is in use. */
  note(text: string): void;
}

/**
 * The servers that commands connect to: from the environment or, without settings there, the demonstration
 * that `npm start` runs. The two are never mixed: a password of production must not be sealed with the
 * demonstration's key, and its token goes to no other server.
 */
export class Settings {
  readonly #env: Env;
  readonly #options: SettingsOptions;
  #stack: StackFile | null | undefined;
  #isNoted = false;

  constructor(options: SettingsOptions) {
    this.#env = options.env;
    this.#options = options;
  }

  /** Connection string of the database. */
  get mongodbUrl(): string {
    return this.#connection("MONGODB_URL", (stack) => stack.mongodbUrl);
  }

  /** Address of the broker. */
  get natsUrl(): string {
    return this.#connection("NATS_URL", (stack) => stack.natsUrl);
  }

  /** The master keys, as `readMasterKeys` takes them. */
  get masterKey(): string {
    return this.#connection("MASTER_KEY", ({ masterKeyFile }) => {
      if (masterKeyFile === undefined) {
        throw usageError('Cannot read the master key: the demonstration has no "masterKeyFile"');
      }
      return readFileSync(masterKeyFile, "utf8").trim();
    });
  }

  /** The keys that open the secrets of webhook endpoints, or `undefined`. The demonstration's is not read. */
  get webhookKey(): string | undefined {
    return this.#read("WEBHOOK_KEY");
  }

  /** The public key that passwords are sealed to, or `undefined`: it follows from the master keys. */
  get sealingKey(): string | undefined {
    return this.#read("SEALING_KEY");
  }

  /** Where mails show stored images from, as the renderer has it; `undefined` if mails carry them. */
  get assetsUrl(): string | undefined {
    return this.#read("ASSETS_URL");
  }

  /** Secrets that the environment holds: none of them may be printed. */
  get secrets(): string[] {
    return [...SECRET].flatMap((name) => this.#env[name] ?? []);
  }

  /** The demonstration's account, if its database is used. */
  get accountId(): string | undefined {
    return this.#stackForConnections()?.accountId;
  }

  /** Returns the address of the HTTP interface, and its token. */
  http(given: { url?: string | undefined; tokenFile?: string | undefined }) {
    const url = given.url ?? this.#read("POSTHASTE_URL");
    const token = given.tokenFile === undefined
      ? this.#read("POSTHASTE_TOKEN")
      : readSecret("the token file", given.tokenFile);
    if (url === undefined && token === undefined) {
      const stack = this.#useStack();
      if (stack) return { url: stack.apiUrl, token: stack.token };
    }
    if (token !== undefined) return { url: url ?? this.#urlOf(token), token };
    throw usageError(
      `Cannot call the HTTP interface: there is no access token${this.#absence()}`,
      'set POSTHASTE_TOKEN or --token-file ("posthaste tokens create" creates a token), ' +
        `or ${START}`,
    );
  }

  /** The demonstration's token may be exported, and its port another one: npm start prints both. */
  #urlOf(token: string): string {
    const stack = readStack(this.#options.stackFile);
    return stack?.token === token ? stack.apiUrl : DEFAULT_URL;
  }

  /** Where management by token is, and the token for it. The demonstration has none. */
  manage(given: { url?: string | undefined; tokenFile?: string | undefined }) {
    const url = given.url ?? this.#read("POSTHASTE_URL");
    const token = given.tokenFile === undefined
      ? this.#read("POSTHASTE_TOKEN")
      : readSecret("the token file", given.tokenFile);
    if (url !== undefined && token !== undefined) return { url: manageUrlOf(url), token };
    const missing = url === undefined ? "POSTHASTE_URL" : "POSTHASTE_TOKEN";
    throw usageError(
      `Cannot reach the account: ${missing} is not set`,
      url === undefined
        ? "set POSTHASTE_URL or --url to where /manage/v1 is, such as https://mail.example.com"
        : "set POSTHASTE_TOKEN or --token-file; the dashboard makes tokens that manage templates",
    );
  }

  /** Returns what to do when a server does not answer: `otherwise`, unless it is the demonstration. */
  remedy(otherwise: string): string {
    if (!this.#stack) return otherwise;
    return `${START}: "${this.#options.stackFile}" may be from an earlier start`;
  }

  #connection(name: string, fromStack: (stack: StackFile) => string): string {
    const value = this.#read(name);
    if (value !== undefined) return value;
    const stack = this.#stackForConnections();
    if (stack !== null) return fromStack(stack);
    throw usageError(
      `Cannot connect: ${name} is not set${this.#absence()}`,
      this.#stack === null
        ? `set ${name}, or ${START}`
        : `also set ${name}: the demonstration is used only when none of these settings is set`,
    );
  }

  /** Returns that there is no demonstration, if it was searched for. */
  #absence(): string {
    if (this.#stack !== null) return "";
    return `, and "npm start" has not written "${this.#options.stackFile}"`;
  }

  #stackForConnections(): StackFile | null {
    const isSet = CONNECTIONS.some((name) => this.#read(name));
    return isSet ? null : this.#useStack();
  }

  #useStack(): StackFile | null {
    const { stackFile, note } = this.#options;
    this.#stack ??= readStack(stackFile);
    if (this.#stack !== null && !this.#isNoted) {
      this.#isNoted = true;
      note("Using the demonstration that npm start runs");
    }
    return this.#stack;
  }

  /** A secret may lie in a file that `<NAME>_FILE` names, as for the services. */
  #read(name: string): string | undefined {
    const value = this.#env[name]?.trim() || undefined;
    const file = SECRET.has(name) ? this.#env[`${name}_FILE`]?.trim() || undefined : undefined;
    if (file === undefined) return value;
    if (value === undefined) return readSecret(`${name}_FILE`, file);
    throw usageError(`Cannot choose ${name}: ${name}_FILE is also set`, "unset one");
  }
}

/** Returns the base of management for any base of the same host. */
function manageUrlOf(url: string): string {
  return `${url.replace(/\/+$/, "").replace(/(?:\/manage)?\/v1$/, "")}/manage/v1`;
}

const START = 'start the demonstration with "npm start" and the same DATA_DIR';

function readStack(file: string): StackFile | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return null;
  }
  try {
    return stackFileSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CommandError(`Cannot use the demonstration: "${file}" was not written by npm start`, {
      exitCode: EXIT.failed,
      remedy: 'run "npm start" again, or remove the file',
      cause,
    });
  }
}

function readSecret(name: string, file: string): string {
  let reason = "it is empty";
  try {
    const text = readFileSync(file, "utf8").trim();
    if (text !== "") return text;
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  throw usageError(`Cannot read ${name} "${file}": ${reason}`);
}
