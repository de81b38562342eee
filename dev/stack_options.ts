import type { Runtime } from "./deno_runtime.ts";
import type { PartName, ServiceName } from "./part_name.ts";

/** Where the parts listen; 0 or nothing takes any free port. */
export interface StackPorts {
  api?: number | undefined;
  dashboard?: number | undefined;
  nats?: number | undefined;
  mongodb?: number | undefined;
}

/** What to start, and the folder of its data. */
export interface StackOptions {
  /** The environment that settings are taken from. `MONGODB_URL` and `NATS_URL` replace our own. */
  env: Record<string, string | undefined>;
  /** Folder for all data; made if missing. */
  dataDir: string;
  /** Whether the data is temporary. */
  isTemporary?: boolean;
  ports?: StackPorts;
  /** Whether the dashboard is started, and built before if its sources changed. @default {true} */
  dashboard?: boolean;
  /** Whether the webhooks service is started. @default {as the dashboard} */
  webhooks?: boolean;
  /** Starts the development inbox as well. */
  inbox?: { webPort: number; smtpPort: number };
  /** The runtime of the services. @default {whatever `POSTHASTE_RUNTIME` says, or this process} */
  runtime?: Runtime | undefined;
  /**
   * Folder for a CPU profile of each service, written as it ends. They then run without Node's permission
   * model, which forbids writing a profile.
   */
  profileDir?: string | undefined;
  /** More settings, by service. */
  settings?: Partial<Record<ServiceName, Record<string, string>>>;
  /** Done beside the start of the services, once database and broker are there. */
  prepare?: (urls: { mongodbUrl: string; natsUrl: string }) => Promise<void>;
  /** Aborts the start: running parts are stopped, and the signal's reason is thrown. */
  signal?: AbortSignal;
  /** Called with a line about the progress. */
  onProgress?: (line: string) => void;
  /** Every line that a service prints. */
  onLine?: (service: ServiceName | "inbox", line: string) => void;
  /** Called when a part ends unexpectedly. */
  onUnexpectedExit?: (part: PartName, reason: string) => void;
}
