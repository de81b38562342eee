// For tests: this library does not use a NATS client.
import { connect } from "node:net";

/** Sends lines of the NATS protocol and returns the answer up to the expected text. */
export async function converse(port: number, lines: string, expected: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8").setTimeout(60_000);
  socket.once("timeout", () => socket.destroy(new Error(`no "${expected}"`)));
  socket.write(`CONNECT {"verbose":false,"headers":true}\r\n${lines}`);
  let answer = "";
  for await (const chunk of socket) {
    answer += chunk;
    if (answer.includes(expected)) break;
  }
  return answer;
}

/** Returns the lines of a request whose answer comes to the same connection. */
export function request(subject: string, body: string): string {
  return `SUB _INBOX.1 1\r\nPUB ${subject} _INBOX.1 ${body.length}\r\n${body}\r\n`;
}
