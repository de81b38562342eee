import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";

/** Requests that have reached a canary: every one is a leak. */
export interface CanarySight {
  /** TCP connections, with any content. */
  connections: number;
  /** First parts of the requested paths, by HTTP or WebSocket: the names of the leaks. */
  requests: string[];
  /** UDP packets: STUN, QUIC, anything. */
  udp: number;
  /** Names that were looked up, if the canary is the name server. */
  names: string[];
}

/** A server that no request should reach. */
export interface Canary extends AsyncDisposable {
  /** Of TCP and of UDP. */
  readonly port: number;
  /** Returns what has reached it since the last `take()`. */
  look(): CanarySight;
  /** Returns the same, and starts afresh. */
  take(): CanarySight;
}

/** Settings of {@linkcode openCanary}. */
export interface CanaryOptions {
  /** @default {"127.0.0.1"} */
  address?: string;
  /** Whether to be the name server of this machine as well, which answers 127.0.0.1 to everything. */
  dns?: boolean;
}

const PIXEL = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`;

/** Answers that make a browser request more; any other path gets an empty page. */
const ANSWERS: readonly [RegExp, string, string][] = [
  [/\.css$/, "text/css", `@import "/css-of-css"; p{background:url(/image-of-css)}`],
  [
    /worker\.js$/,
    "text/javascript",
    `fetch("/from-" + self.location.pathname.slice(1));
self.addEventListener("install", () => self.skipWaiting());`,
  ],
  [/\.js$/, "text/javascript", ""],
  [/\.svg$/, "image/svg+xml", PIXEL],
  [
    /register$/,
    "text/html",
    `<script>navigator.serviceWorker.register("/service-worker.js")
.catch(() => 0);new SharedWorker("/shared-worker.js")</script>`,
  ],
  [/events$/, "text/event-stream", "retry: 50\n\ndata: x\n\n"],
];

/**
 * Opens a canary on loopback: HTTP, WebSocket, any other TCP, UDP and, if wanted, DNS. It answers so that a
 * browser continues: redirects, style sheets that import, frames that register workers.
 */
export async function openCanary(options: CanaryOptions = {}): Promise<Canary> {
  const { address = "127.0.0.1", dns = false } = options;
  let sight = emptySight();
  const sockets = new Set<Socket>();
  const web = createServer((request, response) => answer(request, response));
  web.on("request", ({ url }) => sight.requests.push(nameOf(url)));
  web.on("upgrade", ({ url }: IncomingMessage, socket: Socket) => {
    sight.requests.push(nameOf(url));
    socket.destroy();
  });
  web.on("clientError", (_error, socket) => socket.destroy());
  const tcp = createTcpServer((socket) => {
    sight.connections++;
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    socket.on("error", () => socket.destroy());
    web.emit("connection", socket);
  });
  await once(tcp.listen(0, address), "listening");
  const at = tcp.address();
  const port = at !== null && typeof at === "object" ? at.port : 0;
  const udp = createSocket(address.includes(":") ? "udp6" : "udp4");
  await once(udp.on("message", () => sight.udp++).bind(port, address), "listening");
  const names = dns ? await openNameServer((name) => sight.names.push(name)) : undefined;
  return {
    port,
    look: () => sight,
    take() {
      const seen = sight;
      sight = emptySight();
      return seen;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      names?.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

function emptySight(): CanarySight {
  return { connections: 0, requests: [], udp: 0, names: [] };
}

function nameOf(url = "/"): string {
  return url.split(/[/?#.]/)[1] ?? "";
}

function answer({ url = "/" }: IncomingMessage, response: ServerResponse): void {
  const path = url.split(/[?#]/)[0] ?? "";
  response.setHeader("access-control-allow-origin", "*");
  const name = nameOf(url);
  if (name.startsWith("redirect-")) {
    response.writeHead(302, { location: path.replace("/redirect-", "/after-redirect-") }).end();
    return;
  }
  const [, type = "text/html", body = "<p>canary"] = ANSWERS.find(([end]) => end.test(path)) ?? [];
  response.setHeader("content-type", type);
  response.end(body);
}

/** Opens a name server on port 53 that answers one address for every name, without caching. */
async function openNameServer(onName: (name: string) => void): Promise<UdpSocket> {
  const server = createSocket("udp4");
  server.on("message", (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    onName(labels.join("."));
    const question = query.subarray(12, at + 5);
    const isA = query.readUInt16BE(at + 1) === 1;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(isA ? 1 : 0, 6);
    head.fill(0, 8, 12);
    // A pointer to the name, type A, class IN, no time to live, 127.0.0.1.
    const record = Buffer.from("c00c00010001000000000004" + "7f000001", "hex");
    server.send(Buffer.concat([head, question, isA ? record : Buffer.alloc(0)]), port, address);
  });
  await once(server.bind(53, "127.0.0.1"), "listening");
  return server;
}
