import type { IncomingMessage, ServerResponse } from "node:http";
import type { MailStore } from "./mail_store.ts";

const GATHER_MS = 100;
const HEARTBEAT_MS = 20_000;

/** Notifies open pages by server-sent events that the list has changed. */
export interface ChangeFeed extends Disposable {
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/** Opens the feed; a burst of mails becomes one event every 100 ms. */
export function openChangeFeed(store: Pick<MailStore, "subscribe" | "count">): ChangeFeed {
  const readers = new Set<ServerResponse>();
  let gathering: NodeJS.Timeout | undefined;

  function tell(text: string): void {
    for (const reader of readers) reader.write(text);
  }

  const unsubscribe = store.subscribe(() => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      tell(`event: changed\ndata: {"count":${store.count()}}\n\n`);
    }, GATHER_MS);
  });
  const heartbeat = setInterval(() => tell(": still here\n\n"), HEARTBEAT_MS);
  return {
    serve(request, response) {
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      });
      response.write(`retry: 1000\nevent: changed\ndata: {"count":${store.count()}}\n\n`);
      readers.add(response);
      request.on("close", () => readers.delete(response));
    },
    [Symbol.dispose]() {
      unsubscribe();
      clearTimeout(gathering);
      clearInterval(heartbeat);
      for (const reader of readers) reader.end();
    },
  };
}
