import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { EVENTS } from "@posthaste/contracts";
import { PERMISSIONS, PERMITTED_SERVICES } from "@posthaste/runtime";
import { CONSUMERS, STORES, STREAMS, typeOfSubject } from "./topology.ts";

const DAY_MS = 86_400_000;
const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 * MEBIBYTE;

async function pageOf(path: string): Promise<string> {
  return await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** Returns the time and the size of a stream or a store, as pages write them. */
function planOf(name: string): { time: string; size: string } {
  const stream = STREAMS.find((plan) => plan.name === name);
  const store = STORES.find((plan) => plan.name === name);
  const [ms, bytes] = [stream?.maxAgeMs ?? store?.ttlMs, stream?.maxBytes ?? store?.maxBytes];
  assert.ok(ms !== undefined && bytes !== undefined, `no stream or store "${name}"`);
  const days = ms / DAY_MS;
  const size = bytes < GIBIBYTE ? `${bytes / MEBIBYTE} MiB` : `${bytes / GIBIBYTE} GiB`;
  return { time: `${days} ${days === 1 ? "day" : "days"}`, size };
}

const [RENDER, PRINT, MAIL] = [planOf("RENDER"), planOf("PRINT"), planOf("MAIL")];
const [STATUS, PDFS, CONTENTS] = [planOf("STATUS"), planOf("pdfs"), planOf("contents")];

const ON_DISK = [...STREAMS.filter(({ storage }) => storage === "file"), ...STORES];
const RESERVED = `${ON_DISK.reduce((sum, { maxBytes }) => sum + maxBytes, 0) / GIBIBYTE} GiB`;

/** What pages say of the times and sizes in `topology.ts`. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  "docs/operations.md": [
    `report of the last ${STATUS.time};`,
    `(they are kept for ${STATUS.time})`,
    `| broker: \`RENDER\`, \`PRINT\`, \`MAIL\` | until they are consumed; ${MAIL.time} at most |`,
    `| broker: \`STATUS\` | ${STATUS.time} |`,
    `| broker: \`contents\`, \`pdfs\` | ${CONTENTS.time}, ${PDFS.time} |`,
    `| \`RENDER\`, \`PRINT\`, \`MAIL\` | ${MAIL.size} each, less on a small disk |`,
    `| \`STATUS\` | ${STATUS.size}, ${STATUS.time} |`,
    `| \`pdfs\`, \`contents\` | ${PDFS.size} for ${PDFS.time}, ${CONTENTS.size} for ${CONTENTS.time} |`,
    `all of the above is ${RESERVED} |`,
  ],
  "docs/scaling.md": [
    `| status events, for ${STATUS.time} |`,
    `\`MAIL\` and \`RENDER\` hold ${MAIL.size}, \`STATUS\` ${STATUS.size} |`,
  ],
  "deploy/k8s/components/nats/nats.conf": [`The streams reserve ${RESERVED}.`],
};

test("the streams of the stages have one time and size, as the pages say", () => {
  assert.deepEqual([RENDER, PRINT], [MAIL, MAIL]);
});

for (const [path, sentences] of Object.entries(SENTENCES)) {
  test(`${path} gives the times and sizes of the streams`, async () => {
    // Sentences may break at any word.
    const page = (await pageOf(path)).replaceAll(/\s+/g, " ");
    assert.deepEqual(sentences.filter((sentence) => !page.includes(sentence)), []);
  });
}

/** Returns the internal events in a cell of a table, without status events, which the text describes. */
function eventsIn(cell: string): string[] {
  const names = [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => name);
  return names.filter((name) => Object.hasOwn(EVENTS, name)).toSorted();
}

function typesOf(subjects: readonly string[]): string[] {
  const work = subjects.filter((subject) => !subject.startsWith("status."));
  return [...new Set(work.map((subject) => typeOfSubject(subject)))].map(String).toSorted();
}

test("docs/architecture.md names the events that each service consumes and emits", async () => {
  const [, section = ""] = (await pageOf("docs/architecture.md")).split("\n## Services\n");
  const rows = (section.trim().split("\n\n")[0] ?? "").split("\n").slice(2);
  const documented = rows.map((row) => {
    const [service = "", consumed = "", , emitted = ""] = row.split("|").slice(1);
    return [service.trim(), { consumes: eventsIn(consumed), emits: eventsIn(emitted) }] as const;
  });
  const are = PERMITTED_SERVICES.map((name) => {
    const own = CONSUMERS.filter((consumer) => consumer.name.startsWith(`${name}_`));
    const { makes } = PERMISSIONS[name].broker;
    const consumes = typesOf(own.flatMap(({ filterSubjects }) => filterSubjects));
    return [name, { consumes, emits: typesOf(makes) }] as const;
  });
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(are));
});
