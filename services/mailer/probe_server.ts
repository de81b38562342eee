// Not imported by name: a test could not replace its timers.
import timers from "node:timers/promises";
import type { ProbeReply } from "@posthaste/contracts";
import { EgressError, type GuardedResolver, isPublicAddress } from "@posthaste/egress";
import { SmtpConnection, SmtpError } from "@posthaste/smtp";
import { ProbeSteps } from "./_probe_steps.ts";
import { failureOf, isGreeting, tokenFailureOf } from "./smtp_failure.ts";
import {
  hasBadCa,
  isByToken,
  leaksLogin,
  serverOf,
  type SmtpIntegration,
} from "./smtp_integration.ts";
import { toWireAddress } from "./wire_address.ts";

/** Settings of {@linkcode probeServer}; times in milliseconds. */
export interface ProbeOptions {
  /** The name in EHLO. */
  ehloName: string;
  resolveHost: GuardedResolver;
  /**
   * Time for dialling, greeting and EHLO. Every failure of these is reported after this time: the time must not
   * reveal to a caller what listens on hosts of others.
   */
  greetMs?: number;
  /** For all. */
  limitMs?: number;
  /** Whether the caller may see the server's certificate before a login. */
  isPublic?: (address: string) => boolean;
}

/**
 * Tests a server with all steps of sending except the mail: it looks the name up, connects, encrypts, logs
 * in, names a sender and resets. Reports each step, and why the next one was left out.
 *
 * Before a login, the report has no more than a refused mail would show ({@linkcode judgeSmtpFailure}) and,
 * for a public address, its certificate.
 */
export async function probeServer(
  integration: SmtpIntegration,
  sender: string | undefined,
  options: ProbeOptions,
): Promise<ProbeReply> {
  const { resolveHost, ehloName, isPublic = isPublicAddress } = options;
  const { greetMs = 8_000, limitMs = 20_000 } = options;
  const { auth, host, port, key, owner = key } = integration;
  const steps = new ProbeSteps(integration);
  if (leaksLogin(integration)) return steps.failed("auth", "insecure_auth");
  if (hasBadCa(integration)) return steps.failed("tls", "bad_ca");

  const whole = AbortSignal.timeout(limitMs);
  let token: string | undefined;
  try {
    if (isByToken(auth)) token = (await auth.tokens.get()).token;
  } catch (error) {
    return steps.failed("auth", tokenFailureOf(error, integration));
  }
  let address: string;
  try {
    address = await resolveHost({ host, port, owner });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return steps.failed("resolve", error.fault === "forbidden" ? "host" : "dns");
  }
  const mayTell = isPublic(address);
  steps.done("resolve", mayTell ? `The host is ${address}` : "The host is allowed");

  const dialled = performance.now();
  const connection = new SmtpConnection(serverOf(integration, address, token), {
    ehloName,
    timeouts: timeoutsOf({ greetMs, limitMs }),
  });
  const { opening } = connection;
  const greeting = new AbortController();
  const isGreeted = () => opening.times.greeted !== undefined;
  const late = setTimeout(() => isGreeted() || greeting.abort(), greetMs);
  try {
    await connection.open(AbortSignal.any([whole, greeting.signal]));
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error;
    const failure = failureOf(error, integration);
    if (isGreeting(failure.phase)) {
      const restMs = Math.max(0, greetMs - (performance.now() - dialled));
      await timers.setTimeout(restMs, undefined, { signal: whole }).catch(() => undefined);
      return steps.failed("connect", "refused");
    }
    steps.connected(opening);
    if (failure.phase === "tls") return steps.failed("tls", failure);
    steps.encrypted(opening, mayTell);
    return steps.failed("auth", failure);
  } finally {
    clearTimeout(late);
  }
  try {
    steps.connected(opening);
    steps.encrypted(opening, mayTell || auth !== null);
    if (auth === null) steps.skip("auth", "No login to test");
    else steps.done("auth", `Logged in as ${auth.user}`, { reply: opening.loggedIn?.text });
    if (auth !== null) steps.reportGreeting(opening);
    if (sender === undefined) return steps.skip("sender", "No sender to test").reply(true);
    const { text: reply } = await connection.trySender(toWireAddress(sender).address, whole);
    steps.reportGreeting(opening);
    steps.encrypted(opening, true);
    return steps.done("sender", `The server accepts mail from ${sender}`, { reply }).reply(true);
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error;
    return steps.failed("sender", failureOf(error, integration));
  } finally {
    connection.quit();
  }
}

function timeoutsOf({ greetMs, limitMs }: { greetMs: number; limitMs: number }) {
  return {
    // A caller that waits for it ends it earlier.
    ...{ connectMs: greetMs + 1_000, greetingMs: greetMs + 1_000 },
    ...{ commandMs: limitMs, transferMs: limitMs },
  };
}
