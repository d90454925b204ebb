import { Compile } from 'typebox/compile'
import type { Json } from '../../schema/shape/json.ts'

/** A JSON Schema node of the served document. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: Schema
}
interface Content {
  readonly content?: {
    readonly 'application/json'?: { readonly schema: Schema }
    readonly 'application/yaml'?: object
    readonly [type: string]: object | undefined
  }
}
interface Response extends Content {
  readonly $ref?: string
}

/** One method of one address, as the document has it. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: readonly Parameter[]
  readonly pathNames: readonly string[]
  readonly body: Schema | null
  readonly bodyRequired: boolean
  /** The schema of each documented status; null: no body. */
  readonly answers: ReadonlyMap<number, Schema | null>
  /** Whether a success may be YAML of the same shape. */
  readonly yaml: boolean
  /** The content type of a success that is no JSON: a picture, or a file of rows. */
  readonly only: string | null
  /** Nobody, whoever is signed in, or also a key. */
  readonly open: 'all' | 'session' | 'key'
  /** The least role, and the scope that a key needs; null where the document names none. */
  readonly role: string | null
  readonly scope: string | null
}

export interface ApiDocument {
  readonly operations: readonly Operation[]
  /** Follows a reference; the name of a component, where it is one. */
  resolve(schema: Schema): { readonly schema: Schema; readonly name: string | null }
  /** Whether a value is what a schema of the document says, judged by an engine that knows none of our builders. */
  allows(schema: Schema, value: unknown): boolean
}

interface RawOperation {
  readonly operationId: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Response>>
  readonly security: readonly Readonly<Record<string, unknown>>[]
}
interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

/** What is opened by a signed address alone can be asked for only with one; test/spec/pictures/visual.test.ts does. */
const isPlain = ([, { responses }]: [string, RawOperation]) => responses['200']?.content?.['image/png'] === undefined

const SCHEMAS = '#/components/schemas/'
const RESPONSES = '#/components/responses/'

/** Returns the content type of an answer that has one, and none of them JSON. */
const onlyTypeOf = ({ content = {} }: Response = {}): string | null =>
  'application/json' in content ? null : (Object.keys(content)[0] ?? null)

function callersOf({ security, description = '' }: RawOperation): Pick<Operation, 'open' | 'role' | 'scope'> {
  return {
    open: security.length === 0 ? 'all' : security.some((way) => 'apiKey' in way) ? 'key' : 'session',
    role: /role `(\w+)`/.exec(description)?.[1] ?? null,
    scope: /scope `(\w+)`/.exec(description)?.[1] ?? null,
  }
}

/** Reads the text of an OpenAPI 3.1 document as far as the fuzz needs it. */
export function readDocument(text: string): ApiDocument {
  const raw: RawDocument = JSON.parse(text)
  const { schemas, responses } = raw.components
  const definitions: Record<string, object> = JSON.parse(JSON.stringify(schemas).replaceAll(SCHEMAS, '#/$defs/'))
  const checks = new Map<Schema, { Check(value: unknown): boolean }>()

  function check(schema: Schema) {
    let compiled = checks.get(schema)
    if (!compiled) {
      const moved: object = JSON.parse(JSON.stringify(schema).replaceAll(SCHEMAS, '#/$defs/'))
      compiled = Compile({ ...moved, $defs: definitions })
      checks.set(schema, compiled)
    }
    return compiled
  }

  const schemaOf = (response: Response): Schema | null => {
    const named = response.$ref === undefined ? response : responses[response.$ref.slice(RESPONSES.length)]
    return named?.content?.['application/json']?.schema ?? null
  }
  // A search that is tried needs a browser, which this service does not have: test/spec/searches/serp-preview.test.ts.
  const paths = Object.entries(raw.paths).filter(([path]) => path !== '/v1/serp-monitors/preview')
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(isPlain)
      .map(([method, operation]): Operation => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        query: operation.parameters.filter((parameter) => parameter.in === 'query'),
        pathNames: operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        body: operation.requestBody?.content?.['application/json']?.schema ?? null,
        bodyRequired: operation.requestBody?.required ?? false,
        answers: new Map(
          Object.entries(operation.responses).map(([status, response]) => [Number(status), schemaOf(response)]),
        ),
        yaml: operation.responses['200']?.content?.['application/yaml'] !== undefined,
        only: onlyTypeOf(operation.responses['200']),
        ...callersOf(operation),
      })),
  )
  return {
    operations,
    resolve(schema) {
      if (schema.$ref === undefined) return { schema, name: null }
      const name = schema.$ref.slice(SCHEMAS.length)
      const found = schemas[name]
      if (!found) throw new Error(`the document has no ${schema.$ref}`)
      return { schema: found, name }
    },
    allows: (schema, value) => check(schema).Check(value),
  }
}
