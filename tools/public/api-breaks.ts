import { isObject, type JsonObject } from './json.ts'
import { lostPromises } from './lost-promises.ts'
import { isNotPublic, narrowings, type Resolve, type Walk } from './narrowings.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
/** Schemas that receivers get, and that no answer of the API contains. */
const SENT = ['DeliveryPayload', 'NoticePayload'] as const
/** References may go through some components. */
const MOST_REFERENCES = 8

/**
 * Compares two OpenAPI documents. Returns what a client of the first one would notice with the second: operations,
 * parameters, answers and keys of them that are gone, and requests that are refused now. What is beyond the contract
 * is left out.
 */
export function apiBreaks(before: JsonObject, now: JsonObject): string[] {
  const walk = { before: resolverOf(before), now: resolverOf(now), depth: 0 }
  const paths = objectOf(now['paths'])
  const operations = Object.entries(objectOf(before['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = objectOf(item)[method]
      if (!isObject(operation) || isNotPublic(operation)) return []
      const name = `${method.toUpperCase()} ${path}`
      const found = objectOf(paths[path])[method]
      if (!isObject(found)) return [`${name} is gone`]
      return operationBreaks(operation, found, walk).map((fault) => `${name}: ${fault}`)
    }),
  )
  const [sent, sentNow] = [schemasOf(before), schemasOf(now)]
  const payloads = SENT.flatMap((name) => {
    const schema = sent[name]
    if (!isObject(schema)) return []
    return lostPromises(schema, objectOf(sentNow[name]), '', walk).map((fault) => `${name}${fault}`)
  })
  return [...operations, ...payloads]
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const schemasOf = (document: JsonObject): JsonObject => objectOf(objectOf(document['components'])['schemas'])

/** Resolves references into the components of a document. */
const resolverOf =
  (document: JsonObject): Resolve =>
  (node) => {
    let found = node
    for (let left = MOST_REFERENCES; left > 0 && typeof found['$ref'] === 'string'; left--) {
      const steps = found['$ref'].replace(/^#\//, '').split('/')
      found = steps.reduce<JsonObject>((at, step) => objectOf(at[step]), document)
    }
    return found
  }

function operationBreaks(before: JsonObject, now: JsonObject, walk: Walk): string[] {
  const faults: string[] = []
  for (const key of ['operationId', 'x-permission'])
    if (before[key] !== now[key]) faults.push(`${key} was ${String(before[key])}, and is ${String(now[key])}`)
  return [
    ...faults,
    ...parameterBreaks(before, now, walk),
    ...bodyBreaks(before['requestBody'], now['requestBody'], walk),
    ...answerBreaks(before, now, walk),
  ]
}

const parametersOf = (operation: JsonObject, resolve: Resolve): readonly JsonObject[] =>
  (Array.isArray(operation['parameters']) ? operation['parameters'] : []).filter(isObject).map(resolve)

function parameterBreaks(before: JsonObject, now: JsonObject, walk: Walk): string[] {
  const [from, to] = [parametersOf(before, walk.before), parametersOf(now, walk.now)]
  const same = (a: JsonObject) => (b: JsonObject) => a['name'] === b['name'] && a['in'] === b['in']
  const named = (one: JsonObject) => `the parameter ${String(one['name'])}`
  const known = from.flatMap((one) => {
    if (isNotPublic(objectOf(one['schema']))) return []
    const found = to.find(same(one))
    if (!found) return [`${named(one)} is gone`]
    const isRequired = found['required'] === true && one['required'] !== true
    const faults = narrowings(objectOf(one['schema']), objectOf(found['schema']), '', walk)
    return [...(isRequired ? ['it is required'] : []), ...faults].map((fault) => `${named(one)}: ${fault}`)
  })
  const added = to.filter((one) => one['required'] === true && !from.some(same(one)))
  return [...known, ...added.map((one) => `${named(one)} is new and required`)]
}

function bodyBreaks(before: unknown, now: unknown, walk: Walk): string[] {
  const [from, to] = [walk.before(objectOf(before)), walk.now(objectOf(now))]
  const newly = to['required'] === true && from['required'] !== true ? ['a body is required'] : []
  return [...newly, ...contentBreaks('a body of', from, to, (a, b) => narrowings(a, b, '', walk))]
}

function answerBreaks(before: JsonObject, now: JsonObject, walk: Walk): string[] {
  const answers = objectOf(now['responses'])
  return Object.entries(objectOf(before['responses'])).flatMap(([status, answer]) => {
    const found = answers[status]
    if (!isObject(found)) return [`the answer ${status} is gone`]
    const [from, to] = [walk.before(objectOf(answer)), walk.now(found)]
    return contentBreaks(`the answer ${status} as`, from, to, (a, b) => lostPromises(a, b, '', walk))
  })
}

function contentBreaks(
  what: string,
  before: JsonObject,
  now: JsonObject,
  faultsOf: (before: JsonObject, now: JsonObject) => string[],
): string[] {
  const types = objectOf(now['content'])
  return Object.entries(objectOf(before['content'])).flatMap(([type, content]) => {
    const found = types[type]
    if (!isObject(found)) return [`${what} ${type} is gone`]
    const faults = faultsOf(objectOf(objectOf(content)['schema']), objectOf(found['schema']))
    return faults.map((fault) => `${what} ${type}: ${fault}`)
  })
}
