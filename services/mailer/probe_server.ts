// Not by its name: the timers of a test could not replace it.
import timers from "node:timers/promises";
import type { ProbeReply } from "@posthaste/contracts";
import { EgressError, type GuardedResolver, isPublicAddress } from "@posthaste/egress";
import { Conversation } from "./_probe_conversation.ts";
import { ProbeSteps } from "./_probe_steps.ts";
import { SmtpFailure } from "./smtp_failure.ts";
import { hasBadCa, leaksLogin, type SmtpIntegration } from "./smtp_integration.ts";
import { SmtpSession } from "./_smtp_session.ts";
import { toWireAddress } from "./wire_address.ts";

/** Settings of {@linkcode probeServer}; times in milliseconds. */
export interface ProbeOptions {
  /** The name said with EHLO. */
  ehloName: string;
  resolveHost: GuardedResolver;
  /** For dialling, greeting and EHLO. That it did not come to this is said after this time, whatever
   * it was: who names hosts of others must not learn from the time what listens there. */
  greetMs?: number;
  /** For all. */
  limitMs?: number;
  /** Whether whoever probes may learn of a certificate there before a login. */
  isPublic?: (address: string) => boolean;
}

/**
 * Tries a server as far as sending would go without a mail: looks the name up, connects, encrypts,
 * logs in, names a sender and takes it back. Tells each step that was done and why the next one was not.
 *
 * What is told before a login has succeeded is what a refused mail would tell, too
 * ({@linkcode judgeSmtpFailure}), and, of a public address, its certificate.
 */
export async function probeServer(
  integration: SmtpIntegration,
  sender: string | undefined,
  options: ProbeOptions,
): Promise<ProbeReply> {
  const { resolveHost, ehloName, isPublic = isPublicAddress } = options;
  const { greetMs = 8_000, limitMs = 20_000 } = options;
  const { auth, host, port } = integration;
  const steps = new ProbeSteps(integration);
  if (leaksLogin(integration)) return steps.failed("auth", "insecure_auth");
  if (hasBadCa(integration)) return steps.failed("tls", "bad_ca");

  const whole = AbortSignal.timeout(limitMs);
  let address: string;
  try {
    address = await resolveHost({ host, port });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return steps.failed("resolve", error.fault === "forbidden" ? "host" : "dns");
  }
  const mayTell = isPublic(address);
  steps.done("resolve", mayTell ? `The host is ${address}` : "The host is one that may be reached");

  const dialled = performance.now();
  const heard = new Conversation();
  const session: SmtpSession = new SmtpSession(integration, {
    address,
    settings: sessionSettings({ ehloName, greetMs, limitMs }),
    onClosed: () => {},
    onHeard: (who, line) => {
      heard.add(who, line);
      // A session that was ended does not tell any more.
      if (who === "server") heard.encryption ??= session.encryption;
    },
  });
  const greeting = new AbortController();
  const late = setTimeout(() => heard.isGreeted || greeting.abort(), greetMs);
  try {
    await session.open(AbortSignal.any([whole, greeting.signal]));
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error;
    if (isBeforeGreeting(error)) {
      const restMs = Math.max(0, greetMs - (performance.now() - dialled));
      await timers.setTimeout(restMs, undefined, { signal: whole }).catch(() => undefined);
      return steps.failed("connect", "refused");
    }
    steps.connected(heard);
    if (error.phase === "tls") {
      return await steps.notEncrypted(error, {
        look: mayTell ? () => certificateAt(integration, { address, ehloName, whole }) : undefined,
      });
    }
    steps.encrypted(heard, mayTell);
    return steps.failed("auth", error);
  } finally {
    clearTimeout(late);
  }
  try {
    steps.connected(heard);
    steps.encrypted(heard, mayTell || auth !== null);
    if (auth === null) steps.skip("auth", "There is no login to try");
    else steps.done("auth", `Logged in as ${auth.user}`, heard.lastReply);
    if (auth !== null) steps.tellGreeting(heard);
    if (sender === undefined) return steps.skip("sender", "There is no sender to try").reply(true);
    const reply = await session.trySender(toWireAddress(sender).address, whole);
    steps.tellGreeting(heard);
    steps.encrypted(heard, true);
    return steps.done("sender", `The server takes mail from ${sender}`, reply).reply(true);
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error;
    return steps.failed("sender", error);
  } finally {
    session.quit();
  }
}

function sessionSettings(
  { ehloName, greetMs, limitMs }: { ehloName: string; greetMs: number; limitMs: number },
) {
  return {
    ehloName,
    // Whoever waits for it ends it sooner.
    connectTimeoutMs: greetMs + 1_000,
    stallMs: limitMs,
    replyMs: limitMs,
    transferMs: limitMs,
  };
}

function isBeforeGreeting({ phase }: SmtpFailure): boolean {
  return phase === "connect" || phase === "greeting" || phase === "ehlo";
}

/** Connects once more without a login, only to look at the certificate that was refused. */
async function certificateAt(
  integration: SmtpIntegration,
  { address, ehloName, whole }: { address: string; ehloName: string; whole: AbortSignal },
) {
  const session = new SmtpSession({ ...integration, auth: null, allowInvalidCertificate: true }, {
    address,
    settings: sessionSettings({ ehloName, greetMs: 5_000, limitMs: 5_000 }),
    onClosed: () => {},
  });
  try {
    await session.open(whole);
    return session.encryption?.certificate;
  } catch {
    return undefined;
  } finally {
    session.quit();
  }
}
