import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { byDay } from "@posthaste/kit";
import { job, NO_CHROMIUM, openTestBrowser } from "./_test_browser.ts";
import type { PdfBrowser } from "./browser.ts";
import { findMissingGlyphs } from "./missing_glyphs.ts";

/** Names and words, with the signs of currencies. */
const TEXTS = {
  Adlam: "𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪",
  Amharic: "ኃይለ ሥላሴ ፩፪፫",
  Arabic: "محمد بن سلمان",
  Armenian: "Արմեն Պետրոսյան ֏",
  Bengali: "রবীন্দ্রনাথ ঠাকুর ৳",
  Burmese: "အောင်ဆန်း",
  Cherokee: "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
  Chinese: "李小龍 邓丽君",
  Emoji: "😀 👩‍👩‍👧 🇬🇪 ☎️ 👍🏽 1️⃣",
  Georgian: "გიორგი ბერიძე ₾ ᲒᲘᲝᲠᲒᲘ",
  Gujarati: "મોહનદાસ ગાંધી",
  Gurmukhi: "ਗੁਰੂ ਨਾਨਕ",
  Hebrew: "דוד בן־גוריון ₪",
  Hindi: "प्रेमचन्द ₹",
  Inuktitut: "ᐃᓄᒃᑎᑐᑦ ᓄᓇᕗᑦ",
  Japanese: "黒澤 明 ｸﾛｻﾜ",
  Kannada: "ಕುವೆಂಪು",
  Khmer: "ស៊ីន ស៊ីសាមុត ៛",
  Korean: "김연아 ₩",
  Lao: "ສຸພານຸວົງ ₭",
  Malayalam: "തകഴി ശിവശങ്കരപ്പിള്ള",
  Manipuri: "ꯃꯅꯤꯄꯨꯔ ꯏꯃꯥ",
  Mongolian: "ᠮᠣᠩᠭᠣᠯ ᠪᠠᠲᠤ",
  Nko: "ߒߞߏ ߞߊ߲ߕߍ",
  Odia: "ଗୋପବନ୍ଧୁ ଦାସ",
  Santali: "ᱥᱟᱱᱛᱟᱲᱤ ᱢᱩᱨᱢᱩ",
  Sinhala: "මාර්ටින් වික්‍රමසිංහ",
  Symbols: "☑ ✓ ⚠ ⚙ ★ ☎ ⇒ ∑ ∮ ⅀ 𝒜 ⏰ ▶ ◆ ① ⓐ ♠ ♪ ⎈ 🄰 🖂 ⟨⟩",
  Syriac: "ܐܦܪܝܡ ܣܘܪܝܝܐ",
  Tamazight: "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵉⴷⵉⵔ",
  Tamil: "சுப்பிரமணிய பாரதி ௹",
  Telugu: "శ్రీశ్రీ",
  Thaana: "މުޙައްމަދު ރަޝީދު",
  Thai: "สุนทรภู่ ฿",
  Tibetan: "བསྟན་འཛིན་རྒྱ་མཚོ་",
  Vietnamese: "Nguyễn Thị Ánh Dương ₫",
};

suite("every character has a glyph", { skip: NO_CHROMIUM }, () => {
  let browser: PdfBrowser;
  before(async () => void (browser = await openTestBrowser()));
  after(() => browser[Symbol.asyncDispose]());

  // By day all in one document; at night each alone, whose fonts are the only ones in its document.
  const texts = byDay<Record<string, string>>(
    { "all scripts": Object.values(TEXTS).join(" ") },
    TEXTS,
  );
  for (const [script, text] of Object.entries(texts)) {
    test(script, async () => {
      for (const family of ["serif", "sans-serif", "monospace"]) {
        const html = `<p style="font-family: ${family}">${text} <b>${text}</b> <i>${text}</i>`;
        const { pdf } = await browser.print(job(html));
        assert.equal(await findMissingGlyphs(pdf), undefined, family);
      }
    });
  }
});
