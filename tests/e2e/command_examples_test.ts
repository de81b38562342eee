/** The commands of the command line in the documentation work, in the order of each page. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { nightly, openTestMongo, openTestNats } from "@posthaste/kit";
import { openBus } from "@posthaste/messaging";
import { openStore } from "@posthaste/storage";
import { type Example, readExamples } from "./read_examples.ts";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";

nightly("cli/command_line_test.ts", "cli/operations_test.ts", "tests/e2e/examples_test.ts");

const ROOT = join(import.meta.dirname, "../..");
const COMMANDS = readExamples(ROOT).filter(({ language, text }) =>
  language === "sh" && /^(npm run )?posthaste /m.test(text)
);
/** Commands that have a token instead of a ledger. */
const isRemote = ({ text }: Example) => text.includes("POSTHASTE_TOKEN=");

let system: JoinedSystem;
let folder: string;
/** The settings of an operator whose services are stopped. */
let operator: NodeJS.ProcessEnv;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), "posthaste-commands-"));
  stack.defer(() => rm(folder, { recursive: true }));
  await cp(join(ROOT, "dev/demo"), join(folder, "templates"), {
    recursive: true,
    filter: (path) => !/\.(ts|json)$/.test(path) || /\/(email|pdf)\//.test(path),
  });
  const mongo = stack.use(await openTestMongo());
  const nats = stack.use(await openTestNats());
  {
    await using store = await openStore({ url: mongo.url });
    await store.ensureIndexes();
    await using bus = await openBus({ url: nats.url, name: "test" });
    await bus.applyTopology();
  }
  operator = {
    ...{ MONGODB_URL: mongo.url, NATS_URL: nats.url },
    MASTER_KEY: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
  };
  system = stack.use(await joinSystem());
  opened = stack.move();
});
after(() => opened?.disposeAsync());

test("the commands of the command line in the documentation succeed", async (t) => {
  const local = COMMANDS.filter((example) => !isRemote(example));
  const count = local.filter(({ isRun }) => isRun).length;
  assert.ok(count > 5, `${count} blocks are run`);
  for (const example of local) {
    if (example.isRun) await run(example, { env: operator });
    else t.diagnostic(`${example.page}:${example.line} is not run`);
  }
});

test("pull, diff and push of the documentation succeed with a token", async () => {
  const { accountId, store, stack: { dashboardUrl } } = system;
  await system.publishEmail({ alias: "welcome", subject: "Hi", html: "<p>Hi</p>" });
  const { token } = await store.tokens.create({
    ...{ accountId, name: "examples", scopes: ["manage:templates"] },
  });
  const remote = COMMANDS.filter(isRemote);
  assert.equal(remote.length, 1);
  const cwd = join(folder, "remote");
  await mkdir(cwd);
  for (const example of remote) {
    const script = example.text.replace("https://mail.example.com", dashboardUrl)
      .replace("ph_…", token);
    await run({ ...example, text: script }, { cwd });
  }
});

/** Runs a block of commands. What asks for a password reads it from the standard input. */
async function run(
  { page, line, text: commands }: Example,
  { cwd = folder, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<void> {
  const script = `posthaste() { node "${join(ROOT, "cli/main.ts")}" "$@"; }\n${
    commands.replaceAll("npm run posthaste --", "posthaste")
  }`;
  const child = spawn("sh", ["-ec", script], {
    cwd,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      ...{ HOME: folder, DATA_DIR: folder, ...env },
    },
  });
  child.stdin.on("error", () => undefined).end("a password\n");
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  assert.equal(code, 0, `${page}:${line}\n${commands}\n${stdout}\n${stderr}`);
}
