import type { Variables } from "@posthaste/contracts";
import { fastify } from "fastify";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";
import { compileMail } from "../compile_mail.ts";

/** Opens Handlebars inside of the web server: nothing between the request and the template. */
export async function openRender({ templates }: BaselineSettings): Promise<BaselinePart> {
  const fill = compileMail(templates);
  const app = fastify({ logger: false });
  app.post<{ Body: Variables }>("/render", ({ body }) => fill(body));
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url: `${url}/render`, [Symbol.asyncDispose]: () => app.close() };
}
