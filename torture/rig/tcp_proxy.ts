import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server that can be cut. Disposing closes it. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections go through it. */
  readonly connections: number;
  /** Nothing passes any more, and nothing is lost: neither side reads what the other has sent. */
  stall(): void;
  /** Whatever is sent is swallowed, and nobody is told: a partition. New connections get no answer. */
  blackhole(): void;
  /** Everything passes again. What was swallowed is gone: those connections are reset. */
  pass(): void;
  /** Resets all connections; new ones pass, or not, as before. */
  reset(): void;
}

interface Pair {
  client: Socket;
  server: Socket;
  /** Whether bytes were lost. */
  isBroken: boolean;
}

/** Opens a way from a free port of this machine to another port of it. */
export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let mode: "pass" | "stall" | "blackhole" = "pass";

  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
  listener.on("connection", (client) => {
    const server = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server, isBroken: false };
    pairs.add(pair);
    for (const [from, to] of [[client, server], [server, client]] as const) {
      from.on("data", (bytes) => {
        if (mode === "blackhole") pair.isBroken = true;
        else if (!to.write(bytes)) from.pause();
      });
      to.on("drain", () => mode !== "stall" && from.resume());
      from.on("end", () => mode === "blackhole" ? (pair.isBroken = true) : to.end());
      // Whoever ends so, the other side is told the same way.
      from.on("error", () => to.resetAndDestroy());
      from.on("close", () => {
        if (from.errored === null && to.writableEnded && from.writableEnded) to.destroySoon();
        if (client.destroyed && server.destroyed) pairs.delete(pair);
      });
    }
    if (mode !== "stall") resume(pair);
    else server.pause();
  });

  function resume({ client, server }: Pair): void {
    client.resume();
    server.resume();
  }

  function reset(those: Iterable<Pair>): void {
    for (const { client, server } of [...those]) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return pairs.size;
    },
    stall() {
      mode = "stall";
      for (const { client, server } of pairs) {
        client.pause();
        server.pause();
      }
    },
    blackhole() {
      mode = "blackhole";
      for (const pair of pairs) resume(pair);
    },
    pass() {
      mode = "pass";
      reset([...pairs].filter(({ isBroken }) => isBroken));
      for (const pair of pairs) resume(pair);
    },
    reset: () => reset(pairs),
    async [Symbol.asyncDispose]() {
      const closed = once(listener, "close");
      listener.close();
      reset(pairs);
      await closed;
    },
  };
}
