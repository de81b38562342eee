import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { job, NO_CHROMIUM, openTestBrowser } from "./_test_browser.ts";
import type { PdfBrowser } from "./browser.ts";
import { findMissingGlyphs } from "./missing_glyphs.ts";

/** Names and words, with the signs of currencies. */
const TEXTS = {
  Amharic: "ኃይለ ሥላሴ ፩፪፫",
  Arabic: "محمد بن سلمان",
  Armenian: "Արմեն Պետրոսյան ֏",
  Bengali: "রবীন্দ্রনাথ ঠাকুর ৳",
  Burmese: "အောင်ဆန်း",
  Chinese: "李小龍 邓丽君",
  Emoji: "😀 👩‍👩‍👧 🇬🇪 ☎️ 👍🏽 1️⃣",
  Georgian: "გიორგი ბერიძე ₾ ᲒᲘᲝᲠᲒᲘ",
  Gujarati: "મોહનદાસ ગાંધી",
  Gurmukhi: "ਗੁਰੂ ਨਾਨਕ",
  Hebrew: "דוד בן־גוריון ₪",
  Hindi: "प्रेमचन्द ₹",
  Japanese: "黒澤 明 ｸﾛｻﾜ",
  Kannada: "ಕುವೆಂಪು",
  Khmer: "ស៊ីន ស៊ីសាមុត ៛",
  Korean: "김연아 ₩",
  Lao: "ສຸພານຸວົງ ₭",
  Malayalam: "തകഴി ശിവശങ്കരപ്പിള്ള",
  Sinhala: "මාර්ටින් වික්‍රමසිංහ",
  Symbols: "☑ ✓ ⚠ ⚙ ★ ☎ ⇒ ∑ ∮ ⅀ 𝒜 ⏰ ▶ ◆ ① ⓐ ♠ ♪ ⎈ 🄰 🖂 ⟨⟩",
  Tamil: "சுப்பிரமணிய பாரதி ௹",
  Telugu: "శ్రీశ్రీ",
  Thai: "สุนทรภู่ ฿",
  Vietnamese: "Nguyễn Thị Ánh Dương ₫",
};

suite("every character has a glyph", { skip: NO_CHROMIUM }, () => {
  let browser: PdfBrowser;
  before(async () => void (browser = await openTestBrowser()));
  after(() => browser[Symbol.asyncDispose]());

  for (const [script, text] of Object.entries(TEXTS)) {
    test(script, async () => {
      for (const family of ["serif", "sans-serif", "monospace"]) {
        const html = `<p style="font-family: ${family}">${text} <b>${text}</b> <i>${text}</i>`;
        const { pdf } = await browser.print(job(html));
        assert.equal(await findMissingGlyphs(pdf), undefined, family);
      }
    });
  }
});
