import { readNetworks } from "@posthaste/egress";
import { openImageFetcher } from "@posthaste/fetching";
import { consumerOf, openBus, stepByType } from "@posthaste/messaging";
import { PRIORITIES } from "@posthaste/contracts";
import { runService } from "@posthaste/runtime";
import { openStore, openVersionCache } from "@posthaste/storage";
import { observe } from "@posthaste/telemetry";
import { openSandbox } from "@posthaste/templating";
import process from "node:process";
import { CONFIG } from "./config.ts";
import { contentStep } from "./content_step.ts";
import { openKeptImages } from "./kept_images.ts";
import { previewStep } from "./preview_step.ts";
import { renderNowStep } from "./render_now_step.ts";
import { renderStep } from "./render_step.ts";
import { openRemoteImages } from "./remote_images.ts";
import { openSendCache } from "./send_cache.ts";
import { storedOnce } from "./stored_once.ts";

await runService({
  name: "renderer",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, logger, health }) => {
    const waiting = { signal, logger };
    await using store = await openStore({ url: config.MONGODB_URL, appName: "renderer", waiting });
    await using bus = await openBus({ url: config.NATS_URL, name: "renderer", waiting });
    await using sandbox = openSandbox({
      workers: config.SANDBOX_WORKERS,
      timeLimitMs: config.RENDER_TIME_LIMIT,
      memoryMb: config.RENDER_MEMORY_MB,
    });
    using _restarts = observe("posthaste.render.sandbox_restarts", () => [{
      value: sandbox.stats().restarts,
    }]);
    const versions = openVersionCache(store.templates);
    const contents = bus.objects("contents");
    const { now } = store;
    const deps = {
      ...versions,
      kept: openKeptImages(store, { baseUrl: config.ASSETS_URL }),
      fill: sandbox.fill,
      isSlow: sandbox.isSlow,
      sends: {
        load: openSendCache(store.sends.load),
      },
      loadContent: async (key: string) => {
        const bytes = await contents.get(key);
        return bytes && Buffer.from(bytes).toString();
      },
      storeContent: storedOnce((key, text) => contents.put(key, Buffer.from(text))),
      now,
      images: config.REMOTE_IMAGES
        ? openRemoteImages({
          fetchImage: openImageFetcher({
            allowed: readNetworks(config.EGRESS_ALLOW),
            timeLimitMs: config.REMOTE_IMAGE_TIME_LIMIT,
            maxBytes: config.REMOTE_IMAGE_SIZE,
          }),
          // The other half of a priority's slots continues with messages that wait for nothing.
          places: Math.max(1, Math.floor(config.RENDER_CONCURRENCY / 2)),
        })
        : undefined,
    };
    const step = renderStep(deps);
    const interactiveStep = stepByType("renderer.interactive", {
      "preview.requested": previewStep({ ...deps, sandbox }),
      "content.requested": contentStep(deps),
    });
    health.add("mongodb", () => store.ping());
    health.add("nats", () => bus.check());

    const concurrency = config.RENDER_CONCURRENCY;
    // Many, so that the sandbox can be fair between accounts: the broker's queue is first in, first out.
    const immediate = { consumer: "renderer_now", concurrency: 16 * concurrency, signal, logger };
    const interactive = {
      ...immediate,
      consumer: "renderer_interactive",
      concurrency: 4 * concurrency,
    };
    await Promise.all([
      bus.consume(renderNowStep(deps), immediate),
      bus.consume(interactiveStep, interactive),
      ...PRIORITIES.map((priority) =>
        bus.consume(step, {
          consumer: consumerOf("renderer", priority),
          concurrency,
          signal,
          logger,
        })
      ),
    ]);
  },
});
