import {
  type EventData,
  MAX_EVENT_BYTES,
  MAX_MESSAGES_PER_EVENT,
  type PrintedMessage,
} from "@posthaste/contracts";
import {
  eventOfWritten,
  jsonBytes,
  type Outgoing,
  splitBySize,
  writeMessages,
} from "@posthaste/messaging";

/** A PDF in the store, or its bytes, which travel with its message. */
export type PdfPart =
  | { filename: string; key: string; size: number }
  | { filename: string; bytes: Buffer };

/** A message and its PDFs. */
export interface MessageWithPdfs {
  message: Omit<PrintedMessage, "attachments">;
  pdfs: PdfPart[];
}

/** The fields of an event about its send. */
export type EventHead = Omit<EventData<"messages.printed">, "messages">;

/** Space for the fields of an event about its send, in bytes. */
const HEAD_BYTES = 8 * 1024;

/** Space for messages and their PDFs in an event, in bytes. */
const ROOM_BYTES = MAX_EVENT_BYTES - HEAD_BYTES;

/** PDFs of this size fit beside any message, whose texts are at most two thirds of an event. */
const SMALL_BYTES = MAX_EVENT_BYTES / 4;

/** Returns whether a message has room in an event for its PDFs. */
export function fitsEvent({ message, pdfs }: MessageWithPdfs): boolean {
  return bytesOf(pdfs) <= SMALL_BYTES || weightOf({ message, pdfs }) <= ROOM_BYTES;
}

/** Returns the events that carry messages to the mailer, each followed by the bytes of its PDFs. */
export function printedEvents(head: EventHead, messages: readonly MessageWithPdfs[]): Outgoing[] {
  // Without PDF bytes and warnings they are smaller than the event in which they came.
  const isLight = messages.every(({ message: { timeline = [] }, pdfs }) =>
    bytesOf(pdfs) === 0 && timeline.every(({ warning }) => warning === undefined)
  );
  const parts = splitBySize(messages, {
    maxCount: MAX_MESSAGES_PER_EVENT,
    maxBytes: ROOM_BYTES,
    sizeOf: isLight ? () => 0 : weightOf,
  });
  return parts.map((part): Outgoing => {
    const pieces: Buffer[] = [];
    let offset = 0;
    const printed = part.map(({ message, pdfs }) => ({
      ...message,
      attachments: pdfs.map((pdf) => {
        if ("key" in pdf) return pdf;
        const { filename, bytes } = pdf;
        const place = { filename, offset, size: bytes.length };
        pieces.push(bytes);
        offset += bytes.length;
        return place;
      }),
    }));
    return {
      type: "messages.printed",
      ...eventOfWritten(head, writeMessages(printed)),
      ...(offset === 0 ? {} : { tail: Buffer.concat(pieces) }),
    };
  });
}

function weightOf({ message, pdfs }: MessageWithPdfs): number {
  return jsonBytes(message) + jsonBytes(pdfs.map(({ filename }) => filename)) + bytesOf(pdfs) +
    pdfs.length * PLACE_BYTES;
}

/** Returns the PDF bytes that travel behind an event. */
function bytesOf(pdfs: readonly PdfPart[]): number {
  return pdfs.reduce((sum, pdf) => sum + ("bytes" in pdf ? pdf.bytes.length : 0), 0);
}

/** A key of the store, or an offset, and the names of the fields. */
const PLACE_BYTES = 150;
