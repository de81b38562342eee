/**
 * Importing this module repairs the driver: an operation that waits to write ends when its connection closes.
 *
 * After a write, the driver (7.9.0, `Connection.writeCommand`) waits for `drain` or an error of the socket. A socket that
 * was closed reports neither, and the operation would never end: nor would the event that it belongs to, in this process.
 * Woken, the driver finds the error of its connection and repeats the operation.
 */
import { createRequire } from "node:module";
import type { Socket } from "node:net";

/** The part of the driver's connection that is repaired. The driver does not export it. */
interface Connection {
  readonly socket: Socket;
  cleanup(error: Error): void;
}

interface ConnectionModule {
  Connection: { prototype: Connection };
}

const driver = createRequire(import.meta.url);
const { Connection } = driver("mongodb/lib/cmap/connection.js") as ConnectionModule;
const { cleanup } = Connection.prototype;

Connection.prototype.cleanup = function (this: Connection, error) {
  cleanup.call(this, error);
  this.socket.emit("drain");
};
