import process from "node:process";
import { explore, type Explored } from "./explore.ts";
import { exploreMutated } from "./mutate.ts";
import { PROTOCOL_MUTATIONS } from "./mutations.ts";
import { LARGE_WORLDS, SMALL_WORLDS } from "./world.ts";

// Explores the delivery protocol: every world, then every mutation. Names on the command line select some.

const wanted = process.argv.slice(2);
const isWanted = ({ name }: { name: string }) => wanted.length === 0 || wanted.includes(name);
let failures = 0;

print(
  "world",
  "states",
  "transitions",
  "depth",
  "copies",
  "late sent",
  "held",
  "seconds",
  "result",
);
for (const world of [...SMALL_WORLDS, ...LARGE_WORLDS].filter(isWanted)) {
  const started = performance.now();
  const { states, transitions, depth, copies, lateSent, held, ...found } = explore(world);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const numbers = [states, transitions, depth, copies, lateSent, held];
  print(world.name, ...numbers.map(String), seconds, found.violation ?? "holds");
  if (found.violation !== undefined) failures++;
  show(found);
}
for (const mutation of PROTOCOL_MUTATIONS.filter(isWanted)) {
  const found = await exploreMutated(mutation);
  print(`mutation ${mutation.name}: ${mutation.description}`, found.violation ?? "NOT FOUND");
  if (found.violation === undefined) failures++;
  show(found);
}
process.exitCode = failures > 0 ? 1 : 0;

function print(...columns: string[]): void {
  process.stdout.write(`${columns.join(" | ")}\n`);
}

function show({ trace = [] }: Pick<Explored, "trace">): void {
  for (const [position, line] of trace.entries()) {
    process.stdout.write(`  ${position + 1}. ${line}\n`);
  }
}
