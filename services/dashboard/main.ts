import { openBus } from "@posthaste/messaging";
import { runService } from "@posthaste/runtime";
import { openStore, readSealingKey } from "@posthaste/storage";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import process from "node:process";
import { buildApp } from "./app.ts";
import { notifyOfExpiriesForever } from "./expiry_notices.ts";
import { openSystemMail } from "./system_mail.ts";
import { notifyOfSuspensionsForever } from "./suspension_notices.ts";
import {
  CONFIG,
  edgeLimitsOf,
  oidcOf,
  quotasOf,
  reportedLimitsOf,
  secondFactorKeyOf,
} from "./config.ts";

await runService({
  name: "dashboard",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, logger, health }) => {
    const sealingKey = readSealingKey(config.SEALING_KEY);
    const waiting = { signal, logger };
    await using store = await openStore({ url: config.MONGODB_URL, appName: "dashboard", waiting });
    await using bus = await openBus({ url: config.NATS_URL, name: "dashboard", waiting });
    const setupCode = config.SETUP_CODE ?? randomBytes(6).toString("hex");
    if (config.SETUP_CODE === undefined && !config.DEMO_ACCOUNT && !await store.people.hasAny()) {
      logger.info("Open the dashboard to create the first account", { setupCode });
    }
    const webhookKey = config.WEBHOOK_SEALING_KEY;
    const webhookSealingKey = webhookKey === undefined ? undefined : readSealingKey(webhookKey);
    const deps = { store, bus, sealingKey, webhookSealingKey, now: store.now, logger };
    const app = buildApp(deps, {
      publicUrl: config.PUBLIC_URL,
      apiUrl: config.API_URL,
      tryUrl: config.TRY_API_URL,
      quotas: quotasOf(config),
      hasPasswords: config.PASSWORD_SIGN_IN === "on",
      secondFactorKey: secondFactorKeyOf(config),
      sessionAges: { idleMs: config.SESSION_AGE, totalMs: config.SESSION_MAX_AGE },
      demoAccount: config.DEMO_ACCOUNT,
      systemAccount: config.SYSTEM_ACCOUNT,
      maxSystemMails: config.SYSTEM_MAIL_LIMIT,
      limits: reportedLimitsOf(config),
      setupCode,
      securityContact: config.SECURITY_CONTACT,
      oidc: oidcOf(config),
      ...edgeLimitsOf(config),
    });
    const { SYSTEM_ACCOUNT: account, SYSTEM_MAIL_LIMIT: maxPerHour } = config;
    const mail = account === undefined ? undefined : openSystemMail({ account, maxPerHour }, deps);
    const telling = mail && Promise.all([
      notifyOfSuspensionsForever(mail, { ...deps, publicUrl: config.PUBLIC_URL }, signal),
      notifyOfExpiriesForever(mail, deps, signal),
    ]);
    await using _telling = { [Symbol.asyncDispose]: async () => void await telling };
    await using _closing = { [Symbol.asyncDispose]: () => app.close() };
    await app.listen({ port: config.PORT, host: config.HOST });
    health.add("mongodb", () => store.ping());
    health.add("nats", async () => void await bus.streamStates());
    logger.info("Listening", { port: config.PORT });
    if (!signal.aborted) await once(signal, "abort");
  },
});
