import type { X509Certificate } from "node:crypto";
import { PROBE_STEPS, type ProbeReply, type ProbeStep } from "@posthaste/contracts";
import type { Conversation } from "./_probe_conversation.ts";
import { describeCertificate, namesOf } from "./describe_certificate.ts";
import { type Mishap, remedyFor } from "./probe_remedy.ts";
import type { SmtpFailure, SmtpFault } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";

type StepName = ProbeStep["step"];

/** Collects the steps of a probe, as they may be told. */
export class ProbeSteps {
  #integration: SmtpIntegration;
  #steps = new Map<StepName, ProbeStep>();
  #since = performance.now();

  constructor(integration: SmtpIntegration) {
    this.#integration = integration;
  }

  done(step: StepName, detail: string, reply?: string, durationMs = this.#passed()): this {
    return this.#set({ step, outcome: "done", durationMs, detail, ...(reply ? { reply } : {}) });
  }

  skip(step: StepName, detail: string): this {
    return this.#set({ step, outcome: "skipped", durationMs: 0, detail });
  }

  connected(heard: Conversation): void {
    const { tls, port } = this.#integration;
    const how = tls === "implicit" && heard.isConnected ? ", with TLS" : "";
    this.done("connect", `Connected to port ${port}${how}`, undefined, heard.connectMs);
    if (heard.isGreeted) {
      this.done("greeting", "The server talks SMTP", undefined, heard.greetingMs);
    }
  }

  /** Only once it is known that whoever asks is known there. */
  tellGreeting({ greeting, greetingMs, offers }: Conversation): void {
    const detail = offers === "" ? "The server talks SMTP" : `The server offers ${offers}`;
    this.done("greeting", detail, greeting, greetingMs);
  }

  encrypted(heard: Conversation, mayTell: boolean): void {
    const { tls, allowInvalidCertificate } = this.#integration;
    const { encryption } = heard;
    this.#passed();
    if (tls === "none") return void this.skip("tls", "The connection is not encrypted");
    if (encryption === undefined) return;
    const { protocol, certificate } = encryption;
    const told = mayTell && certificate ? `. ${describeCertificate(certificate)}` : "";
    const unchecked = allowInvalidCertificate ? ", but its certificate is not checked" : "";
    this.done(
      "tls",
      `Encrypted with ${protocol}${unchecked}${told}`,
      undefined,
      tls === "starttls" ? heard.tlsMs : 0,
    );
  }

  async notEncrypted(
    failure: SmtpFailure,
    { look }: { look: (() => Promise<X509Certificate | undefined>) | undefined },
  ): Promise<ProbeReply> {
    if (failure.fault !== "certificate" || look === undefined) return this.failed("tls", failure);
    const found = await look();
    const { originalCode } = failure.cause as { originalCode?: string };
    const reply = this.failed("tls", failure, originalCode);
    const step = this.#steps.get("tls");
    if (found === undefined || step === undefined) return reply;
    const what = originalCode === "ERR_TLS_CERT_ALTNAME_INVALID"
      ? `The certificate is for ${namesOf(found)}, and not for ${this.#integration.host}`
      : `${step.detail}. ${describeCertificate(found)}`;
    this.#set({ ...step, detail: what });
    return this.reply(false);
  }

  failed(step: StepName, failure: SmtpFailure | SmtpFault, certificate?: string): ProbeReply {
    const { host, port, tls } = this.#integration;
    const judged = typeof failure === "string"
      ? { phase: PHASE_OF[step], fault: failure, unknown: false }
      : failure.fault === "aborted"
      ? { phase: failure.phase, fault: "timeout" as const, unknown: false }
      : failure;
    const { reason, code, enhanced, response } = judgeSmtpFailure(judged);
    const mishap: Mishap = { step, fault: judged.fault, code, enhanced, certificate };
    const reply = response ?? [code, enhanced].filter((part) => part !== undefined).join(" ");
    this.#set({
      step,
      outcome: "failed",
      durationMs: this.#passed(),
      detail: reason,
      ...(reply === "" ? {} : { reply }),
      remedy: remedyFor(mishap, { host, port, tls }),
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

/** What a server says is shown to people: it may be as long as it likes. */
const LONGEST_TEXT = 1_000;

const PHASE_OF = {
  resolve: "connect",
  connect: "connect",
  greeting: "greeting",
  tls: "tls",
  auth: "auth",
  sender: "mail",
} as const satisfies Record<StepName, SmtpFailure["phase"]>;
