import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import type { MailStore } from "./mail_store.ts";

const MAX_BYTES = 50 * 1024 * 1024;

/** A listening SMTP server. */
export interface Smtp extends AsyncDisposable {
  readonly port: number;
}

/**
 * Opens an SMTP server that accepts every mail of up to 50 MiB, with any login or none, in plain text. It
 * sends the 250 when the mail is on disk.
 */
export async function openSmtp(
  store: Pick<MailStore, "add">,
  { host, port }: { host: string; port: number },
): Promise<Smtp> {
  const server = new SMTPServer({
    name: "inbox.localhost",
    banner: "Development inbox: mail is caught, not delivered",
    size: MAX_BYTES,
    authOptional: true,
    authMethods: ["PLAIN", "LOGIN", "CRAM-MD5"],
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 500,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username || "anyone" }),
    onData: (stream, _session, callback) => {
      receive(store, stream).then((id) => callback(null, `Caught as ${id}`), callback);
    },
  });
  // A client that hangs up is no reason to stop.
  server.on("error", () => {});
  const listening = server.listen(port, host);
  await once(listening, "listening");
  return {
    port: (listening.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function receive(
  store: Pick<MailStore, "add">,
  stream: SMTPServerDataStream,
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (stream.sizeExceeded) {
    throw Object.assign(new Error(`Cannot take the mail: it is over ${MAX_BYTES} bytes`), {
      responseCode: 552,
    });
  }
  return (await store.add(Buffer.concat(chunks))).id;
}
