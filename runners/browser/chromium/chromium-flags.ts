/** The flags that differ between browsers. */
interface FlagOptions {
  /** `http://127.0.0.1:PORT` of the egress proxy. */
  readonly proxyServer: string
  /** A private folder of the account that the browser runs as. */
  readonly profile: string
  /** Megabytes of JavaScript heap in one page's process. */
  readonly heapMb: number
  /** The hash of the key of the certificates that the egress proxy shows. Null: it terminates no TLS. */
  readonly spki: string | null
  /** False: without its own sandbox, in its own container (docs/runners.md). */
  readonly isSandboxed: boolean
}

/** Features that send their own requests, prefetch, or make two renders of one page differ. */
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
 * Returns the command line of every Chromium, after the program's name. The sandbox is on, because no flag turns it
 * off, except in the container of a launcher. A test reads the command line back from the running process.
 *
 * All traffic goes to the egress proxy. `<-loopback>` removes Chromium's exception for loopback and link-local. The
 * WebRTC and QUIC flags close the two paths that do not use a proxy. Playwright drives the browser through a pipe, so
 * no port listens.
 */
export function chromiumFlags({ proxyServer, profile, heapMb, spki, isSandboxed }: FlagOptions): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    `--proxy-server=${proxyServer}`,
    '--proxy-bypass-list=<-loopback>',
    ...(isSandboxed ? [] : ['--no-sandbox', '--no-zygote']),
    ...(spki === null ? [] : [`--ignore-certificate-errors-spki-list=${spki}`]),
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
    // A page in the background must run like one in the foreground, or its timers stop.
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-back-forward-cache',
    '--disable-hang-monitor',
    '--disable-prompt-on-repost',
    // No graphics card and no software driver: fewer parts that a page can attack.
    '--disable-gpu',
    '--disable-3d-apis',
    // Containers provide 64 MB of shared memory.
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
