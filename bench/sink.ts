// An SMTP server that reads nothing but where a mail ends: as fast as a receiver written for Node
// can be, in a process of its own, so that its cost is seen apart.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import process from "node:process";
import type { SinkOrder, SinkReport } from "./sink_process.ts";

/** How much later the far address answers: the round trip to a server on another continent. */
const FAR_MS = 50;
const END = "\r\n.\r\n";
const EHLO = "250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 52428800\r\n";
const OK = "250 2.0.0 Ok\r\n";

let mails = 0;
let firstAt: bigint | undefined;
let awaited: number | undefined;
/** When each recipient's mail arrived. */
let stamps: [address: string, at: number][] = [];

const [port, farPort] = await Promise.all([0, FAR_MS].map(listen));
report({ port: port ?? 0, farPort: farPort ?? 0 });
process.on("message", (order: SinkOrder) => {
  if (order.type === "reset") {
    [mails, firstAt, awaited, stamps] = [0, undefined, undefined, []];
    report({ count: 0 });
  } else if (order.type === "stamps") {
    report({ stamps });
  } else if (order.type === "count") report({ count: mails });
  else {
    awaited = order.mails;
    tell();
  }
});
process.on("disconnect", () => process.exit(0));

async function listen(lateMs: number): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, lateMs));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** @param lateMs How long each answer is on its way, in milliseconds. */
function serve(socket: Socket, lateMs: number): void {
  const answer = (text: string) => {
    if (lateMs === 0) socket.write(text);
    else setTimeout(() => socket.writable && socket.write(text), lateMs);
  };
  let inData = false;
  let recipient = "";
  let tail = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  answer("220 sink\r\n");
  socket.on("data", (chunk: Buffer) => {
    let answers = "";
    let rest = chunk;
    while (rest.length > 0) {
      if (inData) {
        const end = endOfMail(tail, rest);
        if (end < 0) {
          tail = Buffer.concat([tail, rest.subarray(-4)]).subarray(-4);
          break;
        }
        [inData, rest] = [false, rest.subarray(end)];
        tail = Buffer.alloc(0);
        answers += OK;
        stamps.push([recipient, Number(process.hrtime.bigint())]);
        count();
        continue;
      }
      const end = rest.indexOf("\n");
      if (end < 0) {
        tail = Buffer.concat([tail, rest]);
        break;
      }
      const line = Buffer.concat([tail, rest.subarray(0, end)]);
      const verb = line.toString("latin1", 0, 4);
      [tail, rest] = [Buffer.alloc(0), rest.subarray(end + 1)];
      inData = verb.toUpperCase() === "DATA";
      if (verb.toUpperCase() === "RCPT") recipient = line.toString("latin1");
      answers += answerTo(verb.toUpperCase());
    }
    if (answers !== "") answer(answers);
  });
}

/** Where the mail ends in a chunk: after its dot, which may have begun in the chunk before. */
function endOfMail(tail: Buffer, chunk: Buffer): number {
  const seam = Buffer.concat([tail, chunk.subarray(0, END.length - 1)]).indexOf(END);
  if (seam >= 0) return seam + END.length - tail.length;
  const found = chunk.indexOf(END);
  return found < 0 ? -1 : found + END.length;
}

function answerTo(verb: string): string {
  switch (verb) {
    case "EHLO":
      return EHLO;
    case "DATA":
      return "354 Go ahead\r\n";
    case "QUIT":
      return "221 Bye\r\n";
    default:
      return OK;
  }
}

function count(): void {
  firstAt ??= process.hrtime.bigint();
  mails++;
  tell();
}

function tell(): void {
  if (awaited === undefined || mails < awaited || firstAt === undefined) return;
  awaited = undefined;
  report({ reached: { firstAt: Number(firstAt), lastAt: Number(process.hrtime.bigint()) } });
}

function report(message: SinkReport): void {
  process.send?.(message);
}
