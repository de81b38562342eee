import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** Returns a scripted server's answer to a line, in one piece; `undefined` sends nothing. */
export type Script = (line: string, nth: number) => string | undefined;

/** Options of {@linkcode openScriptedServer}. */
export interface ScriptedOptions {
  /** Called first for each line; `undefined` means the standard answer. */
  script?: Script;
  /** @default {["PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 0"]} */
  keywords?: readonly string[];
  /** Delay of the answers to a flight after its last byte, in milliseconds. */
  delayMs?: number;
}

/** A server whose answers a test determines. */
export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  /** Every line of every connection. A content is one line, including the final dot if that came. */
  readonly lines: readonly string[];
  readonly mails: readonly string[];
  /** How often a client had to wait: its bytes came, and then the answer to them. */
  readonly flights: number;
  readonly connections: number;
}

const END = "\r\n.\r\n";

/** Opens a server on 127.0.0.1. */
export async function openScriptedServer(options: ScriptedOptions = {}): Promise<ScriptedServer> {
  const keywords = options.keywords ?? ["PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 0"];
  const lines: string[] = [];
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  const counts = { flights: 0, connections: 0 };

  function rightReply(line: string): string {
    switch (line.split(" ")[0]?.toUpperCase()) {
      case "EHLO":
        return ["scripted", ...keywords].map((word, at) =>
          `250${at < keywords.length ? "-" : " "}${word}`
        ).join("\r\n");
      case "DATA":
        return "354 Go on";
      case "QUIT":
        return "221 Bye";
    }
    return "250 2.0.0 OK";
  }

  function serve(socket: Socket): void {
    counts.connections++;
    sockets.add(socket);
    let input = "";
    let isContent = false;
    let timer: NodeJS.Timeout | undefined;

    function answer(line: string): string {
      const nth = lines.push(line) - 1;
      const said = options.script?.(line, nth);
      const reply = said ?? rightReply(line);
      if (line === "DATA" && reply.startsWith("354")) isContent = true;
      return reply === "" ? "" : `${reply}\r\n`;
    }

    function work(): void {
      counts.flights++;
      let answers = "";
      for (;;) {
        const mark = isContent ? END : "\r\n";
        const text = isContent ? `\r\n${input}` : input;
        const at = text.indexOf(mark);
        if (at === -1) break;
        const offset = isContent ? 2 : 0;
        input = text.slice(at + mark.length);
        if (!isContent) answers += answer(text.slice(0, at));
        else {
          isContent = false;
          mails.push(text.slice(offset, at + 2));
          answers += answer(".");
        }
      }
      if (isContent && input !== "") lines.push(`body ${input.length}`);
      if (answers !== "") socket.write(answers);
    }

    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      input += chunk.toString("latin1");
      clearTimeout(timer);
      if (options.delayMs === undefined) work();
      else timer = setTimeout(work, options.delayMs);
    });
    const greeting = options.script?.("", -1) ?? "220 scripted";
    if (greeting !== "") socket.write(`${greeting}\r\n`);
  }

  const server = createServer({ noDelay: true }, serve);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  return {
    port,
    lines,
    mails,
    get flights() {
      return counts.flights;
    },
    get connections() {
      return counts.connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}
