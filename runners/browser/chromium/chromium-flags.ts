/** What one Chromium is started with besides the flags that all have. */
export interface FlagOptions {
  /** `http://127.0.0.1:PORT` of the egress proxy. */
  readonly proxyServer: string
  /** A private folder of the account that it runs as. */
  readonly profile: string
  /** Megabytes of JavaScript heap in one page's process. */
  readonly heapMb: number
}

/** Features that ask for things, guess ahead or make two runs of one page differ. */
const DISABLED_FEATURES = [
  // Fetch interception and redirects: see the Playwright issues 14047 and 43242.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'Translate',
  'WebRtcHideLocalIpsWithMdns',
]

/**
 * The command line of every Chromium that we start, after the program's name. The sandbox is on by there being no flag
 * against it. A test reads it back from the running process.
 *
 * All traffic goes to the egress proxy: `<-loopback>` takes away the exception that Chromium makes for loopback and
 * link-local, and the WebRTC and QUIC flags close the two ways that know no proxy. Playwright drives it through a pipe:
 * no port listens for anybody.
 */
export function chromiumFlags({ proxyServer, profile, heapMb }: FlagOptions): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    `--proxy-server=${proxyServer}`,
    '--proxy-bypass-list=<-loopback>',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--dns-prefetch-disable',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--disable-breakpad',
    '--disable-client-side-phishing-detection',
    '--disable-default-apps',
    '--disable-extensions',
    '--disable-field-trial-config',
    '--metrics-recording-only',
    '--no-default-browser-check',
    '--no-first-run',
    '--no-pings',
    '--no-service-autorun',
    '--password-store=basic',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    '--enable-features=CDPScreenshotNewSurface',
    // A page in the back must run as one in front, or its timers stand still.
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-back-forward-cache',
    '--disable-hang-monitor',
    '--disable-prompt-on-repost',
    // No graphics card, and no driver in software either: fewer parts that a page can reach.
    '--disable-gpu',
    '--disable-3d-apis',
    // Containers give 64 MB of shared memory.
    '--disable-dev-shm-usage',
    '--disk-cache-size=33554432',
    '--mute-audio',
    '--hide-scrollbars',
    '--force-color-profile=srgb',
    '--font-render-hinting=none',
    `--js-flags=--max-old-space-size=${heapMb}`,
    'about:blank',
  ]
}
