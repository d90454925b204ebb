import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import { CLIENT_VARIABLES } from '../../schema/config/client-variables.ts'
import { Config } from '../../schema/config/config.ts'
import { SECRET_SETTINGS } from '../../schema/config/secret-settings.ts'
import { ERRORS } from '../../schema/error.ts'
import { RUN_FAULTS } from '../../schema/run/run-fault.ts'
import type { SourceFile } from '../check/source-file.ts'
import { commandLineOf } from './command-line-of.ts'
import { isObject, jsonText, withoutProse } from './json.ts'
import { metricsOf } from './metrics-of.ts'

/** What is public of a version, as texts by the name of their file. */
export type PublicInterface = ReadonlyMap<string, string>

const CRDS = /^crds\/(.+)\.yaml$/
const MIGRATION = /^store\/migrations\/([^/]+\.sql)$/

/** Returns what is public in this tree: each subject from its one definition, without texts for readers. */
export async function publicInterface(files: readonly SourceFile[]): Promise<PublicInterface> {
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? '{}'
  const named = (pattern: RegExp) =>
    files.flatMap(({ path, text }) => {
      const [, name] = pattern.exec(path) ?? []
      return name === undefined ? [] : [[name, text] as const]
    })
  const { openapi, info, paths, components } = objectOf(JSON.parse(textOf('api/openapi.json')))
  const subjects: [name: string, value: unknown][] = [
    ['openapi', { openapi, info, paths, components }],
    ...named(CRDS).map(([name, text]): [string, unknown] => [`crds/${name}`, parse(text)]),
    ['values', JSON.parse(textOf('charts/tidemark/values.schema.json'))],
    ['settings', settings()],
    ['command-line', await commandLineOf()],
    ['metrics', metricsOf(files)],
    ['errors', errors()],
    ['migrations', Object.fromEntries(named(MIGRATION).map(([name, text]) => [name, sha256(text)]))],
  ]
  return new Map(subjects.map(([name, value]) => [`${name}.json`, jsonText(withoutProse(value))]))
}

const objectOf = (value: unknown) => (isObject(value) ? value : {})
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The environment variables, as a schema of them all. */
const settings = () => ({
  properties: Config.properties,
  secrets: [...SECRET_SETTINGS].toSorted(),
  variables: Object.keys(CLIENT_VARIABLES),
})

const errors = () => ({
  api: Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
  run: Object.fromEntries(Object.entries(RUN_FAULTS).map(([code, { kind }]) => [code, kind])),
})
