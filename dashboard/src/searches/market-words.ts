import { ENGINE_NAMES, type Overview } from '../api/types.ts'

/** What a search asks for, and of whom. */
export type AskedSearch = NonNullable<Overview['data'][number]['search']>

const countries = new Intl.DisplayNames('en', { type: 'region' })
const languages = new Intl.DisplayNames('en', { type: 'language' })

/** Returns the engine, the device and the market of a search in words. */
export const marketWords = (search: Pick<AskedSearch, 'engine' | 'device' | 'location_code' | 'language_code'>) => {
  const { engine, device, location_code: country, language_code: language } = search
  const market = `${nameIn(countries, country.toUpperCase())}, ${nameIn(languages, language)}`
  return `${ENGINE_NAMES[engine]} · ${device} · ${market}`
}

/** A code that has no name, and one that is none, stays as it is. */
function nameIn(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
