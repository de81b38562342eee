import { PROBE_STEPS, type ProbeReply, type ProbeStep } from "@posthaste/contracts";
import { type Opening, SmtpError } from "@posthaste/smtp";
import { describeCertificate } from "./describe_certificate.ts";
import { type Mishap, remedyFor } from "./probe_remedy.ts";
import type { SmtpFailure, SmtpFault } from "./smtp_failure.ts";
import { isByToken, type SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";

type StepName = ProbeStep["step"];

/** Collects the steps of a probe in the words that the caller may see. */
export class ProbeSteps {
  #integration: SmtpIntegration;
  #steps = new Map<StepName, ProbeStep>();
  #since = performance.now();

  constructor(integration: SmtpIntegration) {
    this.#integration = integration;
  }

  done(
    step: StepName,
    detail: string,
    { reply, durationMs = this.#passed() }: Partial<Pick<ProbeStep, "reply" | "durationMs">> = {},
  ): this {
    return this.#set({ step, outcome: "done", durationMs, detail, ...(reply ? { reply } : {}) });
  }

  skip(step: StepName, detail: string): this {
    return this.#set({ step, outcome: "skipped", durationMs: 0, detail });
  }

  connected({ times }: Opening): void {
    const { tls, port } = this.#integration;
    const { begun, connected = performance.now(), greeted } = times;
    const how = tls === "implicit" && times.connected !== undefined ? ", with TLS" : "";
    this.done("connect", `Connected to port ${port}${how}`, { durationMs: connected - begun });
    if (greeted === undefined) return;
    this.done("greeting", "The server speaks SMTP", { durationMs: greeted - connected });
  }

  /** Only after the server has accepted the caller's login. */
  reportGreeting({ greeting, offer, times }: Opening): void {
    const { connected = 0, greeted = 0 } = times;
    const offers = offer.keywords.join(", ");
    const detail = offers === "" ? "The server speaks SMTP" : `The server offers ${offers}`;
    this.done("greeting", detail, { reply: greeting?.text, durationMs: greeted - connected });
  }

  encrypted({ encryption, times }: Opening, mayTell: boolean): void {
    const { tls, allowInvalidCertificate } = this.#integration;
    this.#passed();
    if (tls === "none") return void this.skip("tls", "The connection is not encrypted");
    if (encryption === undefined) return;
    const { protocol, certificate } = encryption;
    const described = mayTell && certificate ? `. ${describeCertificate(certificate)}` : "";
    const unchecked = allowInvalidCertificate ? ", but its certificate is not checked" : "";
    const { greeted = 0, encrypted = greeted } = times;
    this.done("tls", `Encrypted with ${protocol}${unchecked}${described}`, {
      durationMs: encrypted - greeted,
    });
  }

  failed(step: StepName, failure: SmtpFailure | SmtpFault): ProbeReply {
    const { host, port, tls, auth } = this.#integration;
    const judged = typeof failure === "string"
      ? { phase: PHASE_OF[step], fault: failure, unknown: false }
      : failure.fault === "aborted"
      ? { phase: failure.phase, fault: "timeout" as const, unknown: false }
      : failure;
    const { reason, code, enhanced, response } = judgeSmtpFailure(judged);
    const { detail = reason, remedy } = typeof failure === "string" ? {} : ownWords(failure);
    const cause = typeof failure === "string" ? undefined : failure.cause;
    const kind = cause instanceof SmtpError ? cause.tls?.kind : undefined;
    const mishap: Mishap = { step, fault: judged.fault, code, enhanced, tls: kind };
    const reply = response ?? [code, enhanced].filter((part) => part !== undefined).join(" ");
    this.#set({
      step,
      outcome: "failed",
      durationMs: this.#passed(),
      detail,
      ...(reply === "" ? {} : { reply }),
      remedy: remedy ?? remedyFor(mishap, { host, port, tls, isByToken: isByToken(auth) }),
    });
    return this.reply(false);
  }

  reply(ok: boolean): ProbeReply {
    const steps = PROBE_STEPS.map((step) =>
      this.#steps.get(step) ?? { step, outcome: "skipped" as const, durationMs: 0, detail: "" }
    );
    return { ok, steps };
  }

  #set(step: ProbeStep): this {
    const { detail, reply, durationMs } = step;
    this.#steps.set(step.step, {
      ...step,
      durationMs: Math.max(0, Math.round(durationMs)),
      detail: detail.slice(0, LONGEST_TEXT),
      ...(reply === undefined ? {} : { reply: reply.slice(0, LONGEST_TEXT) }),
    });
    return this;
  }

  #passed(): number {
    const now = performance.now();
    const passed = now - this.#since;
    this.#since = now;
    return passed;
  }
}

/** Returns the words of a failure that has a remedy of its own. */
function ownWords({ detail, remedy }: SmtpFailure): { detail?: string; remedy?: string } {
  return detail === undefined || remedy === undefined ? {} : { detail, remedy };
}

/** The text of a server is shown to people, and its length is the server's choice. */
const LONGEST_TEXT = 1_000;

const PHASE_OF = {
  resolve: "connect",
  connect: "connect",
  greeting: "greeting",
  tls: "tls",
  auth: "auth",
  sender: "mail",
} as const satisfies Record<StepName, SmtpFailure["phase"]>;
