import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** How the SMTP server of the noisy account behaves. */
export type Behaviour =
  /** Nothing listens on its port. */
  | "refused"
  /** It accepts connections and never sends anything. */
  | "silent"
  /** It receives each mail, and never answers the final dot. */
  | "mute"
  /** It takes five seconds for each mail. */
  | "slow"
  /** It accepts all mail immediately. */
  | "fast";

/** The SMTP server of the noisy account. */
export interface NoisyServer extends AsyncDisposable {
  readonly port: number;
  /** Mails that it has taken. */
  readonly mails: number;
}

const SLOW_MS = 5000;

/** Starts it in this process: it has little to do. */
export async function openNoisyServer(behaviour: Behaviour): Promise<NoisyServer> {
  const sockets = new Set<Socket>();
  let mails = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
    if (behaviour === "silent") socket.resume();
    else {
      serve(socket, {
        delayMs: behaviour === "slow" ? SLOW_MS : 0,
        isMute: behaviour === "mute",
        onMail: () => mails++,
      });
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  if (behaviour === "refused") await close();
  return {
    port,
    get mails() {
      return mails;
    },
    [Symbol.asyncDispose]: close,
  };
}

interface Serving {
  delayMs: number;
  isMute: boolean;
  onMail(): void;
}

function serve(socket: Socket, { delayMs, isMute, onMail }: Serving): void {
  let inData = false;
  let text = "";
  socket.setNoDelay().setEncoding("latin1").write("220 noisy\r\n");
  socket.on("data", (chunk: string) => {
    text += chunk;
    while (true) {
      const mark = inData ? "\r\n.\r\n" : "\r\n";
      const end = text.indexOf(mark);
      if (end < 0) break;
      const line = text.slice(0, end);
      text = text.slice(end + mark.length);
      if (inData) {
        inData = false;
        if (isMute) {
          onMail();
          continue;
        }
        setTimeout(() => {
          onMail();
          if (!socket.destroyed) socket.write("250 2.0.0 Ok\r\n");
        }, delayMs);
        continue;
      }
      inData = /^data$/i.test(line);
      socket.write(answerTo(line.slice(0, 4).toUpperCase()));
    }
    // What follows needs the last few characters only.
    if (inData) text = text.slice(-4);
  });
}

function answerTo(verb: string): string {
  if (verb === "EHLO") return "250-noisy\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n";
  if (verb === "DATA") return "354 Go ahead\r\n";
  return verb === "QUIT" ? "221 Bye\r\n" : "250 2.0.0 Ok\r\n";
}
