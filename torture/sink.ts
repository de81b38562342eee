// The receiving SMTP server of a run, in a process of its own: it misbehaves as it is told, and
// keeps the ledger of what it was given and what it answered.
import { closeSync, openSync, writeSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { SinkLine } from "./ledgers.ts";
import { openRandom } from "./random.ts";
import { readMail } from "./read_mail.ts";
import type { SinkOrder, SinkReport } from "./sink_process.ts";
import { drawFault, type SmtpFault, type SmtpFaultKind, type SmtpStage } from "./smtp_fault.ts";

const [, , file = "", seed = ""] = process.argv;
const journal = openSync(file, "a");
const random = openRandom(seed);
let faults: SmtpFault[] = [];
let delayMs = 0;
let taken = 0;
let injected = 0;
let ambiguous = 0;
let replies = 0;

const server = createServer({ noDelay: true }, (socket) => void serve(socket));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") report({ port: address.port });
});
process.on("message", (order: SinkOrder) => {
  if (order.type === "behave") [faults, delayMs] = [order.faults, order.delayMs];
  report({ totals: { taken, injected, ambiguous } });
});
process.on("disconnect", () => {
  closeSync(journal);
  process.exit(0);
});

interface Session {
  socket: Socket;
  mailer: string;
  to: string[];
}

async function serve(socket: Socket): Promise<void> {
  const session: Session = { socket, mailer: "", to: [] };
  socket.on("error", () => socket.destroy());
  try {
    if (!await answer(session, "connect", "220 sink")) return;
    const lines = linesOf(socket);
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (!await command(session, line.value.toString("latin1"), lines)) break;
    }
  } catch {
    // The other side has gone.
  } finally {
    socket.destroy();
  }
}

/** Gives lines with their line end, however the bytes come. */
async function* linesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      rest.push(chunk.subarray(start, end + 1));
      yield rest.length === 1 ? rest[0] as Buffer : Buffer.concat(rest);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  return undefined;
}

type Lines = AsyncGenerator<Buffer, undefined>;

/** Deals with one command and gives whether the session goes on. */
async function command(session: Session, line: string, lines: Lines): Promise<boolean> {
  const verb = line.slice(0, 4).toUpperCase();
  switch (verb) {
    case "EHLO":
    case "HELO":
      session.mailer = line.slice(5).trim();
      return await answer(session, "ehlo", "250-sink\r\n250-8BITMIME\r\n250 SIZE 52428800");
    case "MAIL":
      session.to = [];
      return await answer(session, "mail", "250 2.1.0 Ok");
    case "RCPT": {
      const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
      session.to.push(address);
      return await answer(session, "rcpt", "250 2.1.5 Ok");
    }
    case "DATA":
      return await data(session, lines);
    case "QUIT":
      await answer(session, "quit", "221 2.0.0 Bye");
      return false;
    default:
      return await say(session, "250 2.0.0 Ok");
  }
}

async function data(session: Session, lines: Lines): Promise<boolean> {
  const fault = drawFault(faults, "data", random);
  const refused = fault !== undefined && fault !== "slow";
  const goesOn = await answer(session, "data", "354 Go ahead", fault);
  if (!goesOn || refused) return goesOn;
  const dropAt = drawFault(faults, "body", random) && random.integer(1, 30);
  const raw: Buffer[] = [];
  while (true) {
    const { value, done } = await lines.next();
    if (done || value === undefined) return false;
    if (value.length === 3 && value.toString("latin1") === ".\r\n") break;
    raw.push(value[0] === 46 ? value.subarray(1) : value);
    if (dropAt !== undefined && raw.length >= dropAt) {
      injected++;
      keep(refusalOf(session, "body", null));
      session.socket.resetAndDestroy();
      return false;
    }
  }
  return await dot(session, Buffer.concat(raw));
}

async function dot(session: Session, raw: Buffer): Promise<boolean> {
  if (delayMs > 0) await delay(random.integer(0, 2 * delayMs));
  const fault = drawFault(faults, "dot", random);
  if (fault !== undefined) injected++;
  const refused = fault === "4xx" || fault === "5xx" || fault === "421";
  const cut = fault === "drop" || fault === "forget";
  const doubtful = cut || fault === "reset";
  const reply = refused ? replyOf(fault) : `250 2.0.0 Ok k${++replies}`;
  const isTaken = !refused && fault !== "forget";
  keep({
    type: "mail",
    at: Date.now(),
    mailer: session.mailer,
    to: session.to,
    ...readMail(raw),
    reply: cut ? null : reply,
    taken: isTaken,
    fault: fault === undefined ? null : `dot.${fault}`,
    ambiguous: doubtful,
  });
  if (isTaken) taken++;
  if (doubtful) ambiguous++;
  session.to = [];
  if (cut) {
    session.socket.destroy();
    return false;
  }
  if (fault === "reset") {
    session.socket.write(`${reply}\r\n`.slice(0, random.integer(0, 12)));
    session.socket.resetAndDestroy();
    return false;
  }
  if (fault === "slow") return await trickle(session, reply);
  return await say(session, reply) && fault !== "421";
}

/** Says what is usual at a stage, or what the fault says that is drawn, and tells whether to go on. */
async function answer(
  session: Session,
  stage: SmtpStage,
  usual: string,
  drawn?: SmtpFaultKind,
): Promise<boolean> {
  const fault = drawn ?? (stage === "data" ? undefined : drawFault(faults, stage, random));
  if (fault === undefined) return await say(session, usual);
  injected++;
  if (fault === "slow") return await trickle(session, usual);
  if (fault === "drop") {
    keep(refusalOf(session, stage, null));
    session.socket.destroy();
    return false;
  }
  const reply = replyOf(fault);
  keep(refusalOf(session, stage, Number(reply.slice(0, 3))));
  await say(session, reply);
  return fault !== "421" && stage !== "connect";
}

function replyOf(fault: SmtpFaultKind): string {
  if (fault === "421") return "421 4.3.2 Service not available";
  return fault === "5xx" ? "550 5.7.1 Not taken" : "451 4.7.1 Try again later";
}

function refusalOf({ mailer, to }: Session, stage: SmtpStage, code: number | null): SinkLine {
  return { type: "refusal", at: Date.now(), mailer, to: to.at(-1) ?? null, stage, code };
}

/** Resolves when the bytes are with the kernel, so that an end of the session does not eat them. */
function say({ socket }: Session, reply: string): Promise<boolean> {
  return new Promise((resolve) =>
    socket.write(`${reply}\r\n`, (error) => resolve(error === undefined || error === null))
  );
}

async function trickle({ socket }: Session, reply: string): Promise<boolean> {
  for (const byte of `${reply}\r\n`) {
    if (socket.destroyed) return false;
    socket.write(byte);
    await delay(3);
  }
  return true;
}

function keep(line: SinkLine): void {
  writeSync(journal, `${JSON.stringify(line)}\n`);
}

function report(message: SinkReport): void {
  process.send?.(message);
}
