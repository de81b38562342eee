import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { nightly, openSmtpSink, until } from "@posthaste/kit";
import { keepFile } from "../keep_file.ts";
import { expectNoAxeViolations } from "./axe.ts";
import { type DashboardFixture, openDashboardFixture, untilShown } from "./dashboard_fixture.ts";

nightly("services/dashboard/messages_test.ts", "tests/e2e/asset_test.ts");

let fixture: DashboardFixture;
let integration: number;
let opened: AsyncDisposableStack;
before(async () => {
  await using stack = new AsyncDisposableStack();
  fixture = stack.use(await openDashboardFixture());
  const sink = stack.use(await openSmtpSink());
  integration = await fixture.system.connect(sink.port);
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Images of 2 × 3 and of 1 × 1 pixels. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAD0lEQVR4nGNgYGCA4P///wMAC/wC/RhmcYAAAAAASUVORK5CYII=",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const keep = (bytes: Buffer, contentType: string) =>
  keepFile(fixture.system, { name: "logo", filename: "logo", contentType, bytes });

interface Stored {
  id: number;
  revision: number;
  draft: object;
}

test("the page of a message shows the images that the mail carried, in a sandbox without scripts", async () => {
  const { people: { editor }, system } = fixture;
  await keep(PNG, "image/png");
  const { id, revision, draft } = await editor.ask<Stored>("POST", "/templates/email", {
    name: "Pictured",
  });
  const html = '<p>Hello</p><img src="{{asset "logo"}}" alt="Shop" onerror="alert(1)">' +
    '<style>p { background: url({{asset "logo"}}) }</style>';
  const source = { ...draft, subject: "Hi", html, text: "", variables: [] };
  const path = `/templates/email/${id}`;
  const saved = await editor.ask<Stored>("PUT", `${path}/draft`, { revision, source });
  await editor.ask("POST", `${path}/publish`, { revision: saved.revision });
  const sent = await system.send({ template: id, integration, to: [{ email: "a@b.example" }] });
  await system.untilDone(sent.id);
  // The mail had another one.
  await keep(GIF, "image/gif");

  await using look = await fixture.look(`/messages/${sent.messages[0]?.id}`, { who: "viewer" });
  await untilShown(look.page);
  const frame = look.page.locator('iframe[title="Content as sent"]');
  assert.equal(await frame.getAttribute("sandbox"), "");
  const image = look.page.frameLocator('iframe[title="Content as sent"]').getByAltText("Shop");
  // The frame loads again once its images are there.
  const shown = () =>
    image.evaluate((element) => {
      const { naturalWidth, naturalHeight, src } = element as HTMLImageElement;
      return `${naturalWidth} ${naturalHeight} ${src.slice(0, 15)}`;
    }).catch(() => "no frame");
  await until(async () => await shown() === "2 3 data:image/png;", {
    message: "the image of the mail in its frame",
  });
  const addresses = look.page.frames().map((one) => one.url());
  assert.ok(!addresses.some((url) => url.startsWith("cid:")));
  assert.deepEqual(look.faults, []);
});

test("the page of a message says that characters are missing from its PDF", async () => {
  const { people: { editor }, system } = fixture;
  async function publish(kind: "email" | "pdf", changes: object): Promise<number> {
    const { id, revision, draft } = await editor.ask<Stored>("POST", `/templates/${kind}`, {
      name: "Marked",
    });
    const source = { ...draft, text: "", variables: [], ...changes };
    const path = `/templates/${kind}/${id}`;
    const saved = await editor.ask<Stored>("PUT", `${path}/draft`, { revision, source });
    await editor.ask("POST", `${path}/publish`, { revision: saved.revision });
    return id;
  }
  const template = await publish("email", { subject: "Hi", html: "<p>Hi" });
  const page = { missingGlyphs: "mark" };
  const pdf = await publish("pdf", { filename: "a.pdf", html: "<p>Dear \u{E127}va", page });
  const to = [{ email: "mark@b.example", attachments: [{ id: pdf }] }];
  const sent = await system.send({ template, integration, to });
  await system.untilDone(sent.id);
  await using look = await fixture.look(`/messages/${sent.messages[0]?.id}`, { who: "viewer" });
  await look.page.getByText("characters are missing").waitFor();
  await look.page.getByText('PDF 1: U+E127 in "Dear').waitFor();
  await expectNoAxeViolations(look.page);
  assert.deepEqual(look.faults, []);
});
