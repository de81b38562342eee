import { DEFAULT_CIPHERS } from "node:tls";

/**
 * The cipher suites for servers that customers name: the usual ones without Diffie-Hellman in finite fields. In TLS
 * 1.2 a server chooses the field, and one of 10,000 bits stops the process for more than a second at each connection.
 */
export const STRANGERS_CIPHERS: string = `${DEFAULT_CIPHERS}:!DHE`;
