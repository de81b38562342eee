import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";

/** The part of a V8 CPU profile that is read here; times in microseconds. */
interface CpuProfile {
  /** By the clock of {@linkcode monotonicUs}. */
  startTime: number;
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 14;
// So long a sample is a process that was stopped or had to wait for a core.
const LONGEST_SAMPLE = 50_000;
const NOT_WORK = ["(idle)", "(program)", "(root)"];

/** Returns the time in microseconds, by the clock of V8's profiles on Linux. */
export function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Options of {@linkcode writeProfileReport}. */
export interface ProfileReportOptions {
  /** Leaves out what came before, such as the start of the processes. See {@linkcode monotonicUs}. */
  sinceUs: number;
}

/** Returns where the services spent their time, as Markdown, from the profiles in a folder. */
export async function writeProfileReport(
  folder: string,
  { sinceUs }: ProfileReportOptions,
): Promise<string> {
  const sections: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".cpuprofile"))) {
    const profile: CpuProfile = JSON.parse(await readFile(join(folder, file), "utf8"));
    const service = profile.nodes.map(({ callFrame }) =>
      /services\/(\w+)\/main\.ts$/.exec(callFrame.url)?.[1]
    ).find((name) => name !== undefined);
    if (service !== undefined) sections.push(sectionOf(service, profile, sinceUs));
  }
  return sections.sort().join("\n\n");
}

function sectionOf(service: string, profile: CpuProfile, sinceUs: number): string {
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  let total = 0;
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const frame = nodes.get(id);
    const time = profile.timeDeltas[index] ?? 0;
    at += time;
    if (at < sinceUs) continue;
    if (frame === undefined || NOT_WORK.includes(frame.functionName)) continue;
    if (time > LONGEST_SAMPLE) continue;
    total += time;
    const place = placeOf(frame.url);
    add(byPackage, place.split(" ")[0] ?? place, time);
    const name = frame.functionName || "(anonymous)";
    add(byFunction, `${name} ${place}:${frame.lineNumber + 1}`, time);
  }
  const share = (time: number) => `${(time / total * 100).toFixed(1).padStart(5)} %`;
  const list = (times: Map<string, number>) =>
    [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
      .map(([name, time]) => `- ${share(time)} ${name}`).join("\n");
  return `### ${service} (${Math.round(total / 1000)} ms of work)\n\nBy package:\n\n${
    list(byPackage)
  }\n\nBy function (self):\n\n${list(byFunction)}`;
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}

/** A package's name and the file in it, or the folder of our own. */
function placeOf(url: string): string {
  if (url === "") return "(native)";
  const inPackage = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(url);
  if (inPackage) return `${inPackage[1]} ${inPackage[2]}`;
  const own = /\/((?:libs|services)\/[^/]+)\/(.*)$/.exec(url);
  return own ? `${own[1]} ${own[2]}` : url;
}
