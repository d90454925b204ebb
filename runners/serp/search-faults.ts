import type { Static } from 'typebox'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { SearchFailure } from '../../schema/serp/search-reading.ts'
import { ENGINE_NAMES, type SerpSearch } from '../../schema/serp/serp-search.ts'
import type { SearchPage } from './search-page.ts'

/** What a refusal or a failure of an engine means for the check. */
export type Failure = Static<typeof SearchFailure>['outcome']

/** Returns what a page without results means for its check. */
export function failureOf({ outcome }: SearchPage): Failure {
  switch (outcome) {
    case 'blocked':
    case 'shell':
    case 'zero_suspect':
      return 'blocked'
    case 'consent':
    case 'engine_error':
      return 'engine_error'
    default:
      return 'unparsed'
  }
}

export function faultOf(outcome: Failure, { engine }: SerpSearch, { outcome: seen, marker }: SearchPage): RunFault {
  const name = ENGINE_NAMES[engine]
  if (outcome === 'blocked')
    return {
      code: 'blocked',
      message: `${name} refused the search as automated (${marker}). It is not asked again for a while.`,
    }
  if (outcome === 'engine_error')
    return {
      code: 'http_status',
      message:
        seen === 'consent'
          ? `${name} asked for consent again after it was answered.`
          : `${name} answered with an error of its own (${marker}). The next check asks again.`,
    }
  return {
    code: 'wrong_type',
    message:
      `The page of ${name} was not recognized: neither results, nor a refusal, nor an empty answer. Its layout may ` +
      'have changed; the operator of this installation has to look at it.',
  }
}

/** Nobody wrote the address of an engine, so its spelling is not what is wrong. */
export const ofSearch = (fault: RunFault, { engine }: SerpSearch): RunFault =>
  fault.code !== 'dns_failed'
    ? fault
    : {
        code: fault.code,
        message:
          `The host name of ${ENGINE_NAMES[engine]} could not be looked up. Check the network and the name servers ` +
          'of the machine that makes the check.',
      }

export const NO_BUTTON: RunFault = { code: 'internal', message: 'The button for the next page could not be pressed.' }

export const GUESS =
  'The names in the page are unknown, so the results are a guess by its structure: they are shown, and fire no alert.'
export const CUT: Readonly<Record<Failure, string>> = {
  blocked: 'A later page was refused. The results are those of the pages before it.',
  engine_error: 'A later page was an error of the engine. The results are those of the pages before it.',
  unparsed: 'A later page, or the way to it, was not recognized. The results are those of the pages before it.',
  failed: 'A later page could not be loaded. The results are those of the pages before it.',
}
