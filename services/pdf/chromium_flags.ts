import process from "node:process";

/**
 * The first four make a new document object for each document cost half as much. The others speak to servers
 * at the start, or wait for a screen that is not used. Only the last such flag counts.
 *
 * `RenderDocumentCompositorReuse` is not among them: Chromium 153 has no such feature, and an invoice costs
 * the same with it (11 ms of processor time, 16 pairs of 50 prints).
 */
const FEATURES_OFF = [
  "RenderDocument",
  "ProactivelySwapBrowsingInstance",
  "BackForwardCache",
  "SpareRendererForSitePerProcess",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
];

/**
 * Returns Chromium's command line: no way out but a proxy that refuses everything (`proxyPort`, on loopback),
 * no GPU, no shared memory file system, one language.
 */
export function chromiumFlags(proxyPort: number): string[] {
  return [
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    // Without this, loopback addresses would go past the proxy.
    "--proxy-bypass-list=<-loopback>",
    // Requests that bypass the proxy resolve no name: WebRTC, or all requests if the proxy were removed.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // No test covers these two: there is no QUIC through a proxy, and the headless shell prefetches no names.
    // They are for a whole Chromium.
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    `--disable-features=${FEATURES_OFF.join()}`,
    "--disable-sync",
    "--disable-field-trial-config",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--password-store=basic",
    "--mute-audio",
    // What is printed is never in the foreground.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    // Frames are drawn on request only, and none is requested: a print costs a seventh less. Only the
    // headless shell on Linux knows this flag.
    ...(process.platform === "linux" ? ["--enable-begin-frame-control"] : []),
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--no-pings",
    "--no-first-run",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
    "--lang=en-US",
  ];
}
