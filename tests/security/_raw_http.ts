import { connect, type Socket } from "node:net";

/** One raw answer. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The result of sending bytes over a connection of their own. */
export interface RawExchange {
  answers: RawAnswer[];
  /** Bytes after the last complete answer. */
  rest: string;
  /** Whether the server has closed the connection. */
  closed: boolean;
  /** Time until the first answer was complete, in milliseconds. */
  firstMs: number;
}

/** How bytes are sent. */
export interface RawOptions {
  port: number;
  /** Number of answers to wait for. @default {1} */
  expect?: number | undefined;
  /** Longest wait, in milliseconds. @default {8000} */
  timeoutMs?: number | undefined;
  /** Time to wait for more answers than expected, in milliseconds. @default {30} */
  lingerMs?: number | undefined;
}

/** Sends raw bytes over a connection of their own, and reads the answers. */
export async function exchangeRaw(bytes: Buffer, options: RawOptions): Promise<RawExchange> {
  const { port, expect = 1, timeoutMs = 8000, lingerMs = 30 } = options;
  const startedAt = performance.now();
  const socket = connect(port, "127.0.0.1");
  const result: RawExchange = { answers: [], rest: "", closed: false, firstMs: Infinity };
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  let data = "";
  socket.on("data", (chunk: Buffer) => {
    data += chunk.toString("latin1");
    Object.assign(result, readAnswers(data));
    if (result.answers.length === 0) return;
    if (result.firstMs === Infinity) result.firstMs = performance.now() - startedAt;
    if (result.answers.length >= expect) setTimeout(resolve, lingerMs);
  });
  // A server that refuses early may reset what is still being written.
  socket.on("error", () => {});
  socket.on("close", () => {
    result.closed = true;
    resolve();
  });
  socket.write(bytes);
  await promise;
  clearTimeout(timer);
  socket.destroy();
  return result;
}

/** Opens a connection and does not wait. Errors are ignored: the server may end it any time. */
export function openSocket(port: number): Socket {
  return connect(port, "127.0.0.1").on("error", () => {});
}

/** Splits what a server sent into its answers. Interim ones (100 Continue) are left out. */
function readAnswers(data: string): Pick<RawExchange, "answers" | "rest"> {
  const answers: RawAnswer[] = [];
  let rest = data;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})[ \r]/.exec(rest)?.[1]);
    if (end === -1 || Number.isNaN(status)) return { answers, rest };
    const headers = Object.fromEntries(
      rest.slice(0, end).split("\r\n").slice(1).map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers["content-length"] ?? 0);
    if (rest.length < end + 4 + length) return { answers, rest };
    const body = rest.slice(end + 4, end + 4 + length);
    rest = rest.slice(end + 4 + length);
    if (status >= 200) answers.push({ status, headers, body });
  }
}

/** Returns a request as text, with the length of its body unless the headers contain one. */
export function requestText(
  line: string,
  headers: readonly string[],
  body: string | Buffer = "",
): Buffer {
  const says = headers.some((header) => /^(content-length|transfer-encoding)/i.test(header));
  const payload = Buffer.from(body);
  const length = says || payload.length === 0 ? [] : [`Content-Length: ${payload.length}`];
  const head = [line, ...headers, ...length].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "latin1"), payload]);
}
