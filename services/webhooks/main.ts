import { openSemaphore, openTokenBuckets, type TokenBuckets } from "@posthaste/limits";
import { openBus } from "@posthaste/messaging";
import { randomName, runService } from "@posthaste/runtime";
import { openStore, readMasterKeys } from "@posthaste/storage";
import process from "node:process";
import { CONFIG, openWebhookEgress } from "./config.ts";
import { drain } from "./drain.ts";
import { followEndpoints } from "./follow_endpoints.ts";
import { openPoster } from "./post.ts";
import { TEST_CONCURRENCY, testStep } from "./test_step.ts";
import { unsealer } from "./unseal.ts";
import { watchEndpoints } from "./watch_endpoints.ts";

/** Requests in flight: of all accounts, and of one. */
const IN_FLIGHT = { max: 512, maxPerOwner: 8 };

await runService({
  name: "webhooks",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, logger, health }) => {
    const unseal = unsealer(readMasterKeys(config.WEBHOOK_KEY));
    const waiting = { signal, logger };
    await using store = await openStore({ url: config.MONGODB_URL, appName: "webhooks", waiting });
    await using bus = await openBus({ url: config.NATS_URL, name: "webhooks", waiting });
    using poster = openPoster({ ...openWebhookEgress(config), timeoutMs: config.WEBHOOK_TIMEOUT });
    const deps = {
      ...store,
      ...{ poster, unseal, logger },
      holder: randomName(),
      permits: openSemaphore(IN_FLIGHT),
      rateOf: openRates(),
    };
    health.add("mongodb", () => store.ping());
    health.add("nats", () => bus.check());

    await Promise.all([
      followEndpoints({
        ...deps,
        drain: (webhook, signal) => drain(webhook, deps, signal),
      }, { everyMs: config.WEBHOOK_LOOK_INTERVAL, signal }),
      watchEndpoints(deps, signal),
      bus.consume(testStep({ ...deps, signal }), {
        consumer: "webhooks_interactive",
        concurrency: TEST_CONCURRENCY,
        signal,
        logger,
      }),
    ]);
  },
});

/** Opens the buckets of endpoints, by their requests a second. */
function openRates(): (perSecond: number) => TokenBuckets {
  const byRate = new Map<number, TokenBuckets>();
  return (perSecond) => {
    const known = byRate.get(perSecond);
    if (known !== undefined) return known;
    const buckets = openTokenBuckets({ perMs: perSecond / 1000, burst: perSecond });
    byRate.set(perSecond, buckets);
    return buckets;
  };
}
