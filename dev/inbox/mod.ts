/**
 * The development inbox: an SMTP server that catches every mail and delivers none, and a web page to
 * read what was caught.
 *
 * ```ts
 * await using inbox = await openInbox({ dataDir: ".posthaste/inbox" });
 * // mail to 127.0.0.1:1025 shows up at http://127.0.0.1:8025
 * ```
 *
 * @module
 */
export { type Inbox, type InboxOptions, openInbox } from "./inbox.ts";
