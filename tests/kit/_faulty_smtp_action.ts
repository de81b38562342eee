import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { FaultAction } from "./faulty_smtp_plan.ts";
import { resetSocket } from "./reset_socket.ts";

/** The input of an action. */
export interface FaultScene {
  /** The client's stream, and the connection below any encryption. */
  readonly socket: Socket;
  readonly raw: Socket;
  /** The right reply. */
  readonly reply: string;
  /** The consequence of the right reply. */
  good(): void;
  /** Called with the reply before its last byte is sent; null for no reply, or a partial one. */
  settle(reply: string | null, ambiguous: boolean): void;
}

/** How the session continues. */
export interface FaultAftermath {
  readonly over: boolean;
  readonly refused: boolean;
}

const OVER: FaultAftermath = { over: true, refused: false };
const ON: FaultAftermath = { over: false, refused: false };
const LONG_LINE = 10_000_000;

/** Performs one fault. */
export async function misbehave(action: FaultAction, scene: FaultScene): Promise<FaultAftermath> {
  const { socket, raw, reply } = scene;
  switch (action.do) {
    case "reply":
      return answerWith(action.reply, scene);
    case "close":
      scene.settle(null, true);
      socket.end();
      return OVER;
    case "reset":
      scene.settle(null, true);
      resetSocket(raw);
      return OVER;
    case "silence":
      scene.settle(null, true);
      return OVER;
    case "delay":
      await sleep(action.ms, undefined, { ref: false });
      return answer(reply, scene);
    case "stall":
      socket.pause();
      await sleep(action.ms, undefined, { ref: false });
      socket.resume();
      return answer(reply, scene);
    case "trickle":
      return await trickle(Buffer.from(`${reply}\r\n`), action.ms, scene);
    case "reply_then_close":
      answer(reply, scene);
      socket.end();
      return OVER;
    case "reply_then_reset":
      // Whether a reply arrives before the RST that follows it is not known.
      scene.settle(reply, true);
      write(socket, `${reply}\r\n`);
      flush(socket);
      resetSocket(raw);
      return OVER;
    case "nul":
      return answer(reply.replace(" ", " \0\0 \0"), scene);
    case "extra":
      return answer(reply, scene, `${action.reply}\r\n`);
    case "inject":
      return answer(reply, scene, action.text);
    case "garbage":
      write(socket, "This is not TLS at all\r\n".repeat(10));
      return OVER;
    case "endless":
      return await flood(Buffer.from("250-and more\r\n".repeat(1_000)), Infinity, scene);
    case "blank":
      return await flood(Buffer.from("\r\n".repeat(8_000)), Infinity, scene);
    case "long_line": {
      const { bytes = LONG_LINE } = action;
      return await flood(Buffer.from(`250-${"x".repeat(65_532)}`), bytes / 65_536, scene);
    }
    case "strip":
      return ON;
  }
}

/** Sends the right reply, with the plan's text behind it. */
function answer(reply: string, scene: FaultScene, behind = ""): FaultAftermath {
  if (reply === "") return ON;
  scene.settle(reply, !scene.socket.writable);
  write(scene.socket, `${reply}\r\n${behind}`);
  scene.good();
  return ON;
}

/** Sends another reply than the right one. */
function answerWith(reply: string, scene: FaultScene): FaultAftermath {
  const refused = !/^[23]/.test(reply);
  scene.settle(reply, !scene.socket.writable);
  write(scene.socket, `${reply}\r\n`);
  if (!refused) scene.good();
  if (!reply.startsWith("421")) return { over: false, refused };
  scene.socket.end();
  return OVER;
}

async function trickle(bytes: Buffer, ms: number, scene: FaultScene): Promise<FaultAftermath> {
  const { socket, reply } = scene;
  flush(socket);
  for (let index = 0; index < bytes.length; index++) {
    if (!socket.writable) {
      scene.settle(null, true);
      return OVER;
    }
    if (index === bytes.length - 1) scene.settle(reply, false);
    socket.write(bytes.subarray(index, index + 1));
    await (ms === 0 ? turn() : sleep(ms, undefined, { ref: false }));
  }
  scene.good();
  return ON;
}

async function flood(piece: Buffer, times: number, scene: FaultScene): Promise<FaultAftermath> {
  const { socket } = scene;
  scene.settle(null, true);
  flush(socket);
  for (let count = 0; count < times && socket.writable; count++) {
    if (socket.write(piece)) await turn();
    else await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  }
  return OVER;
}

function write(socket: Socket, text: string): void {
  if (socket.writable) socket.write(text);
}

/** Writes the bytes that were held back for one packet. */
function flush(socket: Socket): void {
  while (socket.writableCorked > 0) socket.uncork();
}
