import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the range that Linux (32768) and macOS (49152) use for outgoing connections: there, a connection
// could take the port before its user does.
const FIRST = 20_000;
const LAST = 32_767;
const TRIES = 200;

/** Ports that were returned, or found in use. */
const given = new Set<number>();

/**
 * Returns a TCP port on 127.0.0.1 that was free a moment ago; this process returns none twice. Another
 * program may still take it before its user does.
 *
 * @throws {Error} If no port was free in 200 tries.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST, LAST + 1);
    if (given.has(port)) continue;
    // Before the check: otherwise two concurrent calls could return the same port.
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
