import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import type { SealedSecret } from "@posthaste/contracts";
import { MAIL_SERVICES } from "@posthaste/dev";
import {
  bindPassword,
  INTEGRATION_PASSWORD,
  openSecret,
  openStore,
  readMasterKeys,
  sealingKeyOf,
  sealSecret,
  type SecretBinding,
  writeSealingKey,
} from "@posthaste/storage";
import { openOtlpReceiver } from "@posthaste/kit";
import type { Chaos, Fault } from "@posthaste/chaos";
import { findFaults } from "@posthaste/chaos";
import { searchFolder } from "@posthaste/chaos";
import { MASTER_KEY, MASTER_SECRET } from "@posthaste/chaos";
import { openRandom, type Random } from "@posthaste/chaos";
import { type Fixture, openFixture } from "@posthaste/chaos";
import { runFault, type RunResult } from "@posthaste/chaos";
import { canaryOf, searchFor } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";
import { searchAnswers } from "./secret_answers.ts";

/** The extent of the attack. */
export interface AttackOptions {
  /** Attempts of each attack on texts. Of mail a tenth, but at least 60 and at most 1000. */
  tries: number;
  seed: number;
  /** Whether a whole system is attacked, too. @default {true} */
  withSystem?: boolean;
  onProgress?(line: string): void;
}

/**
 * Attacks secrets: envelopes that were changed or moved, error messages that quote a connection string, and a
 * whole system that logs in to a server, refused and accepted, while its master key is replaced; whose logs,
 * traces, events, files, answers and diagnostic reports are searched.
 */
export async function attackSecrets(options: AttackOptions): Promise<AttackRow[]> {
  const { tries, seed } = options;
  const random = openRandom(`secrets/${seed}`);
  return [
    await timed(
      "a sealed password that was changed or moved",
      () => attackEnvelopes(random, tries),
    ),
    await timed(
      "a sealed password, with all that the dashboard has, or for another server",
      () => attackWithPublicKey(random, Math.min(tries, 1000)),
    ),
    await timed("a connection string that the driver quotes", () => attackErrors(random, tries)),
    ...(options.withSystem === false ? [] : await attackSystem(options)),
  ];
}

type Tried = Pick<AttackRow, "tries" | "through" | "note">;

async function timed(attack: string, run: () => Promise<Tried>): Promise<AttackRow> {
  const started = performance.now();
  const { tries, through, note } = await run();
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return { attack, tries, through, ...(note === undefined ? {} : { note }), seconds };
}

const PARTS = ["keyId", "ephemeralKey", "wrappedKey", "nonce", "ciphertext"] as const;

function attackEnvelopes(random: Random, tries: number): Promise<Tried> {
  const setting = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
  const keys = readMasterKeys(`${setting("k1")},${setting("k2")}`);
  const key = sealingKeyOf(keys);
  const binding = (n: number): SecretBinding => ({
    accountId: `acc_${n % 3}`,
    recordId: `acc_${n % 3}/${n % 7}`,
    field: n % 2 === 0 ? INTEGRATION_PASSWORD : "other",
    server: `${n % 5}.smtp.example:587`,
  });
  const sealed = Array.from({ length: 42 }, (_, n) => sealSecret(`${n}`, { ...binding(n), key }));
  let through = 0;
  for (let i = 0; i < tries; i++) {
    const n = random.integer(0, 41);
    const mine = sealed[n] as SealedSecret;
    const other = random.pick(sealed.filter((_, m) => m % 42 !== n));
    const part = random.pick(PARTS);
    const [forged, place] = random.chance(0.3) ? [mine, random.integer(n + 1, n + 41)] as const : [
      { ...mine, [part]: random.chance(0.3) ? other[part] : changed(mine[part] ?? "", random) },
      n,
    ];
    const isSame = forged === mine && inspect(binding(place)) === inspect(binding(n));
    const isNoChange = forged !== mine &&
      PARTS.every((name) => same(forged[name] ?? "", mine[name] ?? ""));
    if (isSame || isNoChange) continue;
    try {
      openSecret(forged, { ...binding(place), keys });
      through++;
    } catch {
      // As it should be.
    }
  }
  return Promise.resolve({ tries, through });
}

/** Attacks with all that the dashboard has: the public key, its own secrets, and the database. */
function attackWithPublicKey(random: Random, tries: number): Promise<Tried> {
  const keys = readMasterKeys(`k1:${randomBytes(32).toString("base64")}`);
  const key = sealingKeyOf(keys);
  // As a master key, and as a key of older secrets.
  const thief = readMasterKeys(writeSealingKey(key));
  const binding = { accountId: "acc_1", recordId: "acc_1/1", field: INTEGRATION_PASSWORD };
  let through = 0;
  for (let i = 0; i < tries; i++) {
    const server = `${i}.smtp.example:587`;
    const sealed = sealSecret(canaryOf(`${i}`), { ...binding, server, key });
    const { ephemeralKey, ...older } = sealed;
    const own = sealSecret("mine", { ...binding, server, key });
    const [forged, by, shown] = random.pick<[SealedSecret, typeof keys, string]>([
      [sealed, thief, server],
      [older, thief, server],
      [{ ...older, wrappedKey: ephemeralKey ?? "" }, thief, server],
      // Through the mailer itself, with the attacker's server.
      [sealed, keys, "evil.example:587"],
      [older, keys, "evil.example:587"],
      [{ ...own, ciphertext: sealed.ciphertext, nonce: sealed.nonce }, keys, server],
      [{ ...sealed, wrappedKey: own.wrappedKey }, keys, server],
    ]);
    try {
      openSecret(forged, { ...binding, server: shown, keys: by });
      through++;
    } catch {
      // As it should be.
    }
  }
  return Promise.resolve({ tries, through });
}

/** Returns whether two texts in base64 are the same bytes, which is no change. */
function same(one: string, other: string): boolean {
  return Buffer.from(one, "base64").equals(Buffer.from(other, "base64"));
}

function changed(text: string, random: Random): string {
  const bytes = Buffer.from(text, "base64");
  const at = random.integer(0, bytes.length - 1);
  const how = random.integer(0, 2);
  if (how === 0) return bytes.subarray(0, at).toString("base64");
  if (how === 1) return Buffer.concat([bytes, randomBytes(1)]).toString("base64");
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
  return bytes.toString("base64");
}

const ODD = ["", "@", ":", "/", "#", "?", "%", "%zz", "\\", '"', "é", "$", ","];
const BROKEN = ["", "@h:x/", "@", "@/", "#@h/", "@h/?tls=maybe", "@h/?nobody=knows", "@h:1:2/"];

async function attackErrors(random: Random, tries: number): Promise<Tried> {
  const most = Math.min(tries, 2000);
  const places = ODD.flatMap((odd) => BROKEN.map((broken) => [odd, broken] as const));
  let [begun, through] = [0, 0];
  // Some URLs are valid after all, and take seconds to fail.
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (begun < most) {
      const [odd, broken] = places[begun++ % places.length] ?? ["", ""];
      const marks = [`Canary${random.integer(1e8, 1e9)}`, `Yranac${random.integer(1e8, 1e9)}`];
      const url = `mongodb://jane:${marks.join(odd)}${broken}`;
      const error = await openStore({ url }).then(
        async (store) => void await store[Symbol.asyncDispose](),
        (error: unknown) => error,
      );
      const shown = inspect(error, { depth: 9 });
      if (marks.some((mark) => shown.includes(mark))) through++;
    }
  }));
  return { tries: most, through };
}

async function attackSystem({ tries, seed, onProgress }: AttackOptions): Promise<AttackRow[]> {
  const messages = Math.min(1000, Math.max(60, Math.round(tries / 10)));
  const reports = await mkdtemp(join(tmpdir(), "posthaste-reports-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(reports, { recursive: true, force: true }));
  const collector = opened.use(await openOtlpReceiver());
  const env = {
    ...collector.env,
    LOG_LEVEL: "debug",
    NODE_OPTIONS: ["on-signal", "on-fatalerror", "uncaught-exception"]
      .map((name) => `--report-${name}`).join(" ") + ` --report-directory=${reports}`,
  };
  const fixture = opened.use(
    await openFixture({ settings: Object.fromEntries(MAIL_SERVICES.map((role) => [role, env])) }),
  );
  const load = { messages, seconds: Math.max(3, messages / 50), quietSeconds: 60, onProgress };
  const next = randomBytes(32);
  const nextSecret = { name: "the next master key", value: next.toString("latin1") };
  fixture.pods.guard([nextSecret]);
  const left: Record<string, number> = {};
  const results: RunResult[] = [];
  const rows: AttackRow[] = [];
  const run = async (attack: string, fault: Fault) => {
    const runSeed = `${seed}/${fault.name}`;
    rows.push(
      await timed(attack, async () => {
        const options = { ...load, fault, run: fault.name, seed: runSeed };
        const result = await runFault(fixture, {
          ...options,
          onProgress: onProgress ?? (() => {}),
        });
        results.push(result);
        for (const { what } of result.problems) onProgress?.(what);
        return { tries: result.accepted, through: result.problems.length };
      }),
    );
    return { name: "the SMTP password", value: canaryOf(runSeed) };
  };
  const secrets = [MASTER_SECRET, nextSecret];
  // In a short run the other one also logs in, without any refusal.
  const [login] = findFaults(tries < 1000 ? [] : ["smtp-login"]);
  if (login && tries >= 1000) {
    secrets.push(await run("a password in a log, event, answer, file, mail or document", login));
  }
  const rotation = rotationTo(`next:${next.toString("base64")}`, left);
  secrets.push(await run("the master key is replaced while mail is sent", rotation));
  const last = rows.at(-1);
  if (last) {
    last.through += left["under another key"] ?? 1;
    last.note = `${left["rewrapped"]} passwords rewrapped`;
  }
  const search = searchFor(secrets);
  rows.push(
    await timed("a secret in an answer, of an error too", () => searchAnswers(fixture, secrets)),
    await timed("a secret in a trace or a metric", async () => {
      await delay(1000);
      const leaks = collector.bodies.flatMap((body) => search(body));
      return { tries: collector.bodies.length, through: leaks.length };
    }),
    await timed("a secret in a diagnostic report", async () => {
      const count = await reportAll(fixture, reports);
      return { tries: count, through: (await searchFolder(reports, search)).length };
    }),
  );
  return rows;
}

/** Makes every process write its diagnostic report, as in a crash. */
async function reportAll(fixture: Fixture, folder: string): Promise<number> {
  const pods = fixture.pods.running();
  for (const { process } of pods) process.signal("SIGUSR2");
  for (let waited = 0; waited < 50; waited++) {
    if ((await readdir(folder)).length >= pods.length) break;
    await delay(100);
  }
  await delay(200);
  const { length } = await readdir(folder);
  if (length < pods.length) throw new Error(`Cannot search: ${length} of ${pods.length} reports`);
  return length;
}

const OTHERS = 40;

/**
 * Replaces the master key as an operator does: both keys everywhere, the new one first; every secret sealed
 * again; the old key removed.
 */
function rotationTo(next: string, left: Record<string, number>): Fault {
  return {
    name: "key-rotation",
    description: "The master key is replaced while mail is sent",
    secure: true,
    async run(chaos) {
      const { fixture: { store }, account: { accountId } } = chaos;
      const former = readMasterKeys(MASTER_KEY);
      const server = { host: "smtp.example", port: 587 };
      for (let n = 1; n <= OTHERS; n++) {
        await store.integrations.create({
          ...{ accountId, name: `other ${n}`, ...server, tls: "starttls" },
          senders: ["a@sender.example"],
          auth: (recordId) => ({
            ...{ user: "u", method: null },
            password: sealSecret(canaryOf(`${n}`), {
              ...bindPassword({ accountId, recordId, ...server }),
              key: sealingKeyOf(former),
            }),
          }),
        });
      }
      await restartMailers(chaos, `${MASTER_KEY},${next}`);
      await restartMailers(chaos, `${next},${MASTER_KEY}`);
      const keys = readMasterKeys(`${next},${MASTER_KEY}`);
      left["rewrapped"] = 0;
      let after: string | undefined;
      for (;;) {
        const batch = await store.secrets.rewrap({ keys, limit: 7, after });
        left["rewrapped"] += batch.rewrapped;
        if (batch.last === null) break;
        after = batch.last;
      }
      await restartMailers(chaos, next);
      const uses = await store.secrets.count();
      left["under another key"] = uses.filter(({ keyId }) => keyId !== keys.currentId)
        .reduce((sum, { count }) => sum + count, 0);
    },
  };
}

async function restartMailers({ fixture: { pods }, count }: Chaos, key: string): Promise<void> {
  for (const old of pods.running("mailer")) {
    await pods.start("mailer", { MASTER_KEY: key });
    await pods.end(old, "SIGTERM");
    count("other", "mailer");
  }
}
