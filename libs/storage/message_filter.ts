import type { Message, MessageState, Send } from "@posthaste/contracts";
import { meets, type Tests } from "./_meets.ts";

/** Conditions of a search for messages. A condition that is left out does not apply. */
export interface MessageFilter {
  /** In any of these states. */
  states?: readonly MessageState[] | undefined;
  sendId?: string | undefined;
  /** Only this message; `sendId` names its send. */
  messageId?: string | undefined;
  templateId?: number | undefined;
  integrationId?: number | undefined;
  /**
   * The recipient's address, or with `isPrefix` its beginning. Found as it is written here, and in lower case
   * (all of it, or only its domain).
   */
  email?: { text: string; isPrefix: boolean } | undefined;
  /**
   * Any part of the address or of the subject, or 8 or more characters of the id, regardless
   * of case. No index helps, so sends are read one by one while there is time.
   */
  part?: string | undefined;
  /** Accepted at this time or later. */
  from?: Date | undefined;
  /** Accepted before this. */
  until?: Date | undefined;
  /** Part of the reason or of the server's reply, regardless of case. */
  text?: string | undefined;
  /** The exact cause, in the fields that are given. */
  because?: { [Field in keyof Because]?: Because[Field] | undefined } | undefined;
  /** Reference of the message: its recipient's, or its send's. */
  reference?: string | undefined;
  /** The batch of its send. */
  batchId?: string | undefined;
  /** One of its tags. */
  tag?: string | undefined;
}

/** The fields that distinguish causes of a failure. */
export interface Because {
  reason: string | null;
  /** Code of the server's reply. */
  code: number | null;
  enhanced: string | null;
}

/** The fewest characters of an id that find it: fewer occur in many. */
const MIN_ID_PART = 8;

/** What a found message is tested by. */
type Candidate = Pick<Message, "_id" | "state" | "email" | "reason" | "reply"> & {
  readonly subject: string | null;
  send: Pick<Send, "template" | "integrationId">;
};

/** Conditions that only the queries of a search, and the labels of what they find, can meet. */
type InQuery = "sendId" | "batchId" | "from" | "until" | "reference" | "tag";

const TESTS: Tests<Candidate, Omit<MessageFilter, InQuery>> = {
  states: ({ state }, wanted) => wanted.includes(state),
  messageId: ({ _id }, wanted) => _id === wanted,
  email: ({ email }, wanted) => isAddress(email, wanted),
  templateId: ({ send }, wanted) => send.template.id === wanted,
  integrationId: ({ send }, wanted) => send.integrationId === wanted,
  because: isBecause,
  part: hasPart,
  text: hasText,
};

/** Returns whether a message that a query found meets the other conditions of a filter. */
export function matchesFilter(message: Candidate, filter: MessageFilter): boolean {
  return meets(message, filter, TESTS);
}

function isAddress(
  email: string,
  { text, isPrefix }: NonNullable<MessageFilter["email"]>,
): boolean {
  const [found, wanted] = [email.toLowerCase(), text.toLowerCase()];
  return isPrefix ? found.startsWith(wanted) : found === wanted;
}

function hasPart(message: Candidate, part: string): boolean {
  const wanted = part.toLowerCase();
  return message.email.toLowerCase().includes(wanted) ||
    wanted.length >= MIN_ID_PART && message._id.includes(wanted) ||
    (message.subject?.toLowerCase().includes(wanted) ?? false);
}

function isBecause(
  { reason, reply }: Pick<Message, "reason" | "reply">,
  because: NonNullable<MessageFilter["because"]>,
) {
  const isSame = <T>(wanted: T | undefined, found: T) => wanted === undefined || wanted === found;
  return isSame(because.reason, reason) && isSame(because.code, reply?.code ?? null) &&
    isSame(because.enhanced, reply?.enhanced ?? null);
}

function hasText({ reason, reply }: Pick<Message, "reason" | "reply">, text: string): boolean {
  const said = [reason, reply?.code, reply?.enhanced, reply?.response].join(" ").toLowerCase();
  return said.includes(text.toLowerCase());
}
