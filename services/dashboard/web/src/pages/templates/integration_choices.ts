/** An integration that can send a test. */
export interface IntegrationChoice {
  id: number;
  name: string;
  /** Its sender addresses. */
  senders: string[];
}

/** Reads the integrations for a test from the list; other entries are left out. */
export function readChoices(list: unknown): IntegrationChoice[] {
  return Array.isArray(list) ? list.flatMap(readChoice) : [];
}

function readChoice(row: unknown): IntegrationChoice[] {
  if (typeof row !== "object" || row === null) return [];
  const { id, name, senders } = row as Record<string, unknown>;
  if (typeof id !== "number" || typeof name !== "string" || !Array.isArray(senders)) return [];
  return [{ id, name, senders: senders.flatMap(readSender) }];
}

function readSender(sender: unknown): string[] {
  if (typeof sender === "string") return [sender];
  const { email } = (sender ?? {}) as { email?: unknown };
  return typeof email === "string" ? [email] : [];
}
