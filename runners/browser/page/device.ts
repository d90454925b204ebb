import type { BrowserContextOptions } from 'playwright-core'

/** How a page sees the browser: all of it agrees, so that the page is the one that such a person gets. */
export interface Device {
  readonly kind: 'desktop' | 'mobile'
  /** Two lower-case letters each. */
  readonly country: string
  readonly language: string
}

/** Zones of countries that have several. The others have one, or one that most people live in. */
const ZONES: Readonly<Record<string, string>> = {
  us: 'America/New_York',
  ca: 'America/Toronto',
  mx: 'America/Mexico_City',
  br: 'America/Sao_Paulo',
  ar: 'America/Argentina/Buenos_Aires',
  cl: 'America/Santiago',
  ec: 'America/Guayaquil',
  es: 'Europe/Madrid',
  pt: 'Europe/Lisbon',
  de: 'Europe/Berlin',
  ua: 'Europe/Kyiv',
  cy: 'Asia/Nicosia',
  ru: 'Europe/Moscow',
  kz: 'Asia/Almaty',
  uz: 'Asia/Tashkent',
  mn: 'Asia/Ulaanbaatar',
  cn: 'Asia/Shanghai',
  id: 'Asia/Jakarta',
  my: 'Asia/Kuala_Lumpur',
  au: 'Australia/Sydney',
  nz: 'Pacific/Auckland',
  uk: 'Europe/London',
}

function zoneOf(country: string): string {
  const zone = ZONES[country]
  if (zone !== undefined) return zone
  // Not yet in the types of the language.
  const locale = new Intl.Locale(`und-${country.toUpperCase()}`) as Intl.Locale & { getTimeZones?(): string[] }
  return locale.getTimeZones?.()[0] ?? 'UTC'
}

const MAJOR = /^\d+/

/** Returns the options of a browser context for a device, with the version of the browser that really runs. */
export async function deviceOptions(
  { kind, country, language }: Device,
  version: string,
): Promise<BrowserContextOptions> {
  const chrome = `Chrome/${MAJOR.exec(version)?.[0] ?? '0'}.0.0.0`
  const place = {
    locale: `${language}-${(country === 'uk' ? 'gb' : country).toUpperCase()}`,
    timezoneId: zoneOf(country),
  }
  // Loaded already where a browser runs; a process without one has no use for its 30 MB.
  const phone = kind === 'mobile' ? (await import('playwright-core')).devices['Pixel 7'] : undefined
  if (!phone) {
    const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${chrome} Safari/537.36`
    return { ...place, userAgent, viewport: { width: 1366, height: 900 } }
  }
  const { userAgent, viewport, deviceScaleFactor, isMobile, hasTouch } = phone
  return {
    ...place,
    userAgent: userAgent.replace(/Chrome\/[\d.]+/, chrome),
    viewport,
    deviceScaleFactor,
    isMobile,
    hasTouch,
  }
}
