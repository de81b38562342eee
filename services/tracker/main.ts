import { EVENT_VERSION } from "@posthaste/contracts";
import { openBus, type Outgoing } from "@posthaste/messaging";
import { runService } from "@posthaste/runtime";
import { cachedIntegrations, openStore, SCHEDULER_LEASE } from "@posthaste/storage";
import process from "node:process";
import { CONFIG } from "./config.ts";
import { advanceBatchesForever } from "./advance_batches.ts";
import { dropPassedForever } from "./drop_passed.ts";
import { failOverdueForever } from "./fail_overdue.ts";
import { openLeaderLease } from "./leader_lease.ts";
import { openFlow } from "./flow.ts";
import { lead } from "./lead.ts";
import { scheduleForever } from "./schedule_forever.ts";
import { noteNews } from "./note_news.ts";
import { expireAssets } from "./expire_assets.ts";
import { expireContents } from "./expire_contents.ts";
import { expireEvents } from "./expire_events.ts";
import { expireForever } from "./expire_forever.ts";
import { expireSends } from "./expire_sends.ts";
import { keepTopology } from "./keep_topology.ts";
import { openEventRecorder } from "./record_events.ts";
import { recordHappeningsForever } from "./record_happenings.ts";
import { recordStatusEvents } from "./record_status_events.ts";
import { recordStatistics } from "./record_statistics.ts";
import { recountForever } from "./recount_statistics.ts";
import { openSettlement, settleForever } from "./settle_sends.ts";
import { reconcileForever } from "./reconcile.ts";
import { patienceMs } from "./reconcile_policy.ts";
import { watchPipeline } from "./watch_pipeline.ts";

const DAY_MS = 24 * 3_600_000;

await runService({
  name: "tracker",
  env: process.env,
  config: CONFIG,
  run: async ({ config, signal, logger, health }) => {
    const waiting = { signal, logger };
    await using store = await openStore({
      url: config.MONGODB_URL,
      appName: "tracker",
      withoutLogins: true,
      waiting,
    });
    await using bus = await openBus({ url: config.NATS_URL, name: "tracker", waiting });
    const eventsKeptMs = config.EVENT_DAYS * DAY_MS;
    const keptMs = config.LEDGER_RETENTION;
    const recorder = openEventRecorder({ ...store, eventsKeptMs });
    const deps = {
      ...store,
      ...recorder,
      eventsKeptMs,
      publish: (outgoing: Outgoing, trace: string | undefined) =>
        bus.publish(outgoing, trace ? { trace: { traceparent: trace } } : {}),
      integrations: cachedIntegrations(store.integrations, { ttlMs: 200 }),
      fills: () => bus.fills(),
      queueAges: () => bus.queueAges(),
      patienceMs: patienceMs(config.RECONCILE_GRACE),
      logger,
    };
    await using scheduler = openLeaderLease({
      ...{ ...store, logger },
      lastRenewal: () => bus.lastRenewal(),
      reportRenewal: (renewals) =>
        bus.publish({ type: "status.lease.renewed", data: { v: EVENT_VERSION, renewals } }),
    }, { name: SCHEDULER_LEASE });
    const settlement = openSettlement(deps);
    health.add("mongodb", () => store.ping());
    health.add("nats", () => bus.check());
    health.add("ledger", () => scheduler.assertCurrent());

    await Promise.all([
      bus.followStatusEvents((statusEvents) => recordStatusEvents(statusEvents, deps), {
        consumer: "tracker",
        signal,
        logger,
      }),
      expireForever([
        { what: "idempotency keys", expire: () => deps.sends.expireIdempotencyKeys(deps.now()) },
        { what: "contents", everyMs: 600_000, expire: (signal) => expireContents(deps, signal) },
        { what: "events", expire: (signal) => expireEvents(deps, signal) },
        { what: "sends", expire: (signal) => expireSends(deps, { keptMs, signal }) },
        { what: "files", expire: (signal) => expireAssets(deps, { keptMs, signal }) },
      ], { logger, signal }),
      watchPipeline(deps, signal),
      dropPassedForever(bus, { signal, logger }),
      lead(scheduler, { signal }, async (signal) => {
        const intervalMs = config.RELEASE_INTERVAL;
        // A leader knows nothing from an earlier turn: another one has led since.
        const flow = openFlow(deps);
        await Promise.all([
          scheduleForever(deps, { flow, intervalMs, signal }),
          failOverdueForever(deps, { flow, signal }),
          advanceBatchesForever(deps, { flow, intervalMs, signal }),
          reconcileForever(deps, {
            ...{ intervalMs: config.RECONCILE_INTERVAL, graceMs: config.RECONCILE_GRACE },
            ...{ flow, signal },
          }),
          recountForever(deps, signal),
          recordHappeningsForever(deps, signal),
          bus.followStatusEvents(async (statusEvents) => {
            noteNews(flow, statusEvents);
            await Promise.all([
              recorder.recordOutcomes(statusEvents),
              recordStatistics(statusEvents, store),
            ]);
            settlement.note(statusEvents);
          }, {
            consumer: "statistics",
            // What a large send leaves in a moment. The scheduler's rounds are as far apart.
            ...{ batchSize: 5000, everyMs: 100 },
            signal,
            logger,
          }),
        ]);
      }),
      settleForever(settlement, { logger, signal }),

      config.APPLY_TOPOLOGY ? keepTopology(bus, { signal, logger }) : undefined,
    ]);
  },
});
