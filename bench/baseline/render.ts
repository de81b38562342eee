import { fastify } from "fastify";
import handlebars from "handlebars";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";

/** Opens Handlebars inside of the web server: nothing between the request and the template. */
export async function openRender({ templates }: BaselineSettings): Promise<BaselinePart> {
  const subject = handlebars.compile(templates.subject, { noEscape: true });
  const html = handlebars.compile(templates.html);
  const text = handlebars.compile(templates.text, { noEscape: true });
  const app = fastify({ logger: false });
  app.post("/render", ({ body }) => ({
    subject: subject(body),
    html: html(body),
    text: text(body),
  }));
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url: `${url}/render`, [Symbol.asyncDispose]: () => app.close() };
}
