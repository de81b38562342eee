import type { PartName } from "./stack.ts";

/** Name of a program of ours that runs as a process of its own. */
export type OwnPart = Exclude<PartName, "nats" | "mongod">;

/**
 * What Deno lets a service do: `deno run` refuses all that does not stand here. Hosts and folders are
 * given by the names of the settings that hold them, so that what is let is what is used.
 */
export interface DenoPermissions {
  /**
   * Settings with an address to dial or to listen at, or an address itself. `SMTP_PORTS` stands for
   * these ports of any IPv4 address.
   */
  net: readonly string[];
  /** Folders and files below the repository. The code itself needs no leave. */
  read?: readonly string[];
  /** What reads as not there, instead of being refused: packages look for it when they are loaded. */
  hidden?: readonly string[];
  /** Settings with a folder to read and write. */
  write?: readonly string[];
  /** Settings with a program to start, or its path below the repository. */
  run?: readonly string[];
  /** Questions about the machine. */
  sys: readonly string[];
  /** Variables that are read beside the service's settings and OpenTelemetry's. */
  env?: readonly string[];
}

/** What every service needs: to answer for its health, and to send telemetry where that is set. */
export const COMMON: Pick<DenoPermissions, "net"> = {
  net: ["HEALTH_PORT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
};

/** The MongoDB client tells the server what it runs on. */
const MONGODB_SYS = ["osRelease"] as const;

/** The permissions of each service beside those that every service has. */
export const DENO_PERMISSIONS: Readonly<Record<OwnPart, DenoPermissions>> = {
  api: { net: ["MONGODB_URL", "NATS_URL", "PORT"], sys: ["hostname", ...MONGODB_SYS] },
  renderer: {
    net: ["MONGODB_URL", "NATS_URL", "REMOTE_IMAGES"],
    // Starts the template sandbox, which may do nothing; nothing else can be started by it.
    run: ["libs/templating/_sandbox.sh"],
    sys: ["hostname", ...MONGODB_SYS],
    // Deno's own child_process looks at it.
    env: ["NODE_V8_COVERAGE"],
  },
  pdf: {
    // At the second listens what refuses all that Chromium asks for, on any free port.
    net: ["NATS_URL", "127.0.0.1:0"],
    read: ["node_modules", "CACHE_DIR"],
    hidden: ["/proc"],
    write: ["CACHE_DIR", "TMPDIR"],
    run: ["CHROMIUM_PATH", "services/pdf/_browser.sh", "services/pdf/_kill.sh"],
    sys: ["hostname", "uid"],
    env: ["TMPDIR", "NODE_V8_COVERAGE"],
  },
  mailer: {
    net: ["MONGODB_URL", "NATS_URL", "SMTP_PORTS", "EGRESS_ALLOW"],
    sys: ["hostname", ...MONGODB_SYS],
  },
  tracker: { net: ["MONGODB_URL", "NATS_URL"], sys: ["hostname", ...MONGODB_SYS] },
  dashboard: {
    net: ["MONGODB_URL", "NATS_URL", "PORT", "OIDC_ISSUER"],
    read: ["services/dashboard/web/dist"],
    // What serves its files counts the cores when it is loaded.
    sys: ["hostname", "cpus", ...MONGODB_SYS],
  },
  inbox: { net: ["SMTP_PORT", "WEB_PORT"], read: ["dev/inbox/page"], write: ["DATA_DIR"], sys: [] },
};
