import { dataDirOf } from "@posthaste/cli/data_dir";

/** Variables of an environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The parts with a port of their own, each with the setting for it. */
export const PORTS = {
  api: { setting: "API_PORT", purpose: "the interface", standard: 8080 },
  dashboard: { setting: "DASHBOARD_PORT", purpose: "the dashboard", standard: 8081 },
  inboxWeb: { setting: "INBOX_WEB_PORT", purpose: "the inbox's page", standard: 8025 },
  inboxSmtp: { setting: "INBOX_SMTP_PORT", purpose: "the inbox's SMTP", standard: 1025 },
  nats: { setting: "NATS_PORT", purpose: "the broker", standard: 14_222 },
  mongodb: { setting: "MONGODB_PORT", purpose: "the database", standard: 27_117 },
} as const;

/** Name of something that listens. */
export type PortName = keyof typeof PORTS;

/** Names of all parts that listen, in the order in which they are printed. */
export const PORT_NAMES = Object.keys(PORTS) as PortName[];

/** The settings of `npm start`. */
export interface Settings {
  isHelp: boolean;
  /** Whether every log record is shown. */
  isVerbose: boolean;
  /** Whether the data is removed first. */
  isReset: boolean;
  /** Whether nothing is asked. */
  isYes: boolean;
  /** Absolute path of the folder with all data. */
  dataDir: string;
  /** 0 is any free port; a server with a URL has none. */
  ports: Partial<Record<PortName, number>>;
}

/** `npm start` got wrong arguments; the message is for the person at the terminal. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const FLAGS = {
  "--help": "isHelp",
  "-h": "isHelp",
  "--verbose": "isVerbose",
  "-v": "isVerbose",
  "--reset": "isReset",
  "--yes": "isYes",
  "-y": "isYes",
} as const;

/**
 * Reads the arguments and the environment of `npm start`.
 *
 * @throws {UsageError} An argument is unknown, or a port is none.
 */
export function readSettings(args: readonly string[], env: Env, root: string): Settings {
  const flags = { isHelp: false, isVerbose: false, isReset: false, isYes: false };
  for (const arg of args) {
    const flag = FLAGS[arg as keyof typeof FLAGS];
    if (flag === undefined) {
      throw new UsageError(`Cannot start: there is no option "${arg}"; see npm start -- --help`);
    }
    flags[flag] = true;
  }
  return { ...flags, dataDir: dataDirOf(env, root), ports: readPorts(env) };
}

function readPorts(env: Env): Settings["ports"] {
  const ports: Settings["ports"] = {};
  const takenBy = new Map<number, string>();
  for (const name of PORT_NAMES) {
    if (name === "nats" && env["NATS_URL"]) continue;
    if (name === "mongodb" && env["MONGODB_URL"]) continue;
    const { setting, standard } = PORTS[name];
    const given = env[setting] || (name === "api" ? env["PORT"] : undefined);
    const port = given ? portOf(setting, given) : standard;
    const other = takenBy.get(port);
    if (port !== 0 && other !== undefined) {
      throw new UsageError(`Cannot start: ${other} and ${setting} are both ${port}`);
    }
    takenBy.set(port, setting);
    ports[name] = port;
  }
  return ports;
}

function portOf(setting: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`Cannot start: ${setting} is "${text}", which is not a port (0 to 65535)`);
}
