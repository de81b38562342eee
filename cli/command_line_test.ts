import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, mkdtempDisposable, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { messageIdOf, newSendId, webhookSettingsSchema } from "@posthaste/contracts";
import {
  bindPassword,
  openSecret,
  openStore,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
  type Store,
  verifyPassword,
  WEBHOOK_SECRET,
} from "@posthaste/storage";
import {
  byDay,
  openTestMongo,
  openTestNats,
  testCertificate,
  type TestMongo,
  testSend,
  voidAttempt,
} from "@posthaste/kit";
import { type CliOptions, runCli, runCliProcess } from "./_run_cli.ts";
import { EXIT } from "./exit_code.ts";

const MASTER_KEY = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
let mongo: TestMongo;
let store: Store;
let env: Record<string, string>;
// It takes 5 s, until the driver gives up: the other tests run meanwhile.
const unreachable = runCli(["accounts", "list"], {
  env: { MONGODB_URL: "mongodb://127.0.0.1:1/" },
});

before(async () => {
  mongo = await openTestMongo();
  store = await openStore({ url: mongo.url });
  await store.ensureIndexes();
  env = { MONGODB_URL: mongo.url, MASTER_KEY };
});

after(async () => {
  await store[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

function run(args: string, options: CliOptions = {}) {
  return runCli(args.split(" "), { ...options, env: { ...env, ...options.env } });
}

/** Runs a command as a process, for tests about processes. */
function runProcess(args: string, options: CliOptions = {}) {
  return runCliProcess(args.split(" "), { ...options, env: { ...env, ...options.env } });
}

test("runCommandLine() explains itself on every level and knows its version", async () => {
  const levels = ["", "tokens", "tokens create", "integrations create", "import", "status"];
  const runs = await Promise.all(levels.map((level) => run(`${level} --help`.trim())));
  for (const { code, stdout } of runs) {
    assert.equal(code, EXIT.ok);
    assert.match(stdout, /^Usage: posthaste/);
    assert.match(stdout, /\n {2}posthaste /, "has an example");
  }
  assert.match((await run("--version")).stdout, /^\d+\.\d+\.\d+\n$/);
});

test("runCommandLine() ends with 2 for wrong arguments", async () => {
  const wrong = ["acounts", "tokens create", "status x", "integrations list", "accounts list --x"];
  for (const { code, stdout, stderr } of await Promise.all(wrong.map((args) => run(args)))) {
    assert.equal(code, EXIT.usage, stderr);
    assert.equal(stdout, "");
    assert.match(stderr, /^error: /);
  }
  const { code, stdout, stderr } = await runCliProcess(["accounts", "list"]);
  assert.equal(code, EXIT.usage);
  assert.equal(stdout, "");
  assert.match(stderr, /^error: Cannot connect: MONGODB_URL is not set, and "npm start" has not/);
  assert.match(
    stderr,
    /"\/nowhere\/stack\.json"\nremedy: set MONGODB_URL, or start .* DATA_DIR\n$/,
  );
});

test("the command line ends quietly with 1 when its output is closed", async () => {
  const main = join(import.meta.dirname, "main.ts");
  const pipeline = '{ "$0" "$1" --help; echo "$?" >&2; } | true';
  const { stderr } = await promisify(execFile)("sh", ["-c", pipeline, process.execPath, main]);
  assert.equal(stderr, `${EXIT.failed}\n`);
});

test("the command line loads the clients of database and broker only for commands that need them", async () => {
  const watch = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      if (/\\/node_modules\\/(mongodb|@nats-io)\\//.test(url)) process.stderr.write(url);
      return next(url, context);
    } });`;
  const { stderr } = await promisify(execFile)(process.execPath, [
    ...["--import", `data:text/javascript,${encodeURIComponent(watch)}`],
    ...[join(import.meta.dirname, "main.ts"), "--help"],
  ]);
  assert.equal(stderr, "");
});

test("accountsCommand() creates an account once and lists it", async () => {
  const created = await run("accounts create bakery --json");
  assert.equal(created.code, EXIT.ok, created.stderr);
  const account = JSON.parse(created.stdout);
  assert.match(account.id, /^acc_/);
  const again = await run("accounts create bakery --json");
  assert.equal(again.code, EXIT.refused);
  assert.match(JSON.parse(again.stdout).error, /the name is taken/);
  const list = await runProcess("accounts list");
  assert.match(list.stdout, /^NAME +ID +CREATED\n/);
  assert.match(list.stdout, new RegExp(`bakery +${account.id}`));
  assert.ok(!list.stdout.includes("\x1b"), "no colours in a pipe");
});

test("a command asks which of several accounts with one name is meant", async () => {
  const { _id: userId } = await store.people.create({
    ...{ email: "two@example.com", name: "Two", passwordHash: null },
  });
  const ids: string[] = [];
  for (let n = 0; n < 2; n++) {
    ids.push((await store.people.createOwnedAccount({ name: "Namesake", userId }))._id);
  }
  const unclear = await run("tokens list --account Namesake");
  assert.equal(unclear.code, EXIT.refused);
  assert.match(
    unclear.stderr,
    new RegExp(`2 have the name "Namesake"\nremedy: use an id: ${ids[0]}`),
  );
  assert.equal((await run(`tokens list --account ${ids[1]}`)).code, EXIT.ok);
});

test("tokensCommand() prints a token once, lists it and revokes it", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "token-shop" });
  const create = "tokens create --account token-shop --name site --scopes render,send";
  const created = await run(`${create} --expires 90d`);
  assert.equal(created.code, EXIT.ok, created.stderr);
  const token = created.stdout.trim();
  const record = await store.tokens.find(token);
  assert.equal(record?.accountId, accountId);
  assert.deepEqual(record?.scopes, ["render", "send"]);
  const days = (record?.expiresAt?.getTime() ?? 0) - Date.now();
  assert.ok(Math.abs(days / 86_400_000 - 90) < 0.01);

  const listed = await run("tokens list --account token-shop --json");
  assert.ok(!listed.stdout.includes(token));
  assert.equal(JSON.parse(listed.stdout)[0].state, "live");
  const prefix = token.slice(0, 9);
  assert.equal((await run(`tokens revoke ${prefix}`)).code, EXIT.ok);
  assert.equal(await store.tokens.find(token), null);
  assert.match((await run(`tokens revoke ${record?._id}`)).stdout, /was already revoked/);
  assert.equal((await run("tokens revoke ph_nobody")).code, EXIT.notFound);
});

test("tokensCommand() limits a token, and rolls it into one like it", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "roll-shop" });
  const create = "tokens create --account roll-shop --name site --scopes send --expires 90d";
  const limits = "--address 203.0.113.0/24 --address ::1 --template 2 --integration 1";
  const old = (await run(`${create} ${limits}`)).stdout.trim();
  assert.equal((await run(`${create} --address example.com`)).code, EXIT.usage);
  assert.equal((await run(`${create} --template x`)).code, EXIT.usage);
  const rolled = await run(`tokens roll ${old.slice(0, 9)} --overlap 1h`);
  assert.equal(rolled.code, EXIT.ok, rolled.stderr);
  const limitsOf = async (token: string) => {
    const { addresses, templates, integrations } = await store.tokens.find(token) ?? {};
    return { addresses, templates, integrations };
  };
  const expected = { addresses: ["203.0.113.0/24", "::1"], templates: [2], integrations: [1] };
  assert.deepEqual(await limitsOf(rolled.stdout.trim()), expected);
  const ending = await store.tokens.find(old);
  const left = (ending?.expiresAt?.getTime() ?? 0) - Date.now();
  assert.ok(left > 3_500_000 && left <= 3_600_000, `${left} ms`);
  const [line] = await store.audit.list(accountId, { limit: 1 });
  assert.equal(line?.action, "token.rolled");
  await run(`tokens revoke ${old.slice(0, 9)}`);
  const again = await run(`tokens roll ${old.slice(0, 9)}`);
  assert.deepEqual([again.code, /it is revoked/.test(again.stderr)], [EXIT.usage, true]);
});

test("usersCommand() lists people, and sets a password that ends their sessions", async () => {
  const user = await store.people.create({
    email: "Lost@example.com",
    name: "Lo",
    passwordHash: null,
  });
  const at = new Date();
  await store.sessions.create({
    ...{ _id: "lost", userId: user._id, accountId: "acc_1", csrfToken: "x", userAgent: "" },
    ...{ createdAt: at, lastSeenAt: at, expiresAt: new Date(at.getTime() + 60_000) },
  });
  const setPassword = "users set-password lost@example.com --password-stdin";
  const short = await run(setPassword, { stdin: "short" });
  assert.equal(short.code, EXIT.refused);
  assert.match(short.stderr, /at least 12 characters/);
  const set = await run(setPassword, { stdin: "a long enough password\n" });
  assert.match(set.stdout, /1 browser was signed out/);
  const { passwordHash } = await store.people.find(user._id) ?? {};
  assert.ok(await verifyPassword("a long enough password", passwordHash ?? ""));
  assert.equal(await store.sessions.find("lost", at), null);
  assert.match((await run("users list")).stdout, /lost@example.com +no +Lo +password .* usr_/);
  assert.equal((await run("users set-password nobody@example.com")).code, EXIT.notFound);
});

test("usersCommand() adds an entry to the audit log of each account of a person", async () => {
  const user = await store.people.create({
    ...{ email: "reported@example.com", name: "To", passwordHash: null },
  });
  const owner = await store.people.create({
    ...{ email: "other.owner@example.com", name: "Ow", passwordHash: null },
  });
  const accounts = await Promise.all(["reported-1", "reported-2"].map(async (name) => {
    const { _id } = await store.people.createOwnedAccount({ name, userId: owner._id });
    await store.people.setMember({ accountId: _id, userId: user._id, role: "editor" });
    return _id;
  }));
  const set = await run("users set-password reported@example.com --password-stdin", {
    stdin: "a long enough password\n",
  });
  assert.equal(set.code, EXIT.ok, set.stderr);
  await run("users remove-second-factor reported@example.com");
  await run("users remove reported@example.com");
  for (const accountId of accounts) {
    const lines = await store.audit.list(accountId, { limit: 9 });
    assert.deepEqual(lines.map(({ action, target, details }) => [action, target, details["by"]]), [
      ["member.removed", "reported@example.com", "the command line"],
      ["second_factor.removed", "reported@example.com", "the command line"],
      ["password.changed", "reported@example.com", "the command line"],
    ]);
  }
});

test("usersCommand() removes a second factor that was lost, and signs the person out", async () => {
  const user = await store.people.create({
    ...{ email: "locked@example.com", name: "Lo", passwordHash: null },
  });
  const totp = { secret: "sealed", lastStep: 0 };
  await store.people.update(user._id, {
    secondFactor: { totp, passkeys: [], recoveryCodes: ["a".repeat(64)] },
  });
  const { stdout } = await run("users remove-second-factor locked@example.com");
  assert.match(stdout, /has no second factor any more/);
  assert.deepEqual((await store.people.find(user._id))?.secondFactor, {
    ...{ totp: null, passkeys: [], recoveryCodes: [] },
  });
});

test("usersCommand() asks which of several people with one address is meant", async () => {
  const shared = { email: "shared@example.com", name: "T", passwordHash: null };
  const [one, other] = [await store.people.create(shared), await store.people.create(shared)];
  const unclear = await run("users remove shared@example.com");
  assert.equal(unclear.code, EXIT.refused);
  assert.match(unclear.stderr, new RegExp(`use an id: ${one._id}, ${other._id}`));
  assert.equal((await run(`users remove ${one._id}`)).code, EXIT.ok);
  assert.equal((await run("users remove shared@example.com")).code, EXIT.ok);
});

test("usersCommand() removes a person, but not the only owner of an account", async () => {
  const gone = { email: "gone@example.com", name: "Go", passwordHash: null };
  const { _id: userId } = await store.people.create(gone);
  const { _id: accountId } = await store.people.createOwnedAccount({ name: "Go's", userId });
  const refused = await run("users remove gone@example.com");
  assert.equal(refused.code, EXIT.refused);
  assert.match(refused.stderr, /no other owner of "Go's"/);
  const other = await store.people.create({ ...gone, email: "stays@example.com" });
  await store.people.setMember({ accountId, userId: other._id, role: "owner" });
  assert.equal((await run("users remove Gone@example.com")).code, EXIT.ok);
  assert.equal(await store.people.find(userId), null);
  assert.equal((await store.people.listMembers(accountId)).length, 1);
  assert.equal((await run("users remove gone@example.com")).code, EXIT.notFound);
});

test("auditCommand() shows what commands did, whether the log is whole, and a copy of it", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "audited" });
  await run("tokens create --account audited --name Shop --scopes send");
  const checked = await run("audit check --account audited --json");
  assert.equal(checked.code, EXIT.ok);
  const [{ seq, digest }] = JSON.parse(checked.stdout);
  assert.equal(seq, 1);
  const exported = JSON.parse((await run("audit export --account audited --json")).stdout);
  assert.deepEqual([exported[0].action, exported[0].details.by], [
    ...["token.created", "the command line"],
  ]);
  assert.match(exported[0].target, /^token Shop \(ph_/);
  const kept = (line: string) => run(`audit check --account audited --kept ${line}`);
  assert.equal((await kept(`1:${digest}`)).code, EXIT.ok);
  const cut = await kept(`1:${"0".repeat(64)}`);
  assert.equal(cut.code, EXIT.failed);
  assert.match(cut.stdout, /the kept line is not there/);
  assert.equal((await run("audit check --kept 1:x")).code, EXIT.usage);
  await store.audit.note({
    ...{ accountId, at: new Date(), userId: "usr_gone", userEmail: "gone@example.com" },
    ...{ action: "token.revoked", target: "token", details: {} },
  });
  assert.match((await run("audit erase usr_gone")).stdout, /1 line erased/);
  assert.equal((await run("audit check --account audited")).code, EXIT.ok);
});

test("tokensCommand() refuses unknown scopes, lifetimes and accounts", async () => {
  const base = "tokens create --name x";
  const runs = await Promise.all([
    run(`${base} --account a --scopes admin`),
    run(`${base} --account a --scopes send --expires soon`),
    run(`${base} --account nobody --scopes send`),
  ]);
  assert.deepEqual(runs.map(({ code }) => code), [EXIT.usage, EXIT.usage, EXIT.notFound]);
  assert.match(runs[0]?.stderr ?? "", /no scope "admin"/);
});

test("integrationsCommand() seals the password, which is in no argument and no output", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "mail-shop" });
  const account = "--account mail-shop";
  const password = "s3cret with blanks";
  const created = await runProcess(
    `integrations create ${account} --name main --host smtp.example.com --port 587 --tls starttls ` +
      "--user mailer --sender a@example.com --sender b@example.com --retry-for 2d --password-stdin",
    { stdin: `${password}\n` },
  );
  assert.equal(created.code, EXIT.ok, created.stderr);
  assert.ok(created.commandLine.includes("mailer") && !created.commandLine.includes("s3cret"));
  const stored = await store.integrations.find(accountId, 1);
  assert.ok(stored?.auth?.kind === "password");
  const keys = readMasterKeys(MASTER_KEY);
  const binding = bindPassword({ ...stored, recordId: stored._id });
  assert.equal(openSecret(stored.auth.password, { ...binding, keys }), password);
  assert.deepEqual(stored.senders, ["a@example.com", "b@example.com"]);
  assert.equal(stored.retryForMs, 172_800_000);

  const changed = await run(`integrations update 1 ${account} --max-connections 9 --json`);
  assert.equal(JSON.parse(changed.stdout).maxConnections, 9);
  assert.deepEqual((await store.integrations.find(accountId, 1))?.auth, stored.auth);
  const listed = await run(`integrations list ${account} --json`);
  assert.deepEqual(JSON.parse(listed.stdout)[0].auth, { user: "mailer", method: null });
  assert.ok(!`${created.stdout}${created.stderr}${listed.stdout}`.includes("s3cret"));
  assert.match(
    (await run(`integrations list ${account}`)).stdout,
    /smtp\.example\.com:587 +starttls/,
  );

  await run(
    `integrations create ${account} --name spare --host smtp.example.com --port 587 --tls starttls ` +
      "--sender a@example.com",
  );
  const fallbacksAfter = async (flags: string) => {
    const { code } = await run(`integrations update 1 ${account} ${flags}`);
    return [code, (await store.integrations.find(accountId, 1))?.fallbacks];
  };
  assert.deepEqual(await fallbacksAfter("--fallback spare"), [EXIT.ok, [2]]);
  assert.deepEqual(await fallbacksAfter("--fallback main"), [EXIT.usage, [2]]);
  assert.deepEqual(await fallbacksAfter("--fallback 9"), [EXIT.notFound, [2]]);
  assert.deepEqual(await fallbacksAfter("--no-fallback"), [EXIT.ok, []]);

  const gone = await run(`integrations update main ${account} --no-login`);
  assert.equal(gone.code, EXIT.ok, gone.stderr);
  assert.equal((await store.integrations.find(accountId, 1))?.auth, null);
});

test("keysCommand() brings every password under a new key, and never prints one", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-keys-"));
  await using own = await openTestMongo();
  await using other = await openStore({ url: own.url });
  const { _id: accountId } = await other.accounts.create({ name: "keys-shop" });
  const server = { host: "h.example", port: 587 };
  const key = sealingKeyOf(readMasterKeys(MASTER_KEY));
  for (let i = 1; i <= 3; i++) {
    await other.integrations.create({
      ...{ accountId, name: `n${i}`, ...server, tls: "starttls" },
      senders: ["a@example.com"],
      auth: (recordId) => ({
        ...{ user: "u", method: null },
        password: sealSecret("CanaryPassword", {
          ...bindPassword({ accountId, recordId, ...server }),
          key,
        }),
      }),
    });
  }
  const generated = await run("keys generate k2");
  assert.match(generated.stdout, /^k2:[A-Za-z0-9+/]{43}=\n$/);
  const file = join(folder.path, "master.keys");
  await writeFile(file, `${generated.stdout.trim()},${MASTER_KEY}\n`);
  const keys = { MASTER_KEY: "", MASTER_KEY_FILE: file, MONGODB_URL: own.url };

  const before = await run("keys list --json", { env: keys });
  assert.deepEqual(JSON.parse(before.stdout), [
    { id: "k2", state: "current", count: 0, outdated: 0 },
    { id: "k1", state: "former", count: 3, outdated: 0 },
  ]);
  const rotated = await byDay(run, runProcess)("keys rotate", { env: keys });
  assert.equal(rotated.code, EXIT.ok, rotated.stderr);
  assert.match(
    rotated.stdout,
    /^3 passwords sealed to "k2"; none left\n$/,
  );
  const stored = await other.integrations.find(accountId, 3);
  assert.ok(stored?.auth?.kind === "password");
  const alone = readMasterKeys(generated.stdout.trim());
  const binding = bindPassword({ ...stored, recordId: stored._id });
  const opened = openSecret(stored.auth.password, { ...binding, keys: alone });
  assert.equal(opened, "CanaryPassword");

  // k1 alone opens nothing of k2: nothing is changed, and the exit code shows it.
  const back = await run("keys rotate --json", { env: { MONGODB_URL: own.url } });
  assert.equal(back.code, EXIT.failed);
  const { left, faults } = JSON.parse(back.stdout);
  assert.equal(left, 3);
  assert.match(faults[0].reason, /master key "k2" is not configured$/);
  assert.match(
    (await run("keys list", { env: { MONGODB_URL: own.url } })).stdout,
    /k2 +missing +3/,
  );

  const both = await run("keys list", { env: { ...keys, MASTER_KEY } });
  assert.equal(both.code, EXIT.usage);
  const secrets = [MASTER_KEY, generated.stdout.trim()].map((key) => key.split(":")[1] ?? "");
  for (const { stdout, stderr } of [before, rotated, back, both]) {
    for (const secret of ["CanaryPassword", ...secrets]) {
      assert.ok(!`${stdout}${stderr}`.includes(secret));
    }
  }
});

test("keysCommand() brings the secrets of webhooks under a new key with --webhooks", async () => {
  await using own = await openTestMongo();
  await using other = await openStore({ url: own.url });
  const { _id: accountId } = await other.accounts.create({ name: "hook-shop" });
  const [former, current] = [1, 2].map((n) => `h${n}:${Buffer.alloc(32, n).toString("base64")}`);
  const binding = { accountId, recordId: "whk_1", field: WEBHOOK_SECRET };
  await other.webhooks.create({
    ...{ _id: "whk_1", accountId, at: new Date() },
    ...webhookSettingsSchema.parse({ url: "https://a.example/" }),
    secret: sealSecret("CanarySecret", {
      ...binding,
      key: sealingKeyOf(readMasterKeys(former ?? "")),
    }),
  });
  const keys = { MONGODB_URL: own.url, WEBHOOK_KEY: `${current},${former}` };
  const { stdout: sealing } = await run("keys public --webhooks", { env: keys });
  assert.match(sealing, /^h2:/);
  const rotated = await run("keys rotate --webhooks", { env: keys });
  assert.equal(rotated.stdout, '1 secret sealed to "h2"; none left\n', rotated.stderr);
  const listed = await run("keys list --webhooks", { env: keys });
  assert.match(listed.stdout, /SECRETS[^]*h2 +current +1 [^]*h1 +former +0 /);
  const found = await other.webhooks.find(accountId, "whk_1");
  const sealed = found?.secrets[0]?.sealed;
  assert.ok(sealed);
  const opened = openSecret(sealed, { ...binding, keys: readMasterKeys(current ?? "") });
  assert.equal(opened, "CanarySecret");
  const without = await run("keys rotate --webhooks", { env: { MONGODB_URL: own.url } });
  assert.equal(without.code, EXIT.usage);
  assert.match(without.stderr, /set WEBHOOK_KEY to/);
});

test("runCommandLine() prints no password of a connection string that cannot be read", async () => {
  const urls = [
    [runProcess, "mongodb://jane:Canary123"],
    [byDay(run, runProcess), "mongodb://jane:Canary123@h:x/"],
  ] as const;
  for (const [runIt, url] of urls) {
    const { code, stdout, stderr } = await runIt("accounts list --json", {
      env: { MONGODB_URL: url },
    });
    assert.equal(code, EXIT.failed);
    assert.doesNotMatch(`${stdout}${stderr}`, /Canary/);
  }
});

test("integrationsCommand() accepts certificate authorities, and shows in red that none is checked", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "pinned" });
  const folder = await mkdtemp(join(tmpdir(), "posthaste-cli-"));
  try {
    const [pem, both] = [join(folder, "ca.pem"), join(folder, "both.pem")];
    await writeFile(pem, `A comment\n${testCertificate.cert}`);
    await writeFile(both, testCertificate.cert + testCertificate.key);
    const flags = "--account pinned --name x --host h.example --port 587 --tls starttls " +
      "--sender a@example.com";
    const keyed = await run(`integrations create ${flags} --ca ${both}`);
    assert.equal(keyed.code, EXIT.refused);
    assert.ok(!keyed.stderr.includes(testCertificate.key.slice(40, 60)));
    const created = await run(`integrations create ${flags} --ca ${pem}`);
    assert.match(created.stdout, /STARTTLS, own CA/);
    const stored = await store.integrations.find(accountId, 1);
    assert.equal(stored?.ca, `${testCertificate.cert}\n`);
    assert.equal(stored?.allowInvalidCertificate, false);

    const env = { FORCE_COLOR: "1", NO_COLOR: "", NODE_DISABLE_COLORS: "" };
    const open = "integrations update 1 --account pinned --no-ca --allow-invalid-certificate";
    assert.match(
      (await run(open)).stderr,
      /DANGER: the certificate of "h\.example" is not checked/,
    );
    const listed = await runProcess("integrations list --account pinned", { env });
    const red = "\u001b[31m";
    assert.ok(listed.stdout.includes(red), listed.stdout);
    assert.match(listed.stdout, /starttls, ANY CERTIFICATE/);
    const closed = "integrations update 1 --account pinned --no-allow-invalid-certificate";
    assert.equal((await run(closed)).stderr, "");
    const { ca, allowInvalidCertificate } = await store.integrations.find(accountId, 1) ?? {};
    assert.deepEqual([ca, allowInvalidCertificate], [null, false]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("retryCommand() brings failed messages back, and integrations resume is published", async () => {
  const { _id: accountId } = await store.accounts.create({ name: "retry-shop" });
  const send = testSend({ accountId, acceptedAt: new Date() });
  await store.sends.accept(send);
  const messageId = messageIdOf(send._id, 0);
  const early = await run(`retry ${messageId}`);
  assert.equal(early.code, EXIT.refused, early.stderr);
  const now = new Date();
  await voidAttempt(store, "failed", { messageId, attempt: 1, at: now, reason: "no such user" });
  const ofSend = await run(`retry ${send._id} --json`);
  assert.deepEqual(JSON.parse(ofSend.stdout), { retried: [messageId] });
  assert.equal((await store.messages.find(accountId, messageId))?.state, "deferred");
  assert.equal((await run(`retry ${messageId}`)).stdout, "1 message will be sent again\n");
  assert.equal((await run("retry msg_nothing")).code, EXIT.usage);
  assert.equal((await run(`retry ${newSendId(accountId)}`)).code, EXIT.notFound);

  const account = "--account retry-shop";
  const flags = "--name main --host h.example --port 25 --tls none --sender a@example.com";
  await run(`integrations create ${account} ${flags} --max-per-minute 60`);
  const created = await store.integrations.find(accountId, 1);
  assert.equal(created?.maxPerMinute, 60);
  if (created) await store.integrations.suspend(created, { at: now, reason: "no login" });
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  await store.integrations.noteResults([{
    ...{ accountId, id: 1, lastSent: { at: at(-9), messageId: "msg_1" }, failedFrom: at(-8) },
    lastFailed: { at: at(3), messageId: "msg_2", reason: "not now (451)" },
  }]);
  await store.statistics.note([{
    ...{ accountId, at: at(-9), integrations: { 1: { sent: 3, deferred: 1 } } },
  }]);
  const failing = JSON.parse((await run(`integrations list ${account} --json`)).stdout)[0].health;
  assert.deepEqual([failing.state, failing.reason, failing.sent, failing.attempts], [
    ...["suspended", "No login", 3, 4],
  ]);
  assert.match(
    (await run(`integrations list ${account}`)).stdout,
    / suspended .* 3 of 4 .*: not now \(451\)/,
  );
  assert.match((await run(`integrations resume 1 ${account}`)).stdout, /sends again.*no login/);
  assert.equal((await store.integrations.find(accountId, 1))?.suspended, null);
  const lines = () => Array.fromAsync(store.audit.all(accountId));
  const before = (await lines()).length;
  const failure = { id: `${accountId}/1`, reason: "no answer", now: new Date() };
  await store.circuits.countFailure({ ...failure, pauseMs: () => 60_000 });
  const again = await run(`integrations resume 1 ${account}`);
  assert.equal(again.code, EXIT.ok);
  assert.match(again.stdout, /is not suspended: nothing was changed/);
  assert.equal((await store.integrations.findCircuit(accountId, 1))?.reason, "no answer");
  assert.equal((await lines()).length, before);
  await store.circuits.close(failure.id);
  assert.match((await run(`integrations list ${account}`)).stdout, / failing /);
  await run(`integrations update 1 ${account} --max-per-minute 0`);
  assert.equal((await store.integrations.find(accountId, 1))?.maxPerMinute, null);
});

test("integrationsCommand() reports invalid values, and missing objects", async () => {
  await store.accounts.create({ name: "wrong-shop" });
  const base = "integrations create --account wrong-shop --name x --host h --tls none";
  const runs = await Promise.all([
    run(`${base} --port 25 --sender nobody`),
    run(`${base} --port 0 --sender a@example.com`),
    run(`${base} --port 25 --sender a@example.com --user u --password-stdin`),
    run("integrations update 7 --account wrong-shop --port 25"),
  ]);
  const { refused, usage, notFound } = EXIT;
  assert.deepEqual(runs.map(({ code }) => code), [refused, usage, usage, notFound]);
  assert.match(runs[0]?.stderr ?? "", /senders\.0: must be one address/);
  assert.match(runs[2]?.stderr ?? "", /password: it is empty/);
});

test("migrateCommand() makes indexes and streams, again and again", async () => {
  await using nats = await openTestNats();
  const options = { env: { NATS_URL: nats.url } };
  assert.equal((await run("migrate", options)).code, EXIT.ok);
  const again = await run("migrate --json", options);
  assert.deepEqual(JSON.parse(again.stdout), { indexes: "ok", streams: "ok", replicas: 1 });
  const none = await run("migrate", { env: { NATS_URL: "nats://127.0.0.1:1" } });
  assert.equal(none.code, EXIT.failed);
  assert.match(none.stderr, /^error: Cannot set up the broker: /);
});

test("Settings use the demonstration only if nothing else is set, and report it", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-cli-"));
  const { _id: accountId } = await store.accounts.create({ name: "demo" });
  const file = join(folder.path, "stack.json");
  const { url: mongodbUrl } = mongo;
  const rest = { natsUrl: "nats://127.0.0.1:1", apiUrl: "http://127.0.0.1:1/v1", token: "ph_x" };
  await writeFile(file, JSON.stringify({ mongodbUrl, accountId, ...rest }));
  const found = { DATA_DIR: folder.path };
  const used = await runCli(["templates", "list", "--json"], { env: found });
  assert.equal(used.code, EXIT.ok, used.stderr);
  assert.equal(used.stderr, "Using the demonstration that npm start runs\n");
  assert.deepEqual(JSON.parse(used.stdout), []);
  const named = await runCli(["templates", "list"], { env: { POSTHASTE_STACK_FILE: file } });
  assert.equal(named.code, EXIT.ok, named.stderr);
  const mixed = await runCli(["templates", "list"], { env: { ...found, MASTER_KEY } });
  assert.match(mixed.stderr, /MONGODB_URL is not set\nremedy: also set MONGODB_URL/);
  // The file stays when the demonstration stops.
  const stopped = await runCli(["status", newSendId("acc_1")], { env: found });
  assert.equal(stopped.code, EXIT.failed);
  assert.match(
    stopped.stderr,
    /remedy: start .* "npm start" and the same DATA_DIR: ".*" may be from/,
  );
});

test("runCommandLine() ends with 1 when the database does not answer", async () => {
  const { code, stderr } = await unreachable;
  assert.equal(code, EXIT.failed);
  assert.match(stderr, /^error: Cannot open database .*\nremedy: /);
});
