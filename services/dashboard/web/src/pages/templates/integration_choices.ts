/** An integration that a test may be sent by. */
export interface IntegrationChoice {
  id: number;
  name: string;
  /** Addresses that it may send from. */
  senders: string[];
}

/** Reads what a test needs of the list of integrations; what is no integration is left out. */
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
