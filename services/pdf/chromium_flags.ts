import process from "node:process";

/**
 * The first four make a new document object for each document cost half as much. The others speak to
 * servers at the start, or wait for a screen that nobody looks at. Only the last such flag counts.
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
 * Chromium's command line: no way out but a proxy that refuses everything (`proxyPort`, on
 * loopback), no GPU, no shared memory file system, one language.
 */
export function chromiumFlags(proxyPort: number): string[] {
  return [
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    // Without this, loopback addresses would go past the proxy.
    "--proxy-bypass-list=<-loopback>",
    // What does not ask the proxy finds no name: WebRTC, or all if the proxy were left out some day.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // No test can tell these two: through a proxy there is no QUIC, and the headless shell looks no
    // name up ahead. They are for the Chromium that does.
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
    // Frames are drawn when they are asked for, which nobody does: a print costs a seventh less. It is the headless
    // shell's own, on Linux; others do not know it.
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
