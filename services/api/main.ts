import { type Send } from "@posthaste/contracts";
import { type Bus, dispatchSend, openBus } from "@posthaste/messaging";
import { crashPoint, runService } from "@posthaste/runtime";
import { openIntegrationCache, openStore, openVersionCache } from "@posthaste/storage";
import process from "node:process";
import { buildApp } from "./app.ts";
import { apiOptionsOf, CONFIG } from "./config.ts";
import { patientCheck } from "./patient_check.ts";
import { sharedCheck } from "./shared_check.ts";

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
    const app = buildApp({
      ...store,
      ...openVersionCache(store),
      ...openIntegrationCache(store),
      dispatch: (send) => dispatch(send, bus),
      render: (data, options) => bus.ask("render.requested", data, options),
      checkBroker: sharedCheck(() => bus.check(), { timeoutMs: 900, freshMs: 1000 }),
      now: () => new Date(),
      logger,
    }, apiOptionsOf(config));
    await using _closing = { [Symbol.asyncDispose]: () => app.close() };
    await app.listen({ port: config.PORT, host: config.HOST });
    health.add("mongodb", () => store.ping());
    health.add("nats", patientCheck(() => bus.check(), { patienceMs: config.BROKER_AWAY }));
    logger.info("Listening", { port: config.PORT });
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  },
});

async function dispatch(send: Send, bus: Bus): Promise<void> {
  await dispatchSend(bus, send);
  crashPoint("api.after_dispatch");
}
