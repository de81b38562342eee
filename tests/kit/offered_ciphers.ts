import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Cipher suites with Diffie-Hellman in finite fields, by IANA's numbers, that OpenSSL offers with RSA certificates. */
const FINITE_FIELD = [0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xccaa, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3];

/**
 * Returns the cipher suites with Diffie-Hellman in finite fields that a client offers in its first message (RFC
 * 5246, section 7.4.1.2).
 *
 * @param connect Connects to a port of this machine by TLS. The connection is closed after its first message.
 */
export async function finiteFieldCiphers(
  connect: (port: number) => Promise<unknown>,
): Promise<number[]> {
  const server = createServer().listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const accepted = once(server, "connection");
    const connected = connect((server.address() as AddressInfo).port).catch(() => undefined);
    const [socket] = await accepted;
    const [hello] = await once(socket, "data") as [Buffer];
    socket.destroy();
    await connected;
    // Record and handshake header, version, random; then the session's id.
    const at = 44 + (hello[43] ?? 0);
    const size = hello.readUInt16BE(at);
    const offered = Array.from({ length: size / 2 }, (_, n) => hello.readUInt16BE(at + 2 + 2 * n));
    if (offered.length === 0) throw new Error("Cannot read the client's first message");
    return offered.filter((suite) => FINITE_FIELD.includes(suite));
  } finally {
    server.close();
  }
}
