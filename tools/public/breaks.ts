import { apiBreaks } from './api-breaks.ts'
import { commandLineBreaks } from './command-line-breaks.ts'
import { isObject, type JsonObject } from './json.ts'
import type { PublicMetric } from './metrics-of.ts'
import { narrowings } from './narrowings.ts'
import type { PublicInterface } from './public-interface.ts'

/** Returns what breaks from one version to another, as sentences that begin with the subject. */
export function breaks(before: PublicInterface, now: PublicInterface): string[] {
  return [...before].flatMap(([file, text]) => {
    const subject = file.replace(/\.json$/, '')
    const found = now.get(file)
    if (found === undefined) return [`${subject} is gone`]
    if (found === text) return []
    return (COMPARED[subject] ?? ofTexts(definitionBreaks))(text, found).map((fault) => `${subject}: ${fault}`)
  })
}

type Compare<T = JsonObject> = (before: T, now: T) => string[]

const ofTexts =
  <T>(compare: Compare<T>): Compare<string> =>
  (before, now) =>
    compare(JSON.parse(before) as T, JSON.parse(now) as T)

const COMPARED: Readonly<Record<string, Compare<string>>> = {
  openapi: ofTexts(apiBreaks),
  values: ofTexts(withoutDot),
  settings: ofTexts((before: JsonObject, now: JsonObject) => [
    ...withoutDot(before, now),
    ...gone('secrets', before, now, (name) => `${name} is not read from a file`),
    ...gone('variables', before, now, (name) => `${name} is gone`),
  ]),
  'command-line': ofTexts(commandLineBreaks),
  metrics: ofTexts(metricBreaks),
  errors: ofTexts((before: JsonObject, now: JsonObject) =>
    ['api', 'run'].flatMap((of) => codeBreaks(objectOf(before[of]), objectOf(now[of]))),
  ),
  migrations: ofTexts(migrationBreaks),
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The names of settings and values are read without the dot of a path. */
function withoutDot(before: JsonObject, now: JsonObject): string[] {
  return narrowings(before, now).map((fault) => fault.replace(/^\./, ''))
}

function gone(key: string, before: JsonObject, now: JsonObject, say: (name: string) => string): string[] {
  const left = new Set(listOf(now[key]))
  return listOf(before[key])
    .filter((name) => !left.has(name))
    .map((name) => say(String(name)))
}

/** Compares two definitions of a custom resource: a stored resource stays valid, and is served under its names. */
function definitionBreaks(before: JsonObject, now: JsonObject): string[] {
  const [from, to] = [objectOf(before['spec']), objectOf(now['spec'])]
  const names = ['group', 'names', 'scope']
    .filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]))
    .map((key) => `${key} is another one`)
  const served = listOf(to['versions']).filter(isObject)
  const versions = listOf(from['versions'])
    .filter(isObject)
    .flatMap((version) => {
      const found = served.find(({ name }) => name === version['name'])
      if (!found) return [`the version ${String(version['name'])} is gone`]
      const schemaOf = (one: JsonObject) => objectOf(objectOf(one['schema'])['openAPIV3Schema'])
      return narrowings(schemaOf(version), schemaOf(found))
    })
  return [...names, ...versions]
}

type Metrics = Readonly<Record<string, PublicMetric>>

function metricBreaks(before: Metrics, now: Metrics): string[] {
  return Object.entries(before).flatMap(([name, { type, labels }]) => {
    const found = now[name]
    if (!found) return [`${name} is gone`]
    const faults: string[] = []
    if (type !== null && found.type !== null && type !== found.type)
      faults.push(`it was a ${type}, and is a ${found.type}`)
    for (const label of labels ?? [])
      if (found.labels !== null && !found.labels.includes(label)) faults.push(`the label ${label} is gone`)
    return faults.map((fault) => `${name}: ${fault}`)
  })
}

const codeBreaks = (before: JsonObject, now: JsonObject): string[] =>
  Object.entries(before)
    .filter(([code, value]) => now[code] !== value)
    .map(([code, value]) => `${code} was ${JSON.stringify(value)}, and is ${JSON.stringify(now[code]) ?? 'gone'}`)

/** A released migration never changes, and a new one comes after all of them. */
function migrationBreaks(before: JsonObject, now: JsonObject): string[] {
  const last = Object.keys(before).toSorted().at(-1) ?? ''
  const changed = Object.entries(before)
    .filter(([name, hash]) => now[name] !== hash)
    .map(([name]) => (now[name] === undefined ? `${name} is gone` : `${name} has another text`))
  const early = Object.keys(now).filter((name) => before[name] === undefined && name < last)
  return [...changed, ...early.map((name) => `${name} comes before ${last}, which databases have`)]
}
