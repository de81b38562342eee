import { PRIORITIES, type Priority } from "@posthaste/contracts";
import { consumerOf, openBus } from "@posthaste/messaging";
import { runService } from "@posthaste/runtime";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openBrowser } from "./browser.ts";
import { CONFIG } from "./config.ts";
import { openContentCache } from "./content_cache.ts";
import { interactivePrintStep } from "./interactive_print_step.ts";
import { limitsFault } from "./limits_fault.ts";
import { printStep } from "./print_step.ts";
import { watchMemory } from "./watch_memory.ts";

await runService({
  name: "pdf",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, logger, health }) => {
    const fault = limitsFault({ pdf: config.PDF_LIMIT, mail: config.MAIL_LIMIT });
    if (fault !== undefined) logger.warn(fault);
    const waiting = { signal, logger };
    await using bus = await openBus({ url: config.NATS_URL, name: "pdf", waiting });
    await using browser = await openBrowser({
      chromiumPath: config.CHROMIUM_PATH,
      path: process.env["PATH"],
      home: process.env["HOME"],
      cacheDir: config.CACHE_DIR ?? join(tmpdir(), "posthaste-pdf"),
      concurrency: config.PRINT_PAGES,
      timeLimit: config.PRINT_TIME_LIMIT,
      limits: { pdfBytes: config.PDF_LIMIT },
      browserAge: config.BROWSER_AGE,
      browserMemory: config.BROWSER_MEMORY,
      sandbox: config.SANDBOX,
      isolation: config.PRINT_ISOLATION,
      log: (level, message) => logger[level](message),
    });
    const concurrency: Record<Priority, number> = {
      // Waiting events cost only memory, and fairness between accounts applies only to events in flight.
      transactional: config.PRINT_PAGES * 32,
      bulk: config.PRINT_PAGES * 2,
    };
    const contents = bus.objects("contents");
    const parts = {
      browser,
      pdfs: bus.objects("pdfs"),
      loadContent: openContentCache((key) => contents.get(key)),
    };
    const step = printStep({
      ...parts,
      now: () => new Date(),
      transactionalPlaces: concurrency.transactional,
    });
    health.add("nats", () => bus.check());
    health.add("browser", async () => {
      if (!await browser.healthy()) throw new Error("the browser does not answer");
    });

    await Promise.all([
      watchMemory(browser, signal),
      bus.consume(interactivePrintStep(parts), {
        consumer: "pdf_interactive",
        concurrency: concurrency.transactional,
        signal,
        logger,
      }),
      ...PRIORITIES.map((priority) =>
        bus.consume(step, {
          consumer: consumerOf("pdf", priority),
          concurrency: concurrency[priority],
          signal,
          logger,
        })
      ),
    ]);
  },
});
