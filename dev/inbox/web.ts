import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { FRAME_POLICY, mailFrame } from "./mail_frame.ts";
import type { MailStore } from "./mail_store.ts";
import { openChangeFeed } from "./change_feed.ts";
import { openMailReader } from "./mail_reader.ts";
import { sendAttachment, sendJson, sendText } from "./respond.ts";

/** A listening web server. */
export interface Web extends AsyncDisposable {
  readonly port: number;
}

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = [
  { path: "/", file: "page.html", type: "text/html" },
  { path: "/app.js", file: "app.js", type: "text/javascript" },
  { path: "/format.js", file: "format.js", type: "text/javascript" },
  { path: "/h.js", file: "h.js", type: "text/javascript" },
  { path: "/views.js", file: "views.js", type: "text/javascript" },
  { path: "/style.css", file: "style.css", type: "text/css" },
] as const;

/** Opens the web page and its JSON; only the names in `allowedHosts` and the local ones are answered. */
export async function openWeb(
  store: MailStore,
  { host, port, smtpPort, allowedHosts }: {
    host: string;
    port: number;
    /** Shown to people as the place to send to. */
    smtpPort: number;
    allowedHosts: readonly string[];
  },
): Promise<Web> {
  const reader = openMailReader(store);
  const feed = openChangeFeed(store);
  const names = new Set(["localhost", "127.0.0.1", "[::1]", ...allowedHosts]);
  const page = new Map(
    await Promise.all(PAGE.map(async ({ path, file, type }) => {
      const body = await readFile(join(import.meta.dirname, "page", file), "utf8");
      return [path as string, { body: body.replace("{smtpPort}", `${smtpPort}`), type }] as const;
    })),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAllowed(request.headers.host, names)) {
      return sendJson(response, 403, { error: "This host name is not allowed" });
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://inbox");
    const file = page.get(pathname);
    if (file && isRead(request)) {
      return sendText(response, { ...file, policy: PAGE_POLICY });
    }
    if (pathname === "/api/events" && isRead(request)) return feed.serve(request, response);
    if (pathname === "/api/messages") return await answerList(request, response);
    const [, id, view] =
      /^\/api\/messages\/([0-9a-z]{16})(?:\/(raw|html|attachments\/\d{1,4}))?$/.exec(pathname) ??
        [];
    if (id === undefined) return notFound(response);
    if (view === undefined && request.method === "DELETE") {
      return await store.remove(id) ? sendJson(response, 204) : notFound(response);
    }
    if (!isRead(request)) return notAllowed(response);
    return await answerView(response, { id, view, download: searchParams.has("download") });
  }

  async function answerList(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "DELETE") {
      await store.clear();
      return sendJson(response, 204);
    }
    return isRead(request)
      ? sendJson(response, 200, await reader.summaries())
      : notAllowed(response);
  }

  async function answerView(
    response: ServerResponse,
    { id, view, download }: { id: string; view: string | undefined; download: boolean },
  ): Promise<void> {
    if (view === "raw") {
      const raw = await store.raw(id);
      if (!raw) return notFound(response);
      return download
        ? sendAttachment(response, {
          bytes: raw,
          contentType: "message/rfc822",
          filename: `${id}.eml`,
          download,
        })
        : sendText(response, { body: raw, type: "text/plain" });
    }
    const mail = await reader.open(id);
    if (!mail) return notFound(response);
    if (view === undefined) {
      const { summary, headers, cc, replyTo, text, html } = mail;
      return sendJson(response, 200, { ...summary, cc, replyTo, headers, text, html });
    }
    if (view === "html") {
      return sendText(response, { body: mailFrame(mail), type: "text/html", policy: FRAME_POLICY });
    }
    const attachment = reader.attachment(mail, Number(view.slice("attachments/".length)));
    return attachment ? sendAttachment(response, { ...attachment, download }) : notFound(response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: "The inbox could not read this from its folder" });
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Against DNS rebinding: a foreign page can point its own name here, but it cannot change the Host. */
function isAllowed(header: string | undefined, names: ReadonlySet<string>): boolean {
  return header !== undefined && names.has(header.replace(/:\d+$/, "").toLowerCase());
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function notFound(response: ServerResponse): void {
  sendJson(response, 404, { error: "Not found in the inbox" });
}

function notAllowed(response: ServerResponse): void {
  sendJson(response, 405, { error: "This method is not allowed here" });
}
