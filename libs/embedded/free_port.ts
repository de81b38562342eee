import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the range that Linux (32768) and macOS (49152) take for outgoing connections: there, some
// connection would have the port before its user does.
const FIRST = 20_000;
const LAST = 32_767;
const TRIES = 200;

/** Those that were given, or looked at in vain. */
const given = new Set<number>();

/**
 * A TCP port on 127.0.0.1 that was free a moment ago; this process gives none twice. Another program
 * may still take it before its user does.
 *
 * @throws {Error} No port was free in 200 tries.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST, LAST + 1);
    if (given.has(port)) continue;
    // Before it is looked at: else two that look one after the other would have the same.
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`Cannot find a free port between ${FIRST} and ${LAST} in ${TRIES} tries`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
