import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Mix } from "./orders.ts";
import type { Secret } from "../records/secret.ts";

/** What a client is to ask for. */
export interface ClientPlan {
  /** Marks addresses and keys. */
  run: string;
  seed: string;
  messages: number;
  mix: Mix;
  /** The mails are asked for evenly over this time. */
  seconds: number;
  /** So large a share is asked for at once instead. */
  backlog: number;
  connections: number;
  /** Path of the send, after the base of the interface. */
  path: string;
  token: string;
  from: string;
  pdfId: number;
  /** What no answer may hold. */
  secrets: Secret[];
  /** File of the client's ledger. */
  journal: string;
}

/** To the client. */
export type ClientOrder =
  | { type: "start"; plan: ClientPlan }
  | { type: "urls"; urls: string[] }
  | { type: "stop" };

/** How far the client is: requests asked for, mails accepted, answers that were no, and none. */
export interface ClientTotals {
  orders: number;
  accepted: number;
  refused: number;
  unanswered: number;
}

/** From the client. */
export type ClientReport = ClientTotals & { type: "progress" | "done" };

/** A client in a process of its own. */
export interface Client extends AsyncDisposable {
  /** The interface, where there are several processes of it. */
  use(urls: string[]): void;
  /** Asks for all mails and resolves when each request has an answer that holds. */
  run(plan: ClientPlan): Promise<ClientTotals>;
  /** Ends the run after what is on its way. */
  stop(): void;
  readonly totals: ClientTotals;
}

/** Starts a client. */
export async function openClient(): Promise<Client> {
  const child = fork(fileURLToPath(new URL("./client.ts", import.meta.url)));
  await once(child, "spawn");
  const done = Promise.withResolvers<ClientTotals>();
  let totals: ClientTotals = { orders: 0, accepted: 0, refused: 0, unanswered: 0 };
  child.on("message", (report: ClientReport) => {
    totals = report;
    if (report.type === "done") done.resolve(report);
  });
  const exited = once(child, "exit");
  exited.then(([code]) => done.reject(new Error(`Cannot go on: the client ended with ${code}`)));
  done.promise.catch(() => undefined);
  const tell = (order: ClientOrder) => void child.send(order);
  return {
    get totals() {
      return totals;
    },
    use: (urls) => tell({ type: "urls", urls }),
    stop: () => tell({ type: "stop" }),
    run(plan) {
      tell({ type: "start", plan });
      return done.promise;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
