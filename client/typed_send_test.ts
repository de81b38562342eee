/**
 * What the type check says of sends whose templates are known. Every line after `@ts-expect-error` must be
 * an error, or the check of types fails.
 */
import { test } from "node:test";
import type { Attachment, Client, SendBody } from "./mod.ts";

declare module "@posthaste/client" {
  interface Templates {
    welcome: { name: string; note?: string | null };
  }
  interface PdfTemplates {
    invoice: { number: string | number; lines?: { price?: number }[] };
  }
}

const from = { email: "shop@example.com" };
const email = "jane@example.net";

test("SendBody takes each variable on any level", () => {
  const onTop: SendBody<"welcome"> = { from, to: [{ email }], variables: { name: "Jane" } };
  const below: SendBody<"welcome"> = { from, to: [{ email, variables: { name: "Jane" } }] };
  // A PDF's variables may stand on every level above it.
  const ofPdf: SendBody<"welcome"> = { from, to: [{ email }], variables: { number: 42 } };
  const byId: SendBody<5> = { from, to: [{ email }], variables: { anything: [1] } };
  void [onTop, below, ofPdf, byId];
});

test("SendBody refuses variables of another type or name", () => {
  // @ts-expect-error: a name is a text.
  const wrongType: SendBody<"welcome"> = { from, to: [{ email }], variables: { name: {} } };
  // @ts-expect-error: no template has "nmae".
  const wrongName: SendBody<"welcome"> = { from, to: [{ email }], variables: { nmae: "Jane" } };
  // @ts-expect-error: there is no such template.
  type Missing = SendBody<"welcom">;
  // @ts-expect-error: "from" is required.
  const incomplete: SendBody<"welcome"> = { to: [{ email }] };
  void [wrongType, wrongName, incomplete] as unknown as Missing;
});

test("Attachment knows the PDF templates and their variables", () => {
  const known: Attachment = { id: "invoice", variables: { number: 42 } };
  const byId: Attachment = { id: 1, variables: { anything: true } };
  // @ts-expect-error: a number is printed, and this cannot be.
  const wrong: Attachment = { id: "invoice", variables: { number: [42] } };
  const file: Attachment = { content: "YQ==", filename: "a.txt", contentType: "text/plain" };
  // @ts-expect-error: a file is not filled.
  const filled: Attachment = { asset: "logo", variables: { number: 42 } };
  // @ts-expect-error: there is no such template.
  const missing: Attachment = { id: "invoices" };
  void [known, byId, wrong, file, filled, missing];
});

test("Client checks what it renders", () => {
  const program = async (posthaste: Client) => {
    await posthaste.render("welcome", { name: "Jane" });
    await posthaste.render(5, { anything: 1 });
    // @ts-expect-error: "name" is required.
    await posthaste.render("welcome", {});
    await posthaste.send("welcome", 1, { from, to: [{ email }], variables: { name: "Jane" } });
    // @ts-expect-error: a name is a text.
    await posthaste.send("welcome", 1, { from, to: [{ email, variables: { name: 1 } }] });
    for await (const { state } of posthaste.messages.list({ state: "failed" })) {
      const known: boolean = state === "sent";
      void known;
    }
    // @ts-expect-error: lists have no such filter.
    posthaste.messages.list({ status: "failed" });
  };
  void program;
});
