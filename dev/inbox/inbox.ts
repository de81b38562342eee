import { openMailStore } from "./mail_store.ts";
import { openSmtp } from "./smtp.ts";
import { openWeb } from "./web.ts";

/** Where the inbox listens and what it keeps. */
export interface InboxOptions {
  /** Folder for the caught mails, one `.eml` file each; made when missing. */
  dataDir: string;
  /** 0 takes any free port. @default {1025} */
  smtpPort?: number;
  /** 0 takes any free port. @default {8025} */
  webPort?: number;
  /** Address both servers listen on. @default {`127.0.0.1`} */
  host?: string;
  /** Maximum number of mails; the oldest is removed first. @default {500} */
  limit?: number;
  /** Further names by which a browser may call the web page, such as a container's name. */
  allowedHosts?: readonly string[];
}

/** A running inbox. */
export interface Inbox extends AsyncDisposable {
  readonly smtpPort: number;
  readonly webPort: number;
  /** Mails kept now. */
  count(): number;
}

/**
 * Opens the development inbox; disposing it closes both servers and keeps the mails.
 *
 * @throws when a port is taken or the folder cannot be written.
 */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const { dataDir, smtpPort = 1025, webPort = 8025, host = "127.0.0.1", limit = 500 } = options;
  await using opened = new AsyncDisposableStack();
  const store = await openMailStore({ dataDir, limit });
  const smtp = opened.use(await openSmtp(store, { host, port: smtpPort }));
  const allowedHosts = [host, ...options.allowedHosts ?? []];
  const web = opened.use(
    await openWeb(store, { host, port: webPort, smtpPort: smtp.port, allowedHosts }),
  );
  const servers = opened.move();
  return {
    smtpPort: smtp.port,
    webPort: web.port,
    count: () => store.count(),
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  };
}
