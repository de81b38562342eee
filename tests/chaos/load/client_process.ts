import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Api } from "../fixture/pods.ts";
import type { Mix } from "./orders.ts";
import type { Secret } from "../records/secret.ts";

/** The plan of a client. */
export interface ClientPlan {
  /** Marks addresses and keys. */
  run: string;
  seed: string;
  messages: number;
  mix: Mix;
  /** The mails are requested evenly over this time. */
  seconds: number;
  /** Share that is requested immediately instead. */
  backlog: number;
  connections: number;
  /** Path of the send, after the base of the interface. */
  path: string;
  token: string;
  from: string;
  pdfId: number;
  /** Secrets that no answer may contain. */
  secrets: Secret[];
  /** File of the client's ledger. */
  journal: string;
}

/** To the client. */
export type ClientOrder =
  | { type: "start"; plan: ClientPlan }
  | { type: "apis"; apis: Api[] }
  | { type: "stop" };

/** The client's progress: requests, accepted mails, refusals, and missing answers. */
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
  /** Sets the processes of the interface. */
  use(apis: Api[]): void;
  /** Requests all mails and resolves when each request has a final answer. */
  run(plan: ClientPlan): Promise<ClientTotals>;
  /** Ends the run after the requests in flight. */
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
    use: (apis) => tell({ type: "apis", apis }),
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
