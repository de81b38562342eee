/**
 * Speaks SMTP to one server (RFC 5321), with PIPELINING, STARTTLS, AUTH, SIZE, 8BITMIME and SMTPUTF8. It
 * resolves no names, keeps no pool, and judges no replies. It reports what happened, in which phase, and
 * whether the final dot may have been sent.
 *
 * ```ts
 * const connection = new SmtpConnection(
 *   { host: "mail.example.com", address: "192.0.2.1", port: 587, tls: "starttls", login },
 *   { ehloName: "client.example.com" },
 * );
 * await connection.open();
 * const reply = await connection.send({ from, to, raw, beforeDot: () => ledger.confirm() });
 * connection.quit();
 * ```
 *
 * @module
 */
export * from "./hide_login.ts";
export * from "./opening.ts";
export * from "./reply_parser.ts";
export * from "./server_offer.ts";
export * from "./smtp_connection.ts";
export * from "./smtp_error.ts";
export * from "./smtp_timeouts.ts";
export * from "./stuff_dots.ts";
export * from "./tls_fault.ts";
