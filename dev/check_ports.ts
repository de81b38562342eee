import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "@posthaste/embedded";
import { portConflict, type TakenPort } from "./port_conflict.ts";
import { portHolder } from "./port_holder.ts";
import { PORT_NAMES, type PortName, PORTS } from "./settings.ts";

const NEAR = 50;

/**
 * Checks that all ports are free, and chooses one for each that is 0.
 *
 * @throws {Error} If some are taken; the message names their users and a remedy.
 */
export async function checkPorts<Ports extends Partial<Record<PortName, number>>>(
  ports: Ports,
): Promise<Ports> {
  const chosen = { ...ports };
  const taken: TakenPort[] = [];
  const wanted = new Set(Object.values(ports));
  for (const name of PORT_NAMES) {
    const port = ports[name];
    if (port === undefined) continue;
    if (port === 0) {
      chosen[name] = await freePort();
    } else if (!await isFree(port, name)) {
      const free = await nearestFree(port + 10, wanted);
      taken.push({ name, port, holder: await portHolder(port), free });
      wanted.add(free);
    }
  }
  if (taken.length > 0) throw new Error(portConflict(taken));
  return chosen;
}

async function isFree(port: number, name: PortName): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen(port, "127.0.0.1");
    await listening;
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") return false;
    const { setting, purpose } = PORTS[name];
    throw new Error(
      `Cannot start: port ${port}, for ${purpose}, is refused by the system (${code}); ` +
        `choose one above 1023: ${setting}=${10_000 + port % 10_000} npm start`,
      { cause: error },
    );
  } finally {
    server.close();
  }
}

async function nearestFree(from: number, without: ReadonlySet<number>): Promise<number> {
  for (let port = from; port < Math.min(from + NEAR, 65_536); port++) {
    if (!without.has(port) && await isFree(port, "api").catch(() => false)) return port;
  }
  return await freePort();
}
