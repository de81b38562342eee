import { readdirSync } from "node:fs";
import {
  monitorEventLoopDelay,
  performance,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import process from "node:process";
import { getHeapSpaceStatistics } from "node:v8";
import { observe, recordDuration } from "./metrics.ts";

/** Node's report of a garbage collection; its types lack the detail. */
interface CollectionEntry extends PerformanceEntry {
  detail?: { kind?: number };
}

/** Each measurement wakes the process, which costs up to 0.2 ms of CPU. A block that is shorter may be missed. */
const RESOLUTION_MS = 500;
const NANOSECONDS = 1e9;

/** Garbage collections by `perf_hooks.constants.NODE_PERFORMANCE_GC_*`. */
const GC_TYPES: Readonly<Record<number, string>> = {
  1: "minor",
  4: "major",
  8: "incremental",
  16: "weakcb",
};

/** Observes the process, by OpenTelemetry's conventions for Node.js, V8 and processes. */
export function observeProcess(): Disposable {
  using opened = new DisposableStack();
  observeEventLoop(opened);
  observeGarbageCollections(opened);
  opened.use(observe("v8js.memory.heap.used", () => heapSpaces("space_used_size")));
  opened.use(observe("v8js.memory.heap.limit", () => heapSpaces("space_size")));
  opened.use(observe("process.cpu.time", () => {
    const { user, system } = process.cpuUsage();
    return [
      { value: user / 1e6, attributes: { "cpu.mode": "user" } },
      { value: system / 1e6, attributes: { "cpu.mode": "system" } },
    ];
  }));
  opened.use(observe("process.memory.usage", () => [{ value: process.memoryUsage.rss() }]));
  opened.use(observe("process.unix.file_descriptor.count", openFiles));
  opened.use(observe("process.uptime", () => [{ value: process.uptime() }]));
  return opened.move();
}

function observeEventLoop(opened: DisposableStack): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  opened.defer(() => void delays.disable());
  // The timer's own wait is no delay.
  const seconds = (nanoseconds: number) =>
    Number.isFinite(nanoseconds)
      ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000)
      : 0;
  opened.use(observe("nodejs.eventloop.delay.mean", () => [{ value: seconds(delays.mean) }]));
  opened.use(observe("nodejs.eventloop.delay.p99", () => [{
    value: delays.count === 0 ? 0 : seconds(delays.percentile(99)),
  }]));
  // Observed last of the three: a new period begins here.
  opened.use(observe("nodejs.eventloop.delay.max", () => {
    const value = delays.count === 0 ? 0 : seconds(delays.max);
    delays.reset();
    return [{ value }];
  }));
  let before = performance.eventLoopUtilization();
  opened.use(observe("nodejs.eventloop.utilization", () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return [{ value: utilization }];
  }));
}

function observeGarbageCollections(opened: DisposableStack): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[]) {
      const type = GC_TYPES[entry.detail?.kind ?? 0];
      const { duration } = entry;
      if (type !== undefined) {
        recordDuration("v8js.gc.duration", duration / 1000, { "v8js.gc.type": type });
      }
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  opened.defer(() => observer.disconnect());
}

function heapSpaces(field: "space_used_size" | "space_size") {
  return getHeapSpaceStatistics().map((space) => ({
    value: space[field],
    attributes: { "v8js.heap.space.name": space.space_name },
  }));
}

/** Returns the open files; none if the system has no `/proc`, or the process may not read it. */
function openFiles() {
  try {
    return [{ value: readdirSync("/proc/self/fd").length }];
  } catch {
    return [];
  }
}
