import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { nightly } from "@posthaste/kit";
import { openBench } from "./bench.ts";
import { openBenchSystem } from "./bench_system.ts";
import { drain } from "./measurements/drain.ts";
import { events } from "./measurements/events.ts";
import { render } from "./measurements/render.ts";
import { type Measurement, PRODUCT } from "./measurement.ts";
import { monotonicUs, writeProfileReport } from "./profile_report.ts";
import { writeReport } from "./report.ts";
import { openSink } from "./sink_process.ts";

nightly("bench/report_test.ts", "bench/sink_test.ts", "bench/process_cpu_test.ts");

/** This little work shows nothing about speed, only that everything can be measured. */
const SCALE = 0.01;

test("a benchmark measures the product and its baseline, and reports both", async () => {
  await using profiles = await mkdtempDisposable(join(tmpdir(), "posthaste-profiles-"));
  const measurements = await measureAndProfile(profiles.path);
  for (const { figure, part, rate = 0, cpuMs = {} } of measurements) {
    assert.ok(rate > 0, `${figure}: ${part}`);
    const values = Object.values(cpuMs);
    assert.ok(values.length > 0 && values.every((ms) => ms >= 0), `${figure}: ${part}`);
  }
  for (const figure of new Set(measurements.map(({ figure }) => figure))) {
    const parts = measurements.filter((each) => each.figure === figure).map(({ part }) => part);
    assert.ok(parts.includes(PRODUCT), figure);
    assert.ok(parts.length > 1, `${figure} has no baseline`);
    assert.ok(writeReport(measurements).includes(figure));
  }
  // The services have ended, each with a profile.
  const report = await writeProfileReport(profiles.path, { sinceUs: 0 });
  for (const service of ["api", "renderer", "pdf", "mailer", "tracker", "webhooks"]) {
    assert.ok(report.includes(`### ${service} (`), report);
  }
  const afterwards = await writeProfileReport(profiles.path, { sinceUs: monotonicUs() });
  assert.match(afterwards, /### api \(0 ms of work\)/);
});

async function measureAndProfile(profileDir: string): Promise<Measurement[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-bench-"));
  await using sink = await openSink();
  await using system = await openBenchSystem({
    env: process.env,
    dataDir: folder.path,
    sinkPort: sink.port,
    profileDir,
    onProgress: () => {},
  });
  await using bench = openBench({
    system,
    sink,
    openTraced: () => Promise.reject(new Error("not measured")),
  });
  // The baselines print with the browser that the pdf service starts for its first document.
  const first = { figure: "first", mails: 1, recipientsPerRequest: 1, invoice: "each" } as const;
  const { rate: firstRate = 0 } = await drain({ ...bench, scale: SCALE }, first);
  assert.ok(firstRate > 0);
  return [
    ...await render({ ...bench, scale: SCALE }),
    ...await events({ ...bench, scale: SCALE }),
  ];
}
