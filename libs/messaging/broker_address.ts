import type { JetStreamManagerOptions } from "@nats-io/jetstream";
import type { ConnectionOptions } from "@nats-io/nats-core";

type Login =
  & Required<Pick<ConnectionOptions, "servers">>
  & Pick<ConnectionOptions, "user" | "pass" | "tls">;

/**
 * Reads the address of a broker: `nats://user:password@host:port`, or several, with commas; a user named
 * in one is the user everywhere. The client itself would take a user in an address for a host.
 *
 * With `tls://` or `wss://` a server without TLS is refused: the client itself would log in there in the
 * clear. `?ca=/path` names the file of the authorities to trust, instead of those that Node trusts.
 *
 * @throws {TypeError} If the address is invalid. The message does not quote it, since it may hold a password.
 */
export function brokerAddress(url: string): Login {
  const found = url.replace(QUERY, "").split(",").map((server) =>
    /^(\w+:\/\/)?(?:([^@]*)@)?(.+)$/.exec(server.trim())
  );
  const login = found.find((parts) => parts?.[2] !== undefined)?.[2];
  const servers = found.map((parts) => {
    if (parts === null) throw new TypeError("Cannot read the address of the broker");
    return `${parts[1] ?? ""}${parts[3]}`;
  });
  const tls = url.split(",").some((server) => /^(tls|wss):/.test(server.trim()))
    ? { tls: caOf(url) }
    : {};
  if (login === undefined) return { servers, ...tls };
  const [user = "", ...rest] = login.split(":");
  const pass = decodeURIComponent(rest.join(":"));
  return { servers, user: decodeURIComponent(user), pass, ...tls };
}

const QUERY = /\/?\?.*$/;

function caOf(url: string): { caFile?: string } {
  const caFile = queryOf(url).get("ca");
  return caFile === null ? {} : { caFile };
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(QUERY.exec(url)?.[0].replace(/^\/?/, ""));
}

/** Returns the prefix under which streams are administered: `?api=prefix` at the end of the address. */
export function brokerApi(url: string): Pick<JetStreamManagerOptions, "apiPrefix"> {
  const prefix = queryOf(url).get("api");
  return prefix === null ? {} : { apiPrefix: prefix };
}
