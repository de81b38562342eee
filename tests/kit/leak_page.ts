/** The targets of a leaking page. */
export interface LeakTargets {
  /** Host and port of a canary, as it stands in an address. */
  host: string;
  /** The name of a host that only the canary's name server knows. */
  name?: string | undefined;
  /** A file with a secret text. */
  file: string;
}

/** One way for a document to reach out. */
export interface Leak {
  name: string;
  /** Whether it needs scripts. */
  scripts: boolean;
  html(to: LeakTargets): string;
}

function plain(name: string, html: (url: string, to: LeakTargets) => string): Leak {
  return { name, scripts: false, html: (to) => html(`http://${to.host}/${name}`, to) };
}

function script(name: string, code: (url: string, to: LeakTargets) => string): Leak {
  const html = (to: LeakTargets) => {
    const text = code(`http://${to.host}/${name}`, to);
    return `<script>(async()=>{${text}})().catch(()=>0)</script>`;
  };
  return { name, scripts: true, html };
}

function escaped(html: string): string {
  return html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

const IMAGES: Leak[] = [
  plain("img", (url) => `<img src="${url}">`),
  plain("img-srcset", (url) => `<img srcset="${url} 1x">`),
  plain("img-lazy", (url) => `<img loading=lazy src="${url}">`),
  plain("img-crossorigin", (url) => `<img crossorigin=anonymous src="${url}">`),
  plain("picture", (url) => `<picture><source srcset="${url}"><img></picture>`),
  plain("redirect-img", (url) => `<img src="${url}">`),
  plain("input-image", (url) => `<input type=image src="${url}">`),
  plain("body-background", (url) => `<table background="${url}"><tr><td>x</table>`),
  plain("video", (url) => `<video src="${url}" autoplay preload=auto></video>`),
  plain("video-source", (url) => `<video autoplay><source src="${url}"></video>`),
  plain("video-poster", (url) => `<video poster="${url}"></video>`),
  plain("audio", (url) => `<audio src="${url}" autoplay preload=auto></audio>`),
  plain(
    "track",
    (url) =>
      `<video autoplay src="data:video/mp4,"><track default kind=subtitles src="${url}"></video>`,
  ),
  plain("svg-image", (url) => `<svg><image href="${url}" width=9 height=9 /></svg>`),
  plain("svg-xlink", (url) => `<svg><image xlink:href="${url}" width=9 height=9 /></svg>`),
  plain("svg-use", (url) => `<svg><use href="${url}.svg#a"/></svg>`),
  plain(
    "svg-feimage",
    (url) =>
      `<svg><filter id=f><feImage href="${url}"/></filter><rect filter="url(#f)" width=9 height=9 />` +
      `</svg>`,
  ),
  plain(
    "svg-set",
    (url) => `<svg><image width=9 height=9><set attributeName=href to="${url}"/></image></svg>`,
  ),
];

const STYLES: Leak[] = [
  plain("link-stylesheet", (url) => `<link rel=stylesheet href="${url}.css">`),
  plain("link-alternate", (url) => `<link rel="alternate stylesheet" title=x href="${url}.css">`),
  plain("link-print", (url) => `<link rel=stylesheet media=print href="${url}.css">`),
  plain("css-import", (url) => `<style>@import url(${url}.css);</style>`),
  plain(
    "css-import-nested",
    (url) => `<link rel=stylesheet href="data:text/css;base64,${base64(`@import "${url}.css";`)}">`,
  ),
  plain("css-background", (url) => `<p style="background:url(${url})">x`),
  plain("css-image-set", (url) => `<p style="background:image-set('${url}' 1x)">x`),
  plain(
    "css-content",
    (url) => `<style>.content::before{content:url(${url})}</style><p class=content>x`,
  ),
  plain("css-list", (url) => `<ul style="list-style-image:url(${url})"><li>x</ul>`),
  plain("css-border", (url) => `<p style="border:9px solid;border-image:url(${url}) 9">x`),
  plain("css-mask", (url) => `<p style="mask-image:url(${url})">x`),
  plain("css-filter", (url) => `<p style="filter:url(${url}.svg#f)">x`),
  plain("css-clip", (url) => `<p style="clip-path:url(${url}.svg#f)">x`),
  plain("css-shape", (url) => `<p style="float:left;shape-outside:url(${url})">x`),
  plain("css-fill", (url) => `<svg><rect style="fill:url(${url}.svg#f)" width=9 height=9 /></svg>`),
  plain("css-cursor", (url) => `<p style="cursor:url(${url}),auto">x`),
  plain("css-var", (url) => `<p style="--a:url(${url});background:var(--a)">x`),
  plain(
    "css-font",
    (url) =>
      `<style>@font-face{font-family:leak;src:url(${url})}</style><p style="font-family:leak">x`,
  ),
  plain("css-page-box", (url) => `<style>@page{@top-left{content:url(${url})}}</style>`),
];

const FRAMES: Leak[] = [
  plain("iframe", (url) => `<iframe src="${url}"></iframe>`),
  plain("iframe-sandbox", (url) => `<iframe sandbox src="${url}"></iframe>`),
  plain("redirect-iframe", (url) => `<iframe src="${url}"></iframe>`),
  plain("iframe-srcdoc", (url) => `<iframe srcdoc="<img src='${url}'>"></iframe>`),
  plain("iframe-data", (url) => `<iframe src="data:text/html,<img src='${url}'>"></iframe>`),
  plain(
    "iframe-data-twice",
    (url) =>
      `<iframe src="data:text/html;base64,${
        base64(`<iframe src="data:text/html;base64,${base64(`<img src="${url}">`)}"></iframe>`)
      }"></iframe>`,
  ),
  plain("iframe-view-source", (url) => `<iframe src="view-source:${url}"></iframe>`),
  plain(
    "iframe-refresh",
    (url) => `<iframe srcdoc="<meta http-equiv=refresh content='0;url=${url}'>"></iframe>`,
  ),
  plain(
    "iframe-base",
    (url) => `<iframe srcdoc="<base href='${url}/'><img src=relative>"></iframe>`,
  ),
  plain(
    "iframe-shadow",
    (url) => `<div><template shadowrootmode=open><img src="${url}"></template></div>`,
  ),
  plain("fencedframe", (url) => `<fencedframe src="${url}"></fencedframe>`),
  plain("object", (url) => `<object data="${url}" type="text/html"></object>`),
  plain(
    "object-data",
    (url) => `<object data="data:text/html,<img src='${url}'>" type="text/html"></object>`,
  ),
  plain("embed", (url) => `<embed src="${url}" type="text/html">`),
  plain(
    "embed-svg",
    (url) =>
      `<embed type="image/svg+xml" src="data:image/svg+xml;base64,${
        base64(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`)
      }">`,
  ),
];

const HINTS: Leak[] = [
  plain("link-prefetch", (url) => `<link rel=prefetch href="${url}">`),
  plain("redirect-prefetch", (url) => `<link rel=prefetch href="${url}">`),
  plain("link-preload-image", (url) => `<link rel=preload as=image href="${url}">`),
  plain("link-preload-srcset", (url) => `<link rel=preload as=image imagesrcset="${url} 1x">`),
  plain(
    "link-preload-font",
    (url) => `<link rel=preload as=font crossorigin href="${url}" type="font/woff2">`,
  ),
  plain("link-preload-fetch", (url) => `<link rel=preload as=fetch crossorigin href="${url}">`),
  plain("link-modulepreload", (url) => `<link rel=modulepreload href="${url}.js">`),
  plain("link-icon", (url) => `<link rel=icon href="${url}.svg">`),
  plain("link-manifest", (url) => `<link rel=manifest href="${url}">`),
  plain("link-prerender", (url) => `<link rel=prerender href="${url}">`),
  plain("link-dictionary", (url) => `<link rel=compression-dictionary href="${url}">`),
  plain("link-preconnect", (_, { host }) => `<link rel=preconnect href="http://${host}">`),
  plain(
    "link-dns-prefetch",
    (_, { name = "canary.invalid" }) => `<link rel=dns-prefetch href="//prefetched.${name}">`,
  ),
  plain("link-https", (_, { host }) => `<link rel=preconnect href="https://${host}">`),
  plain(
    "by-name",
    (_, { host, name = "canary.invalid" }) =>
      `<img src="http://image.${name}:${host.split(":").at(-1)}/by-name">`,
  ),
  plain(
    "speculation-prefetch",
    (url) =>
      `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${url}"]}]}</script>`,
  ),
  plain(
    "speculation-prerender",
    (url) =>
      `<script type=speculationrules>{"prerender":[{"source":"list","urls":["${url}"]}]}</script>`,
  ),
  plain("attribution", (url) => `<img attributionsrc="${url}" src="data:,">`),
];

const LOCAL: Leak[] = [
  plain("file-iframe", (_, { file }) => `<iframe src="file://${file}"></iframe>`),
  plain(
    "file-object",
    (_, { file }) => `<object data="file://${file}" type="text/plain"></object>`,
  ),
  plain("file-embed", (_, { file }) => `<embed src="file://${file}" type="text/plain">`),
  plain("file-view-source", (_, { file }) => `<iframe src="view-source:file://${file}"></iframe>`),
  plain(
    "file-in-data",
    (_, { file }) =>
      `<iframe src="data:text/html,<iframe src='file://${file}'></iframe>"></iframe>`,
  ),
  plain(
    "file-in-srcdoc",
    (_, { file }) => `<iframe srcdoc="<object data='file://${file}'></object>"></iframe>`,
  ),
  plain("file-css", (_, { file }) => `<link rel=stylesheet href="file://${file}">`),
  plain("file-img", (_, { file }) => `<img src="file://${file}" alt="">`),
  plain(
    "file-include",
    (_, { file }) =>
      `<svg><use href="file://${file}#a"/></svg><link rel=import href="file://${file}">`,
  ),
  script(
    "file-fetch",
    (_, { file }) => `document.body.append(await (await fetch("file://${file}")).text())`,
  ),
  script(
    "file-xhr",
    (_, { file }) =>
      `const x=new XMLHttpRequest();x.open("GET","file://${file}",false);x.send();` +
      `document.body.append(x.responseText)`,
  ),
  script(
    "file-frame-read",
    (_, { file }) =>
      `const f=document.createElement("iframe");f.src="file://${file}";document.body.append(f);` +
      `f.onload=()=>document.body.append(f.contentDocument.body.innerText)`,
  ),
];

const SCRIPTS: Leak[] = [
  plain("script", (url) => `<script src="${url}.js"></script>`),
  plain("script-module", (url) => `<script type=module src="${url}.js"></script>`),
  plain("svg-script", (url) => `<svg><script href="${url}.js"></script></svg>`),
  script("fetch", (url) => `await fetch("${url}")`),
  script("fetch-keepalive", (url) => `await fetch("${url}",{keepalive:true,mode:"no-cors"})`),
  script("redirect-fetch", (url) => `await fetch("${url}")`),
  script("fetch-later", (url) => `fetchLater("${url}",{activateAfter:0})`),
  script("xhr", (url) => `const x=new XMLHttpRequest();x.open("GET","${url}");x.send()`),
  script("beacon", (url) => `navigator.sendBeacon("${url}","x")`),
  script("websocket", (url) => `new WebSocket("${url.replace("http", "ws")}")`),
  script("websocket-stream", (url) => `new WebSocketStream("${url.replace("http", "ws")}")`),
  script("event-source-events", (url) => `new EventSource("${url}")`),
  script("image-object", (url) => `new Image().src="${url}"`),
  script("audio-object", (url) => `new Audio("${url}").load()`),
  script("font-face", (url) => `await new FontFace("l","url(${url})").load()`),
  script("import", (url) => `await import("${url}.js")`),
  script("document-write", (url) => `document.write('<img src="${url}">')`),
  script("worker-blob", (url) => `new Worker(URL.createObjectURL(new Blob(['fetch("${url}")'])))`),
  script(
    "worker-blob-websocket",
    (url) =>
      `new Worker(URL.createObjectURL(new Blob(['new WebSocket("${
        url.replace("http", "ws")
      }")'])))`,
  ),
  script(
    "worker-import",
    (url) => `new Worker(URL.createObjectURL(new Blob(['importScripts("${url}.js")'])))`,
  ),
  script("worklet", (url) => `await CSS.paintWorklet.addModule("${url}.js")`),
  script(
    "audio-worklet",
    (url) => `await new OfflineAudioContext(1,1,8000).audioWorklet.addModule("${url}.js")`,
  ),
  plain("service-worker-register", (url) => `<iframe src="${url}"></iframe>`),
  script("window-open", (url) => `window.open("${url}")`),
  script(
    "frame-location",
    (url) =>
      `const f=document.createElement("iframe");document.body.append(f);` +
      `f.contentWindow.location="${url}"`,
  ),
  script(
    "form-submit",
    (url) =>
      `const f=document.createElement("form");f.action="${url}";f.method="post";` +
      `const i=document.createElement("iframe");i.name="form";document.body.append(i,f);` +
      `f.target="form";f.submit()`,
  ),
  script(
    "ping",
    (url) =>
      `const a=document.createElement("a");a.href="javascript:void 0";a.ping="${url}";` +
      `document.body.append(a);a.click()`,
  ),
  script(
    "ping-hash",
    (url) =>
      `const a=document.createElement("a");a.href="#x";a.ping="${url}";document.body.append(a);a.click()`,
  ),
  script("web-transport", (_, { host }) => `new WebTransport("https://${host}/")`),
  script("rtc-stun", (_, { host }) => rtc(`{urls:"stun:${host}"}`)),
  script("rtc-turn", (_, { host }) => rtc(`{urls:"turn:${host}",username:"a",credential:"b"}`)),
  script(
    "rtc-turn-tcp",
    (_, { host }) => rtc(`{urls:"turn:${host}?transport=tcp",username:"a",credential:"b"}`),
  ),
  script("rtc-name", (_, { name = "canary.invalid" }) => rtc(`{urls:"stun:stun.${name}:3478"}`)),
  script(
    "rebind",
    (_, { host, name = "canary.invalid" }) =>
      `for(let n=0;n<5;n++){await fetch("http://rebind.${name}:${
        host.split(":").at(-1)
      }/rebind?"+n)` +
      `.catch(()=>0);await new Promise(r=>setTimeout(r,50))}`,
  ),
  script(
    "fedcm",
    (url) =>
      `await navigator.credentials.get({identity:{providers:[{configURL:"${url}",clientId:"a"}]}})`,
  ),
  script(
    "css-object",
    (url) =>
      `const s=new CSSStyleSheet();s.replaceSync("p{background:url(${url})}");` +
      `document.adoptedStyleSheets=[s]`,
  ),
];

function rtc(server: string): string {
  return `const p=new RTCPeerConnection({iceServers:[${server}]});p.createDataChannel("x");` +
    `await p.setLocalDescription(await p.createOffer())`;
}

/** Ways that take the whole page with them: each needs a document of its own. */
export const PAGE_LEAKS: readonly Leak[] = [
  plain("meta-refresh", (url) => `<meta http-equiv=refresh content="0;url=${url}">`),
  plain(
    "meta-refresh-data",
    (url) => `<meta http-equiv=refresh content="0;url=data:text/html,<img src='${url}'>">`,
  ),
  plain(
    "meta-refresh-file",
    (_, { file }) => `<meta http-equiv=refresh content="0;url=file://${file}">`,
  ),
  plain(
    "meta-refresh-view-source",
    (url) => `<meta http-equiv=refresh content="0;url=view-source:${url}">`,
  ),
  plain(
    "frameset-file",
    (_, { file }) => `<frameset cols=*><frame src="file://${file}"></frameset>`,
  ),
  script("location-file", (_, { file }) => `location="file://${file}"`),
  plain("frameset", (url) => `<frameset cols=*><frame src="${url}"></frameset>`),
  plain("base", (url) => `<base href="${url}/"><img src=relative>`),
  plain(
    "meta-policy",
    (url) => `<meta http-equiv=Content-Security-Policy content="default-src *"><img src="${url}">`,
  ),
  script("location", (url) => `location="${url}"`),
  script(
    "download",
    (url) =>
      `const a=document.createElement("a");a.href="${url}";a.download="x";document.body.append(a);` +
      `a.click()`,
  ),
  script(
    "document-open",
    (url) => `document.open();document.write('<img src="${url}">');document.close()`,
  ),
];

/** All ways that fit into one page. */
export const LEAKS: readonly Leak[] = [
  ...IMAGES,
  ...STYLES,
  ...FRAMES,
  ...HINTS,
  ...LOCAL,
  ...SCRIPTS,
];

/** Returns a page that tries all of these ways to reach out. */
export function leakPage(leaks: readonly Leak[], to: LeakTargets): string {
  return leaks.map(({ html }) => html(to)).join("\n") + "<p>printed";
}

/** Returns a page with the given one in an inline frame. */
export function framed(html: string, how: "srcdoc" | "data"): string {
  return how === "srcdoc"
    ? `<iframe srcdoc="${escaped(html)}"></iframe>`
    : `<iframe src="data:text/html;base64,${base64(html)}"></iframe>`;
}
