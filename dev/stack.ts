import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, type RunningServer } from "@posthaste/embedded";
import { allDone } from "./all_done.ts";
import { buildDashboard } from "./build_dashboard.ts";
import { keepBroker } from "./keep_broker.ts";
import { keptKeys } from "./kept_keys.ts";
import { type PartName, type ServiceName, SERVICES } from "./part_name.ts";
import { openRunner } from "./runner.ts";
import { addressesOf } from "./server_addresses.ts";
import { serviceLaunch } from "./service_launch.ts";
import type { ServiceProcess } from "./service_process.ts";
import type { StackOptions } from "./stack_options.ts";
import { prepareServers, startServers } from "./start_servers.ts";
import { keptUsers } from "./users.ts";

export type { StackOptions, StackPorts } from "./stack_options.ts";

/** The whole system, running on this machine. */
export interface Stack extends AsyncDisposable {
  /** Of the operator's users: services have others. */
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** Base of the interface; ends with `/v1`. */
  readonly apiUrl: string;
  /** Where the dashboard is, if it was started. */
  readonly dashboardUrl: string;
  /** File with the keys that open SMTP passwords; not there if `MASTER_KEY` is set. */
  readonly masterKeyFile: string;
  readonly masterKey: string;
  /** Opens the secrets of webhook endpoints. */
  readonly webhookKey: string;
  /** Our own broker and database, where no other ones were given. */
  readonly nats: RunningServer | undefined;
  readonly mongod: RunningServer | undefined;
  readonly services: ReadonlyMap<ServiceName | "inbox", ServiceProcess>;
  /** Starts a part, which has ended, again; nothing once the stack stops. */
  restart(name: PartName): Promise<void>;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Starts broker, database and every service, each as a process of its own, and waits until all are
 * ready. Disposing stops all of them, the last started first; none survives this process.
 *
 * @throws {Error} If a part does not start, with what to do about it; the others are stopped again.
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { env, dataDir, onProgress, ports = {}, signal } = options;
  await mkdir(dataDir, { recursive: true });
  await using opened = new AsyncDisposableStack();
  const users = await keptUsers(join(dataDir, "users.json"));
  const built = opened.use(startBuild(options));
  const servers = await startServers(options, { opened, users });
  const addresses = addressesOf({ ...servers, env, users });
  const { mongodbUrl, natsUrl } = addresses.operator;
  onProgress?.("creating streams and indexes");
  await prepareServers(servers, { mongodbUrl, natsUrl, users });
  signal?.throwIfAborted();

  const keys = await keptKeys(options);
  const apiUrl = `http://127.0.0.1:${ports.api || await freePort()}/v1`;
  // The cookie needs TLS or this very name.
  const dashboardUrl = `http://localhost:${ports.dashboard || await freePort()}`;
  const launch = { root: ROOT, addresses, keys, apiUrl, dashboardUrl, built: built.done };
  const runner = opened.use(openRunner(options, serviceLaunch(options, launch)));
  onProgress?.("starting the services");
  const failing = new AbortController();
  await allDone([
    ...servicesOf(options).map((name) => runner.start(name, failing.signal)),
    options.prepare?.({ mongodbUrl, natsUrl }),
  ].map((start) =>
    start?.catch((error) => {
      // The others need not become ready; they then throw this error.
      failing.abort(error);
      throw error;
    })
  ));
  signal?.throwIfAborted();
  opened.use(await keepBroker(natsUrl));
  const parts = opened.move();
  return {
    ...{ mongodbUrl, natsUrl, apiUrl, dashboardUrl },
    ...keys,
    ...servers,
    services: runner.services,
    async restart(name) {
      if (name === "nats") await servers.nats?.restart();
      else if (name === "mongod") await servers.mongod?.restart();
      else await runner.start(name);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Chooses the services that are started, in their order. */
function servicesOf(
  { dashboard = true, webhooks = dashboard, inbox }: StackOptions,
): (ServiceName | "inbox")[] {
  const chosen = SERVICES.filter((name) =>
    name === "dashboard" ? dashboard : name === "webhooks" ? webhooks : true
  );
  return inbox ? ["inbox", ...chosen] : chosen;
}

/** Builds the dashboard beside the start of the servers; disposing aborts it. */
function startBuild({ dashboard, onProgress, signal }: StackOptions) {
  const stopping = new AbortController();
  const signals = [stopping.signal, ...(signal ? [signal] : [])];
  const done = dashboard === false
    ? Promise.resolve()
    : buildDashboard({ root: ROOT, onProgress, signal: AbortSignal.any(signals) });
  // Callers that wait for it get the error; there may be none if the servers do not start.
  done.catch(() => {});
  return {
    done,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done.catch(() => {});
    },
  };
}
