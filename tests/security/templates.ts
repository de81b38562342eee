import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  InvalidTemplateError,
  openSandbox,
  RenderError,
  type Sandbox,
} from "@posthaste/templating";
import { openRandom } from "@posthaste/chaos";
import { publishBombs } from "./publish_bombs.ts";
import type { AttackRow } from "./row.ts";
import { PROTOTYPE_CHAINS, TEMPLATE_BOMBS } from "./template_bombs.ts";
import { randomData, randomTemplate } from "./template_grammar.ts";

/** How {@linkcode attackTemplates} attacks. */
export interface AttackTemplatesOptions {
  /** Number of templates from the grammar. */
  tries: number;
  seed: number;
  /** Leaves out the bombs that end only at the time limit. */
  isShort?: boolean;
  /** The share of the template bombs that are tried, from 0 to 1. @default {1} */
  share?: number;
  onProgress?(line: string): void;
}

const TIME_LIMIT_MS = 2_000;
const SHORT_LIMIT_MS = 700;
const PUBLISH_LIMIT_MS = 15_000;
/** Time for a killed worker to start again on a busy machine. */
const SLACK_MS = 5_000;

/** Texts in an error that no author of a template understands, or that reveal the machine. */
const UNCLEAR =
  /\[object|undefined|not a function|Cannot read|node_modules|\.[jt]s\b|\/libs\/|stack/i;
/** Texts in the output of a template that has reached more than its data. */
const LEAKED = /\[native code\]|\[object |function \w*\(|through|ADMIN/;

interface Attack extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Runs one attack while another account renders, and returns the fault. */
  readonly try: (name: string, malicious: () => Promise<string>) => Promise<string | undefined>;
  /** Number of attacks that produced a text, and the other account's longest wait. */
  readonly seen: { texts: number; longestMs: number };
}

function openAttack({ isShort = false }: AttackTemplatesOptions): Attack {
  const sandbox = openSandbox({
    workers: 2,
    timeLimitMs: isShort ? SHORT_LIMIT_MS : TIME_LIMIT_MS,
    publishTimeLimitMs: PUBLISH_LIMIT_MS,
  });
  let count = 0;
  const seen = { texts: 0, longestMs: 0 };

  async function innocent(): Promise<string | undefined> {
    const name = `<${++count}>`;
    const started = performance.now();
    const template = { key: "innocent", source: "Dear {{name}}", escape: "html" } as const;
    const [result] = await sandbox.fill({
      owner: "innocent",
      templates: { html: template },
      fills: [{ data: { name } }],
    });
    const took = performance.now() - started;
    seen.longestMs = Math.max(seen.longestMs, took);
    const text = result?.ok ? result.parts["html"] : result?.error.message;
    if (text !== `Dear &lt;${count}&gt;`) return `the innocent got "${text}"`;
    if (took > TIME_LIMIT_MS + SLACK_MS) return `the innocent waited ${Math.round(took)} ms`;
    return undefined;
  }

  async function attempt(malicious: () => Promise<string>): Promise<string | undefined> {
    try {
      const output = await malicious();
      seen.texts++;
      return LEAKED.test(output) ? `it printed ${JSON.stringify(output.slice(0, 200))}` : undefined;
    } catch (error) {
      const isClear = error instanceof RenderError || error instanceof InvalidTemplateError;
      if (!isClear || error.message.length > 1_000 || UNCLEAR.test(error.message)) {
        return `the error is not clear: ${String(error).slice(0, 300)}`;
      }
      return undefined;
    }
  }

  return {
    sandbox,
    seen,
    try: async (name, malicious) => {
      const beside = attempt(malicious);
      const wrong = [await innocent(), await beside, await innocent()].find(Boolean);
      return wrong && `${name}: ${wrong}`;
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/**
 * Attacks the sandbox with templates: bombs, prototype chains, syntax trees, forbidden files in publishing,
 * and a grammar that writes any template. An attack gets through if it ends in anything but text or a clear
 * error, prints forbidden text, or delays or changes the render of another account.
 */
export async function attackTemplates(options: AttackTemplatesOptions): Promise<AttackRow[]> {
  await using attack = openAttack(options);
  const rows: AttackRow[] = [];
  for (const part of [bombs, prototypes, trees, publishing, grammar]) {
    Object.assign(attack.seen, { texts: 0, longestMs: 0 });
    const [row, ...more] = [await part(attack, options)].flat();
    if (row === undefined) continue;
    const { texts, longestMs } = attack.seen;
    const seen = `${texts} gave a text, and the other account waited ${
      longestMs.toFixed(0)
    } ms at most`;
    rows.push({ ...row, note: row.note === undefined ? seen : `${seen}; ${row.note}` }, ...more);
    options.onProgress?.(`${row.attack}: ${row.through} of ${row.tries} got through; ${seen}`);
  }
  return rows;
}

async function tally(
  attack: string,
  tries: readonly (() => Promise<string | undefined>)[],
): Promise<AttackRow> {
  const started = performance.now();
  const wrong: string[] = [];
  for (const each of tries) {
    const found = await each();
    if (found) wrong.push(found);
  }
  return {
    attack,
    tries: tries.length,
    through: wrong.length,
    ...wrong.length > 0 ? { note: wrong.slice(0, 5).join("; ") } : {},
    seconds: (performance.now() - started) / 1_000,
  };
}

async function fillWith(sandbox: Sandbox, source: unknown, data: unknown): Promise<string> {
  const template = { key: "malicious", source: source as string, escape: "html" } as const;
  const fill = { data: data as Record<string, unknown> };
  const [result] = await sandbox.fill({
    owner: "malicious",
    templates: { html: template },
    fills: [fill],
  });
  if (!result?.ok) throw result?.error;
  return result.parts["html"] ?? "";
}

async function checkOf(sandbox: Sandbox, source: unknown): Promise<string> {
  const { errors } = await sandbox.check({ html: source as string }, { owner: "malicious" });
  if (errors.length > 0) throw new InvalidTemplateError(errors);
  return "";
}

function bombs(
  { sandbox, try: attempt }: Attack,
  { isShort = false, share = 1 }: AttackTemplatesOptions,
): Promise<AttackRow> {
  const some = TEMPLATE_BOMBS.filter(({ isLong }) => !(isShort && isLong));
  const chosen = shareOf(some, share);
  return tally(
    "template bombs, filled and checked",
    chosen.flatMap(({ name, source, data = {} }) => [
      () => attempt(name, () => fillWith(sandbox, source, data)),
      () => attempt(`check of ${name}`, () => checkOf(sandbox, source)),
    ]),
  );
}

/** Returns an evenly spaced share of the items. */
function shareOf<Item>(all: readonly Item[], share: number): readonly Item[] {
  return all.filter((_, at) => at % Math.round(1 / share) === 0);
}

function prototypes({ sandbox, try: attempt }: Attack): Promise<AttackRow> {
  const data = JSON.parse(
    `{"text":"t","n":1,"list":[{"a":1}],"o":{"__proto__":{"admin":"ADMIN"}},
      "__proto__":{"admin":"ADMIN","toString":"s"}}`,
  );
  const keys = [
    "{{admin}}",
    "{{o.admin}}",
    "{{#with o}}{{admin}}{{/with}}",
    "{{lookup o 'admin'}}",
  ];
  return tally("prototype chains", [
    ...PROTOTYPE_CHAINS.map((source) => () =>
      attempt(source, () => fillWith(sandbox, source, { text: "t", n: 1, list: [{ a: 1 }, "s"] }))
    ),
    ...keys.map((source) => () => attempt(source, () => fillWith(sandbox, source, data))),
  ]);
}

function trees({ sandbox, try: attempt }: Attack): Promise<AttackRow> {
  const loc = { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } };
  const code = "},{});process.exit(7);({";
  const path = {
    type: "PathExpression",
    original: "a",
    parts: ["a"],
    depth: code,
    data: false,
    loc,
  };
  const values = [
    { type: "NumberLiteral", value: code, original: code, loc },
    { type: "BooleanLiteral", value: code, original: code, loc },
  ];
  const asts: unknown[] = [
    { type: "Program", body: [], strip: {}, loc },
    ...[path, ...values].map((param) => ({
      type: "Program",
      strip: {},
      loc,
      body: [{
        type: "MustacheStatement",
        path: { ...path, original: "lookup", parts: ["lookup"], depth: 0 },
        params: [param, param],
        escaped: true,
        strip: {},
        loc,
      }],
    })),
    ["{{a}}"],
    { toString: "x" },
    1,
    null,
    new Map([["type", "Program"]]),
  ];
  return tally(
    "syntax trees in place of text",
    asts.flatMap((ast, n) => [
      async () => {
        const wrong = await attempt(`tree ${n}`, async () => {
          const text = await fillWith(sandbox, ast, {});
          return `through: "${text}"`;
        });
        return wrong;
      },
      () => attempt(`check of tree ${n}`, () => checkOf(sandbox, ast)),
    ]),
  );
}

async function publishing(
  { sandbox, try: attempt }: Attack,
  { isShort = false, share = 1 }: AttackTemplatesOptions,
): Promise<AttackRow[]> {
  let heard = 0;
  const server = createServer((_, response) => {
    heard++;
    response.end("through");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.on("connection", () => heard++);
  const { port } = server.address() as AddressInfo;
  const all = publishBombs(`http://127.0.0.1:${port}`, import.meta.filename)
    .filter(({ isLong }) => !(isShort && isLong));
  const bombs = shareOf(all, share);
  const mine = "AttackTemplatesOptions";
  const row = await tally(
    "HTML, CSS and MJML bombs, published",
    bombs.map(({ name, html }) => () =>
      attempt(name, async () => {
        const published = await sandbox.publishEmail({ subject: "s", html }, {
          owner: "malicious",
        });
        const isRead = (published.html + published.text).includes(mine);
        return isRead ? "through" : "";
      })
    ),
  );
  server.closeAllConnections();
  server.close();
  const canary = { attack: "requests made while publishing", tries: bombs.length, seconds: 0 };
  return [row, { ...canary, through: heard }];
}

function grammar(
  { sandbox, try: attempt }: Attack,
  { tries, seed, onProgress }: AttackTemplatesOptions,
): Promise<AttackRow> {
  const random = openRandom(`templates/${seed}`);
  return tally(
    "templates written by a grammar, with random values",
    Array.from({ length: tries }, (_, n) => async () => {
      const own = random.fork(String(n));
      const source = randomTemplate(own);
      const data = randomData(own);
      if (n > 0 && n % 1_000 === 0) onProgress?.(`${n} of ${tries} templates`);
      return await attempt(`seed ${seed}, template ${n}`, () => fillWith(sandbox, source, data));
    }),
  );
}
