import { isDeepStrictEqual } from 'node:util'
import { extract } from '../../runners/extract/extract.ts'
import { compileJsonPath } from '../../runners/extract/json/json-path.ts'
import type { Json } from '../../schema/shape/json.ts'
import type { CorpusFolder } from './folder.ts'
import { newTally } from './tally.ts'
import type { Tally } from './tally.ts'

/** Reads every JSON answer and JSON feed completely. */
export function readJson(folder: CorpusFolder): Tally {
  const tally = newTally('json: parsed')
  const names = [...folder.list('json'), ...folder.list('feeds')].filter((name) => name.endsWith('.json'))
  for (const name of names) {
    const extraction = extract(folder.page(name), { method: 'json_path', fields: { all: '$' } })
    if (extraction.ok && extraction.values['all'] !== null) tally.passed += 1
    else tally.unexplained.push(`${name}: ${extraction.ok ? 'is null' : extraction.fault.message}`)
  }
  return tally
}

interface Case {
  readonly name: string
  readonly selector: string
  readonly document?: Json
  readonly result?: readonly Json[]
  readonly results?: readonly (readonly Json[])[]
  readonly invalid_selector?: boolean
}

/** Runs the RFC 9535 compliance suite. */
export function runCompliance(folder: CorpusFolder): Tally {
  const tally = newTally('jsonpath: compliance suite')
  if (!folder.list('jsonpath').includes('jsonpath/cts.json')) return tally
  const { tests } = folder.json('jsonpath/cts.json') as { tests: readonly Case[] }
  for (const test of tests) {
    if (passes(test)) tally.passed += 1
    else tally.unexplained.push(`${test.name}: ${test.selector}`)
  }
  return tally
}

function passes(test: Case): boolean {
  let values: unknown
  try {
    const query = compileJsonPath(test.selector)
    if (test.invalid_selector === true) return false
    values = query.query(test.document as Parameters<typeof query.query>[0]).values()
  } catch {
    return test.invalid_selector === true
  }
  return (test.results ?? [test.result]).some((result) => isDeepStrictEqual(values, result))
}
