import { writeTable } from "@posthaste/chaos";
import type { StageMeasurement } from "./measure_stage.ts";

const HEAD = [
  ...["stage", "servers", "workers", "per s", "× of one", "CPU ms", "nats", "mongod", "together"],
  ...["nats KB", "mongod KB", "syncs", "others"],
];

/** Writes a table of all that was measured, and below it what the workers waited for. */
export function writeStages(measurements: readonly StageMeasurement[]): string {
  const rows = measurements.map((measurement) => {
    const { stage, unit, replicas, workers, waitsFor, perSecond, each, foreign } = measurement;
    const { own = 0, nats = 0, mongod = 0 } = each.cpu;
    const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
    return [
      `${stage} (${unit})${waitsFor === undefined ? "" : " *"}`,
      String(replicas),
      String(workers),
      perSecond.toFixed(perSecond < 20 ? 1 : 0),
      timesOfOne(measurement, measurements).toFixed(2),
      ...[own, nats, mongod, own + nats + mongod].map((ms) => ms.toFixed(2)),
      kilobytes(each.bytes.nats),
      kilobytes(each.bytes.mongod),
      each.syncs.toFixed(2),
      `${(foreign * 100).toFixed()} %`,
    ];
  });
  const waits = new Map(
    measurements.flatMap(({ stage, waitsFor }) =>
      waitsFor === undefined ? [] : [[stage, `* ${stage}: ${waitsFor}`] as const]
    ),
  );
  return [...writeTable(HEAD, rows), ...waits.values()].join("\n");
}

/** How much more was done than by one worker under the same conditions. */
function timesOfOne(
  { stage, replicas, waitsFor, perSecond }: StageMeasurement,
  measurements: readonly StageMeasurement[],
): number {
  const one = measurements.find((other) =>
    other.stage === stage && other.replicas === replicas && other.waitsFor === waitsFor &&
    other.workers === 1
  );
  return perSecond / (one?.perSecond ?? NaN);
}
