/**
 * Upgrades a running system, rolls it back and upgrades it again, under load: `npm run upgrade -- <commit>`.
 * Services of that commit and of the working tree work side by side on one broker and one ledger. Nothing
 * may be lost, come twice or be refused.
 *
 * @module
 */
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { readJournal } from "../records/journal.ts";
import type { ClientLine } from "../records/records.ts";
import { problemsOf } from "../report.ts";
import { openFixture } from "../fixture/open_fixture.ts";
import { runFault } from "../run_fault.ts";
import { openVersion } from "./open_version.ts";
import { rollingUpgrade } from "./rolling_upgrade.ts";

const USAGE = `Usage: npm run upgrade -- [commit] [options]
  commit             version to upgrade from (HEAD)
  --messages <n>     mails that are asked for (800)
  --seconds <n>      time in which they are asked for (60)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: "string", default: "800" },
    seconds: { type: "string", default: "60" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(USAGE);
else process.exitCode = await upgrade(positionals[0] ?? "HEAD");

async function upgrade(commit: string): Promise<number> {
  await using version = await openVersion(commit);
  say(`Upgrades from ${version.name} to the working tree`);
  if (version.hasOtherPackages) say("Its packages differ: it runs with those of the working tree");
  const { fault, journey } = rollingUpgrade(version.root);
  const lines: string[] = [];
  await using fixture = await openFixture({
    root: version.root,
    onLine: (pod, line) => void (/"(error|fatal)"/i.test(line) && lines.push(`${pod} ${line}`)),
  });
  const result = await runFault(fixture, {
    fault,
    run: "upgrade",
    seed: "upgrade",
    messages: Number(values.messages),
    seconds: Number(values.seconds),
    onProgress: say,
  });
  const answers = readJournal<ClientLine>(join(fixture.dataDir, "upgrade", "client.jsonl"));
  const broken = answers.filter((line) => line.type === "answer" && line.status >= 500).length;
  const unanswered = answers.filter(({ type }) => type === "no_answer").length;
  const problems = [
    ...problemsOf(result),
    ...(broken > 0 ? [`${broken} answers were 5xx`] : []),
    ...(unanswered > 0 ? [`${unanswered} requests got no answer`] : []),
    ...(journey.underLoad < journey.replaced
      ? ["the load ended too early: give more --seconds"]
      : []),
  ];
  const { accepted, sent, failed, duplicates, lost, seconds } = result;
  process.stdout.write(
    `${journey.replaced} processes replaced under load in ${seconds} s: ${accepted} accepted, ` +
      `${sent} sent, ${failed} failed, ${lost} lost, ${duplicates} twice, ${broken} 5xx\n`,
  );
  for (const problem of problems) say(problem);
  if (problems.length > 0) { for (const line of lines.slice(-20)) say(line); }
  return problems.length > 0 ? 1 : 0;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
