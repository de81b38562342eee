import { PRIORITIES } from "@posthaste/contracts";
import { pauseMs } from "@posthaste/limits";
import { consumerOf, openBus, stepByType } from "@posthaste/messaging";
import { runService } from "@posthaste/runtime";
import {
  cachedIntegrations,
  openStore,
  openSuppressionLookup,
  readMasterKeys,
} from "@posthaste/storage";
import { hostname } from "node:os";
import process from "node:process";
import { openAttachmentCache } from "./attachment_cache.ts";
import { attachmentSource, fileKey } from "./attachment_source.ts";
import { CONFIG, openResolver, openTokenClient } from "./config.ts";
import { openAccessTokens } from "./oauth/access_tokens.ts";
import { consentStep } from "./oauth/consent_step.ts";
import { fetchToken } from "./oauth/fetch_token.ts";
import { joinPeers } from "./peers.ts";
import { openAdmission } from "./admission.ts";
import { openReporter } from "./report_outcomes.ts";
import { integrationLabels } from "./integration_labels.ts";
import { PROBE_CONCURRENCY, probeStep } from "./probe_step.ts";
import { openMailMemory } from "./mail_memory.ts";
import { sendStep } from "./send_step.ts";
import { openTransportPool } from "./transport_pool.ts";
import { openCircuitStates } from "./circuit_states.ts";
import { unsealer } from "./unseal.ts";

await runService({
  name: "mailer",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, lastCall, logger, health }) => {
    const keys = readMasterKeys(config.MASTER_KEY);
    const waiting = { signal, logger };
    await using store = await openStore({ url: config.MONGODB_URL, appName: "mailer", waiting });
    await using bus = await openBus({ url: config.NATS_URL, name: "mailer", waiting });
    const identity = {
      resolveHost: openResolver(config),
      ehloName: config.EHLO_NAME ?? hostname(),
    };
    await using pool = openTransportPool({
      ...identity,
      transferMs: config.TRANSFER_TIMEOUT,
      replyMs: config.REPLY_TIMEOUT,
      idleMs: config.CONNECTION_IDLE,
    });
    // A server may take minutes to answer. The outcomes of its mails are written before this process ends.
    lastCall.addEventListener("abort", () => pool.interrupt(), { once: true });
    await using peer = await joinPeers(store, { logger, signal });
    const { now } = store;
    const circuits = openCircuitStates({
      ...{ ...store, now, logger },
      pauseMs: (failures) => pauseMs(failures, config.CIRCUIT_PAUSE),
    });
    const tokenClient = openTokenClient(config, now);
    const accessTokens = openAccessTokens({
      ...{ ...store, keys, now, logger },
      fetchToken: (login) => fetchToken(login, tokenClient),
    });
    const contents = bus.objects("contents");
    const pdfs = bus.objects("pdfs");
    const loadAttachment = openAttachmentCache(
      attachmentSource({ pdf: (key) => pdfs.get(key), file: store.assets.find }),
      config.ATTACHMENT_CACHE,
    );
    const step = sendStep({
      ...store,
      integrations: cachedIntegrations(store.integrations),
      findSuppressed: openSuppressionLookup(store.suppressions),
      unseal: unsealer(keys, accessTokens),
      peers: peer.peers,
      admission: openAdmission({
        peers: peer.peers,
        circuitOf: circuits.circuitOf,
        now,
        lastCall,
      }),
      circuitStates: circuits,
      inFlight: openMailMemory(),
      report: openReporter({ publish: (event, options) => bus.publish(event, options), logger }),
      send: (mail) => pool.send(mail),
      loadAttachment,
      loadFile: (accountId, sha256) => loadAttachment(fileKey(accountId, sha256)),
      loadContent: async (key) => {
        const bytes = await contents.get(key);
        return bytes && Buffer.from(bytes).toString();
      },
      now,
      integrationLabel: integrationLabels(config.METRIC_INTEGRATIONS),
      logger,
      transferMs: config.TRANSFER_TIMEOUT,
      replyMs: config.REPLY_TIMEOUT,
      retryMs: config.RETRY_DELAY,
      mailLimit: config.MAIL_LIMIT,
    });
    const people = { ...store, keys, tokenClient, logger };
    const interactive = stepByType("mailer.interactive", {
      "probe.requested": probeStep({ ...identity, ...people }),
      "consent.requested": consentStep(people),
    });
    health.add("mongodb", () => store.ping());
    health.add("nats", () => bus.check());

    await Promise.all([
      peer.stay(signal),
      circuits.follow(signal),
      bus.consume(interactive, {
        consumer: "mailer_interactive",
        concurrency: PROBE_CONCURRENCY,
        signal,
        logger,
      }),
      ...PRIORITIES.map((priority) =>
        bus.consume(step, {
          consumer: consumerOf("mailer", priority),
          concurrency: config.MAIL_CONCURRENCY,
          signal,
          logger,
        })
      ),
    ]);
  },
});
