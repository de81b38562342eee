import type { Encryption, SessionListener } from "./_smtp_session.ts";

type Speaker = Parameters<SessionListener>[0];

/** What was said in a session, and when. */
export class Conversation {
  readonly begun: number = performance.now();
  encryption: Encryption | undefined;
  #lines: { who: Speaker; line: string; at: number }[] = [];

  add(who: Speaker, line: string): void {
    this.#lines.push({ who, line, at: performance.now() });
  }

  /** Whether there is a connection; with TLS from the start, an encrypted one. */
  get isConnected(): boolean {
    return this.#lines.length > 0;
  }

  /** Whether it was answered to the first EHLO: it talks SMTP. */
  get isGreeted(): boolean {
    return this.#replies.filter(({ line }) => line.startsWith("250")).length > 0;
  }

  get lastReply(): string {
    return this.#replies.at(-1)?.line ?? "";
  }

  get greeting(): string {
    return this.#replies[0]?.line ?? "";
  }

  /** What the server offers, by its last answer to EHLO. */
  get offers(): string {
    const answer = this.#replies.findLast(({ line }) => /^250[ -].*\n/.test(line))?.line ?? "";
    return answer.split(/\r?\n/).slice(1).map((line) => line.slice(4).trim()).join(", ");
  }

  get connectMs(): number {
    return this.#first("network") - this.begun;
  }

  get greetingMs(): number {
    return this.#starttls - this.#first("network");
  }

  get tlsMs(): number {
    const after = this.#lines.find(({ who, line, at }) =>
      who === "client" && line.startsWith("EHLO") && at > this.#starttls
    );
    return (after?.at ?? this.#lines.at(-1)?.at ?? this.begun) - this.#starttls;
  }

  /** When the greeting was over. */
  get #starttls(): number {
    const client = this.#lines.filter(({ who }) => who === "client");
    return client.find(({ line }) => !line.startsWith("EHLO"))?.at ?? this.#lines.at(-1)?.at ??
      this.begun;
  }

  get #replies() {
    return this.#lines.filter(({ who }) => who === "server");
  }

  #first(who: Speaker): number {
    return this.#lines.find((entry) => entry.who === who)?.at ?? this.begun;
  }
}
