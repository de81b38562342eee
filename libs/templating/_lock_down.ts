import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import process from "node:process";
import workerThreads from "node:worker_threads";

/**
 * Closes what Node's permission flags leave open to a template that breaks out of Handlebars: connections,
 * name look-ups, signals, and threads, in which all of these would return. Nothing can be added any more to
 * the ancestors of all objects, where the templates of other accounts would find it. It applies to the whole
 * process, and cannot be undone.
 */
export function lockDown(): void {
  const refuse = () => {
    throw new Error("Templates cannot access anything outside their process");
  };
  // On Deno, the process has no permission for any of these, and its modules assign to some.
  if (process.versions["deno"] === undefined) closeNetwork(refuse);
  // The host runs under the same user.
  close(process, ["kill", "_kill", "_debugProcess"], refuse);
  syncBuiltinESMExports();
  for (
    const shared of [Object, Array, String, Number, Boolean, Function, Map, Set, RegExp, Promise]
  ) {
    Object.preventExtensions(shared.prototype);
  }
}

function closeNetwork(refuse: () => never): void {
  close(net.Socket.prototype, ["connect"], refuse);
  close(net.Server.prototype, ["listen"], refuse);
  close(dgram.Socket.prototype, ["bind", "connect", "send"], refuse);
  for (
    const lookups of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]
  ) {
    close(lookups, Object.getOwnPropertyNames(lookups).filter(isLookup), refuse);
  }
  close(workerThreads, ["Worker"], refuse);
}

function isLookup(name: string): boolean {
  return /^(lookup|resolve|reverse|query)/.test(name);
}

function close(owner: object, names: readonly string[], refuse: () => never): void {
  for (const name of names) {
    Object.defineProperty(owner, name, { value: refuse, writable: false, configurable: false });
  }
}
