/**
 * Attacks the product from outside, in every way that `docs/security.md` names, and prints a table:
 * `npm run security`.
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { writeTable } from "@posthaste/chaos";
import { ATTACKS } from "./attack_list.ts";
import type { AttackRow } from "./row.ts";

const USAGE = `Usage: npm run security -- [options]
  --seed <n>          every choice follows from it (1)
  --tries <n>         how often the attacks that are drawn are tried, dear ones less often (10000)
  --only <part>[,...] these only: ${Object.keys(ATTACKS).join(", ")}
  --help              print this
`;

await attackAll(process.argv.slice(2));

async function attackAll(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string", default: "1" },
      tries: { type: "string", default: "10000" },
      only: { type: "string", default: Object.keys(ATTACKS).join() },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const rows: AttackRow[] = [];
  for (const name of values.only.split(",")) {
    const part = ATTACKS[name];
    if (part === undefined) throw new RangeError(`Cannot find the attack "${name}"`);
    const { attack, share } = part;
    const options = { seed: Number(values.seed), tries: Math.ceil(Number(values.tries) * share) };
    rows.push(...await attack({ ...options, onProgress: (line) => say(`${name}: ${line}`) }));
  }
  process.stdout.write(`\n${writeAttackTable(rows)}\n`);
  for (const { attack, note } of rows) if (note !== undefined) say(`${attack}: ${note}`);
  const { seed, tries, only } = values;
  say(`To repeat it: npm run security -- --seed ${seed} --tries ${tries} --only ${only}`);
  process.exitCode = rows.some(({ through }) => through > 0) ? 1 : 0;
}

function writeAttackTable(rows: readonly AttackRow[]): string {
  const sum = (of: (row: AttackRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const cells = rows.map(({ attack, tries, through, seconds }) => [
    attack,
    ...[tries, through].map(String),
    seconds.toFixed(0),
  ]);
  const total = [sum(({ tries }) => tries), sum(({ through }) => through)].map(String);
  return writeTable(["attack", "tries", "got through", "seconds"], [
    ...cells,
    ["together", ...total, sum(({ seconds }) => seconds).toFixed(0)],
  ]).join("\n");
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
