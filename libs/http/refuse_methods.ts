import type { FastifyInstance } from "fastify";
import { HttpError } from "./http_error.ts";

/**
 * Makes every path that is registered from now on answer unsupported methods with 405 and `Allow`, before the
 * body is read. Call the returned function after the last route.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    known.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...known]) {
      const allow = [...methods].sort();
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        exposeHeadRoute: false,
        onRequest: async ({ method }) => {
          throw new HttpError(
            "method_not_allowed",
            `Cannot ${method} here: use ${allow.join(", ")}`,
            {
              allow,
            },
          );
        },
        handler: () => {},
      });
    }
  };
}
