import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** To the sink. */
export type SinkOrder =
  | { type: "reset" }
  | { type: "count" }
  | { type: "stamps" }
  | { type: "wait"; mails: number };

/** From the sink; times in nanoseconds of the monotonic clock, which all processes share. */
export type SinkReport =
  | { port: number; farPort: number }
  | { count: number }
  | { stamps: [recipient: string, at: number][] }
  | { reached: { firstAt: number; lastAt: number } };

/** When mails arrived, in milliseconds of {@linkcode monotonicMs}. */
export interface Arrivals {
  firstAt: number;
  lastAt: number;
}

/** An SMTP server in a process of its own, which counts mails. */
export interface Sink extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Where the same server answers 50 ms later. */
  readonly farPort: number;
  /** Counts from 0 again. */
  reset(): Promise<void>;
  /** Mails since the last reset. */
  count(): Promise<number>;
  /** When the mail of each recipient arrived since the last reset, by the line that named them. */
  stamps(): Promise<Map<string, number>>;
  /** Waits until so many mails have arrived since the last reset. @throws {Error} If they do not. */
  waitFor(mails: number, timeoutMs: number): Promise<Arrivals>;
}

/** Milliseconds of a clock that all processes of this machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Starts a sink. */
export async function openSink(): Promise<Sink> {
  const child = fork(fileURLToPath(new URL("./sink.ts", import.meta.url)));
  const ask = async <T extends SinkReport>(order: SinkOrder, timeoutMs = 5000): Promise<T> => {
    const answer = once(child, "message", { signal: AbortSignal.timeout(timeoutMs) });
    child.send(order);
    return (await answer)[0];
  };
  const [ports] = await once(child, "message") as [Extract<SinkReport, { port: number }>];
  return {
    pid: child.pid ?? 0,
    ...ports,
    reset: async () => void await ask({ type: "reset" }),
    count: async () => (await ask<{ count: number }>({ type: "count" })).count,
    async stamps() {
      const { stamps } = await ask<{ stamps: [string, number][] }>({ type: "stamps" });
      return new Map(stamps.map(([recipient, at]) => [recipient, at / 1e6]));
    },
    async waitFor(mails, timeoutMs) {
      type Reached = Extract<SinkReport, { reached: unknown }>;
      const answer = ask<Reached>({ type: "wait", mails }, timeoutMs).catch(async (cause) => {
        const { count } = await ask<{ count: number }>({ type: "count" });
        throw new Error(
          `Cannot measure: ${count} of ${mails} mails arrived within ${timeoutMs} ms`,
          { cause },
        );
      });
      const { firstAt, lastAt } = (await answer).reached;
      return { firstAt: firstAt / 1e6, lastAt: lastAt / 1e6 };
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
