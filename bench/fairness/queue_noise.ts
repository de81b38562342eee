import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { BenchAccount } from "../bench_account.ts";
import { sendBody } from "../workload.ts";
import { postJson } from "./post_json.ts";

/** What a noisy account queues. */
export interface Noise {
  messages: number;
  recipientsPerRequest: number;
  withPdfs: boolean;
  /** Number of the first recipient. */
  first: number;
  limitMs: number;
}

const CONNECTIONS = 16;
const MAX_WAIT_SECONDS = 2;

/** Queues the noise, as fast as it is accepted, and returns the number of messages within the time. */
export async function queueNoise(account: BenchAccount, noise: Noise): Promise<number> {
  const { messages, recipientsPerRequest, withPdfs, limitMs } = noise;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const deadline = performance.now() + limitMs;
  let next = 0;
  let accepted = 0;
  let requests = 0;
  const client = async () => {
    while (next < messages && performance.now() < deadline) {
      const first = noise.first + next;
      const count = Math.min(recipientsPerRequest, messages - next);
      next += count;
      const request = requests++;
      const invoice = withPdfs ? "each" : "none";
      const body = JSON.stringify(sendBody({ first, count, invoice, pdfId: account.pdfId }));
      while (performance.now() < deadline) {
        const { status, retryAfter } = await postJson({
          ...account,
          url: account.sendUrls[request % account.sendUrls.length] ?? account.sendUrl,
          body,
          agent,
        });
        if (status === 200) {
          accepted += count;
          break;
        }
        if (status !== 429 && status !== 503) {
          throw new Error(`Cannot queue the noise: the answer was ${status}`);
        }
        await delay(Math.min(retryAfter, MAX_WAIT_SECONDS) * 1000);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
  } finally {
    agent.destroy();
  }
  return accepted;
}
