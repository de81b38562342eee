/** The examples of the documentation work, against a running system. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { ENDPOINTS, errorBodySchema, listSchema, TOKEN_SCOPES } from "@posthaste/contracts";
import { freePort } from "@posthaste/embedded";
import { byDay, openSmtpSink } from "@posthaste/kit";
import { pngOf } from "./png_of.ts";
import { type Example, readExamples } from "./read_examples.ts";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = readExamples(ROOT);
const CURLS = EXAMPLES.filter(({ language, text }) => language === "sh" && /^curl /m.test(text));
const SENDER = "billing@northwind.example";
const NAME = { name: "name", required: true };
/** Its server does not know it. */
const NOBODY = "nobody@example.net";
/** Address of the interface in the pages. */
const LOCAL = /http:\/\/localhost:8080\/v1/g;
/** Address of the dashboard in the pages. */
const DASHBOARD = /http:\/\/localhost:8081/g;
/** A day in the pages to which a send is put off. */
const LATER_DAY = "2026-01-03";

/** Pages whose blocks of TypeScript continue each other; the quick start is a program of its own. */
const PAGES_OF_PROGRAMS = [
  ...new Set(EXAMPLES.filter(({ language }) => language === "ts").map(({ page }) => page)),
].filter((page) => page !== "docs/quick_start.md");

/** Programs that run a file of a language. */
const RUNTIMES: Readonly<Record<string, readonly [file: string, ...command: string[]]>> = {
  ts: ["program.ts", process.execPath],
  python: ["program.py", "python3"],
  go: ["program.go", "go", "run"],
  php: ["program.php", "php"],
  ruby: ["program.rb", "ruby"],
  java: ["QuickStart.java", "java"],
};
/** These start within a moment. */
const QUICK = ["ts", "python", "php", "ruby"];

let system: JoinedSystem;
let folder: string;
let environment: NodeJS.ProcessEnv;
/** Ids of a finished send. */
let gone: Ids;
/** Ids of sends that wait for a server that does not listen. */
let toCancel: Ids;
let toRetry: Ids;
/** Ids of a send that waits for its time. */
let scheduled: Ids;
/** Ids of a send that its server refuses. */
let refused: Ids;
let opened: AsyncDisposableStack;

interface Ids {
  send: string;
  message: string;
}

before(async () => {
  await using stack = new AsyncDisposableStack();
  const sink = stack.use(await openSmtpSink());
  sink.behave(({ stage, address }) =>
    stage === "rcpt" && address === NOBODY ? { reply: "550 5.7.1 Not here" } : undefined
  );
  system = stack.use(await joinSystem());
  await publishTemplates();
  const senders = [SENDER];
  const working = await system.connect(sink.port, { senders });
  const dead = await system.connect(await freePort(), { senders });
  const { accountId } = system;
  const { token } = await system.store.tokens.create({
    ...{ accountId, name: "examples", scopes: [...TOKEN_SCOPES] },
  });
  [gone, toCancel, toRetry, scheduled, refused] = await Promise.all([
    send(working),
    send(dead),
    send(dead),
    send(working, { sendAt: inDays(2) }),
    send(working, { to: [{ email: NOBODY }] }),
  ]);
  folder = await mkdtemp(join(tmpdir(), "posthaste-examples-"));
  stack.defer(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "node_modules/@posthaste"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "logo.png"), pngOf(8, 8));
  await symlink(join(ROOT, "client"), join(folder, "node_modules/@posthaste/client"));
  const url = system.stack.apiUrl;
  environment = {
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    ...{ HOME: folder, POSTHASTE_URL: url, BASE: url, POSTHASTE_TOKEN: token },
  };
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Publishes templates of the aliases, ids and variables that the demonstration has. */
async function publishTemplates(): Promise<void> {
  const mail = { subject: "Hi {{name}}", html: "<p>{{name}}</p>" };
  await system.publishEmail({ ...mail, alias: "invoice" });
  await system.publishEmail({ ...mail, alias: "welcome", variables: [NAME] });
  await system.publishPdf({ html: "<p>{{number}}</p>", alias: "invoice" });
  await system.publishPdf({ html: "<p>{{number}}</p>" });
}

async function send(integration: number, more: object = {}): Promise<Ids> {
  const { id, messages: [message] } = await system.send({
    ...{ template: "welcome", integration, from: { email: SENDER } },
    ...{ to: [{ email: "jane@example.net" }], variables: { name: "Jane" } },
    ...more,
  });
  await system.untilResting(id);
  return { send: id, message: message?.id ?? "" };
}

test("every command with curl in the documentation returns the answer on its page", async (t) => {
  assert.ok(CURLS.length > 15);
  for (const example of CURLS) {
    const where = `${example.page}:${example.line}`;
    if (!example.isRun) {
      t.diagnostic(`${where} is not run`);
      continue;
    }
    const ids = example.text.includes(LATER_DAY)
      ? scheduled
      : /\/cancel\b/.test(example.text)
      ? toCancel
      : /\/retry\b/.test(example.text)
      ? toRetry
      : gone;
    const { code, stdout, stderr } = await run("sh", ["-ec", scriptOf(example, ids)], {
      cwd: example.text.includes("@logo.png") ? folder : ROOT,
      env: { SEND: ids.send, MESSAGE: ids.message },
    });
    assert.equal(code, 0, `${where}\n${example.text}\n${stdout}\n${stderr}`);
  }
});

/** Returns a script in which curl fails on refusals, and placeholders are ids. */
function scriptOf({ text }: Example, { send, message }: Ids): string {
  const command = text.replaceAll("snd_…", send).replaceAll("msg_…", message)
    .replaceAll(DASHBOARD, system.stack.dashboardUrl)
    .replaceAll(LATER_DAY, inDays(3).slice(0, LATER_DAY.length));
  return `curl() { command curl --fail-with-body -sS --max-time 60 "$@"; }\n${
    command.replaceAll(LOCAL, "$BASE")
  }`;
}

test("every answer that the documentation shows below a command is one of the interface", () => {
  // The envelope is the body of a request: docs_test.ts of the api reads it.
  const answers = EXAMPLES.filter(({ language, page, section }) =>
    language === "json" && section !== "Envelope" &&
    ["README.md", "docs/http.md", "docs/quick_start.md"].includes(page)
  );
  assert.ok(answers.length > 10);
  for (const answer of answers) {
    const { page, line, section } = answer;
    const value = JSON.parse(answer.text);
    const commands = CURLS.filter((each) => each.page === page && each.section === section);
    const schemas = commands.flatMap(({ text }) => endpointsOf(text)).flatMap(({ answer }) => [
      answer,
      listSchema(answer as never),
    ]);
    const possible = schemas.length === 0 ? [errorBodySchema] : schemas;
    if (value.error === "Unauthenticated") continue;
    const isKnown = possible.some((schema) => schema.safeParse(value).success);
    assert.ok(isKnown, `${page}:${line} is no answer of ${commands.length} commands`);
  }
});

/** Returns the endpoints that a script calls. */
function endpointsOf(script: string) {
  const calls = [
    ...script.matchAll(/curl (-X POST )?"?\S*?(\$BASE|\$POSTHASTE_URL|\/v1)([^"\s?]*)/g),
  ];
  return calls.flatMap(([, , , path]) =>
    ENDPOINTS.filter((endpoint) => {
      const pattern = endpoint.path.replace(/^\/v1/, "").replaceAll(/\{\w+\}/g, "[^/]+");
      return new RegExp(`^${pattern}$`).test(path ?? "");
    })
  );
}

test("the programs in TypeScript are correct in their types, page by page", async () => {
  const programs = EXAMPLES.filter(({ language }) => language === "ts");
  const pages = Map.groupBy(programs, ({ page }) => page);
  assert.ok(pages.size > 1);
  const files: string[] = [];
  for (const [page, examples] of pages) {
    const file = `${page.replaceAll(/\W/g, "_")}.ts`;
    await writeFile(join(folder, file), examples.map((each) => each.text).join("\n"));
    files.push(file);
  }
  const { code, stdout } = await run(process.execPath, [
    ...[join(ROOT, "node_modules/typescript/bin/tsc"), "--ignoreConfig", "--noEmit", "--strict"],
    ...["--module", "nodenext", "--target", "esnext", "--allowImportingTsExtensions"],
    ...["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types"), "--skipLibCheck"],
    ...files,
  ]);
  assert.equal(code, 0, stdout);
});

for (const page of PAGES_OF_PROGRAMS) {
  test(`the programs in TypeScript of ${page} run, in one file after each other`, async () => {
    const texts = EXAMPLES.filter((each) => each.language === "ts" && each.page === page)
      .map((each) => each.text);
    // One that follows the feed has no end: it runs last, until it prints an event.
    const isEndless = (text: string) => text.includes(".follow(");
    const program = [
      ...texts.filter((text) => !isEndless(text)),
      'console.log("all others are done");\n',
      ...texts.filter(isEndless),
    ];
    const file = `run_${page.replaceAll(/\W/g, "_")}.ts`;
    await writeFile(join(folder, file), program.join("\n"));
    // An earlier command retries it: it waits, and then fails again.
    await system.untilDone(refused.send);
    const { code, stdout, stderr } = await run(process.execPath, [file], {
      ...(texts.some(isEndless) ? { until: /done[^]*messageId/ } : {}),
    });
    assert.match(stdout, /all others are done/, stderr);
    assert.equal(stderr, "");
    assert.ok(code === 0 || texts.some(isEndless), stderr);
    // From the list of failed messages, and the event of one.
    assert.match(stdout, /nobody@example\.net[^]*done[^]*messageId: 'msg_/, stdout);
  });
}

const PROGRAMS = EXAMPLES.filter(({ language, page }) =>
  page === "docs/quick_start.md" && language in RUNTIMES
);

test("the quick starts are in six languages and curl", () => {
  assert.deepEqual(PROGRAMS.map(({ language }) => language), Object.keys(RUNTIMES));
});

for (const { language, text } of PROGRAMS) {
  test(`the quick start in ${language} sends a mail and reads its state`, async (t) => {
    const [file = "", program = "", ...args] = RUNTIMES[language] ?? [];
    if (byDay(!QUICK.includes(language), false)) return t.skip("left to the night");
    if (spawnSync("sh", ["-c", `command -v "${program}"`]).status !== 0) {
      return t.skip(`"${program}" is not installed: this example was not run`);
    }
    await writeFile(join(folder, file), text);
    const { code, stdout, stderr } = await run(program, [...args, file]);
    assert.equal(code, 0, stderr);
    const [id] = /snd_\w+/.exec(stdout) ?? [];
    const { status, body } = await system.get<{ messageCount: number }>(`/sends/${id}`);
    assert.deepEqual([status, body.messageCount], [200, 1]);
  });
}

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** What a program prints before it is ended. */
  until?: RegExp;
}

/** Returns the time in so many days. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

async function run(
  program: string,
  args: string[],
  { cwd = folder, env = {}, until }: RunOptions = {},
) {
  const child = spawn(program, args, {
    cwd,
    env: { ...environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (until !== undefined) {
    let printed = "";
    child.stdout.on("data", (part) => {
      printed += part;
      if (until.test(printed)) child.kill();
    });
  }
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
