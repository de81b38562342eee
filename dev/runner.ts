import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServiceName, SERVICES } from "./part_name.ts";
import type { ServiceLaunch } from "./service_launch.ts";
import { type ServiceProcess, startService } from "./service_process.ts";
import type { StackOptions } from "./stack_options.ts";

/** The running services. */
export interface Runner extends AsyncDisposable {
  services: ReadonlyMap<ServiceName | "inbox", ServiceProcess>;
  /** Does nothing after it is disposed; a signal aborts the start. */
  start(name: ServiceName | "inbox", signal?: AbortSignal): Promise<void>;
}

/** Starts services and keeps track of them: one that was restarted takes the place of the old. */
export function openRunner(
  options: StackOptions,
  { envOf, commandOf }: ServiceLaunch,
): Runner {
  const services = new Map<ServiceName | "inbox", ServiceProcess>();
  const closing = new AbortController();
  const starting = new Set<Promise<void>>();

  async function startOne(
    name: ServiceName | "inbox",
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const signals = [closing.signal, options.signal, signal];
    const service = await startService({
      name,
      main: fileURLToPath(new URL(mainOf(name), import.meta.url)),
      env: { ...await envOf(name), ...settingsOf(name, options) },
      command: (env) => commandOf(name, env),
      signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
      onLine: (line) => options.onLine?.(name, line),
      onUnexpectedExit: (reason) => options.onUnexpectedExit?.(name, reason),
    });
    services.set(name, service);
  }
  return {
    services,
    async start(name, signal) {
      if (closing.signal.aborted) return;
      const start = startOne(name, signal);
      starting.add(start);
      try {
        await start;
      } finally {
        starting.delete(start);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(starting);
      for (const name of [...SERVICES.toReversed(), "inbox"] as const) {
        const service = services.get(name);
        if (service) options.onProgress?.(`stopping ${name}`);
        await service?.[Symbol.asyncDispose]();
      }
    },
  };
}

function mainOf(name: ServiceName | "inbox"): string {
  return name === "inbox" ? "inbox_service.ts" : `../services/${name}/main.ts`;
}

function settingsOf(name: ServiceName | "inbox", options: StackOptions) {
  if (name !== "inbox") return options.settings?.[name];
  return {
    DATA_DIR: join(options.dataDir, "inbox"),
    SMTP_PORT: String(options.inbox?.smtpPort),
    WEB_PORT: String(options.inbox?.webPort),
  };
}
