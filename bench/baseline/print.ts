import { availableParallelism } from "node:os";
import { type Browser, type CDPSession, chromium } from "playwright-core";
import type { BaselinePart, BaselineSettings } from "../baseline_process.ts";
import { inFlight } from "./in_flight.ts";

const A4 = { paperWidth: 8.27, paperHeight: 11.69 };
const MARGIN = 0.59;

/** Opens pages that stay open and print by the DevTools protocol: the fastest known way. */
export async function openPageReuse(settings: BaselineSettings): Promise<BaselinePart> {
  const browser = await launch(settings);
  const idle: CDPSession[] = [];
  for (let page = 0; page < availableParallelism(); page++) {
    const context = await browser.newContext({ javaScriptEnabled: false });
    idle.push(await context.newCDPSession(await context.newPage()));
  }
  let printed = 0;
  let bytes = 0;
  return {
    async run({ run, invoice = settings.invoice }) {
      await inFlight({ count: run, width: idle.length }, async () => {
        const cdp = idle.pop();
        if (cdp === undefined) throw new RangeError("Cannot print: no page is idle");
        const { frameTree } = await cdp.send("Page.getFrameTree");
        const html = numbered(invoice, printed++);
        await cdp.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html });
        const { data } = await cdp.send("Page.printToPDF", {
          ...A4,
          marginTop: MARGIN,
          marginBottom: MARGIN,
          marginLeft: MARGIN,
          marginRight: MARGIN,
          printBackground: true,
          generateTaggedPDF: false,
        });
        bytes = Buffer.from(data, "base64").length;
        idle.push(cdp);
      });
      return bytes;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Opens a printer with a new context for each PDF, as in most guides. */
export async function openNewContext(settings: BaselineSettings): Promise<BaselinePart> {
  const browser = await launch(settings);
  let printed = 0;
  return {
    run: ({ run }) =>
      inFlight({ count: run, width: availableParallelism() }, async () => {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.setContent(numbered(settings.invoice, printed++), { waitUntil: "load" });
        await page.pdf({ format: "A4", printBackground: true });
        await context.close();
      }),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function launch({ browser }: BaselineSettings): Promise<Browser> {
  return chromium.launch({
    executablePath: browser.executablePath,
    chromiumSandbox: false,
    args: ["--disable-gpu", "--font-render-hinting=none"],
    env: { ...browser.env, LANG: "C.UTF-8", TZ: "UTC" },
  });
}

function numbered(html: string, number: number): string {
  return html.replaceAll("I-bare", `I-${number}`);
}
