import { openAcceptanceReports, openBus } from "@posthaste/messaging";
import { runService } from "@posthaste/runtime";
import { openStore } from "@posthaste/storage";
import process from "node:process";
import { buildApp } from "./app.ts";
import { withCachedReads } from "./cached_reads.ts";
import { apiOptionsOf, CONFIG } from "./config.ts";
import { dispatchAccepted } from "./dispatch_accepted.ts";
import { patientCheck } from "./patient_check.ts";
import { openRenderGroups } from "./render_groups.ts";
import { sharedCheck } from "./shared_check.ts";
import { openWaitRule } from "./wait_rule.ts";

await runService({
  name: "api",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, logger, health }) => {
    const waiting = { signal, logger };
    await using store = await openStore({
      url: config.MONGODB_URL,
      appName: "api",
      withoutLogins: true,
      waiting,
    });
    await using bus = await openBus({ url: config.NATS_URL, name: "api", waiting });
    await using acceptances = openAcceptanceReports(bus, { logger });
    const waitRule = openWaitRule({ ...store, logger });
    const app = buildApp({
      ...withCachedReads(store),
      dispatch: (send) => dispatchAccepted(send, { acceptances, bus, store }),
      mustWait: waitRule.mustWait,
      render: openRenderGroups({
        ask: (data, options) => bus.askForEach("render.requested", data, options),
      }),
      bus,
      checkBroker: sharedCheck(() => bus.check(), { timeoutMs: 900, freshMs: 1000 }),
      logger,
    }, apiOptionsOf(config));
    await using _closing = { [Symbol.asyncDispose]: () => app.close() };
    await app.listen({ port: config.PORT, host: config.HOST });
    health.add("mongodb", () => store.ping());
    health.add("nats", patientCheck(() => bus.check(), { patienceMs: config.BROKER_AWAY }));
    logger.info("Listening", { port: config.PORT });
    await waitRule.follow(signal);
  },
});
