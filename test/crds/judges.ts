import { camelCase } from '../../core/custom-resource/camel-case.ts'
import { MonitorCreate } from '../../schema/monitor/monitor.ts'
import { MONITOR_RESOURCE, SERP_MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { bare, type Definition, MONITOR } from './definition.ts'

/** What somebody says about a monitor: the faults, none where it is taken. */
interface Verdict {
  readonly ok: boolean
  /** `diffPredicate.conditions[0].field: is required …` */
  readonly faults: readonly string[]
}

export function api(monitor: unknown, root: Definition = MONITOR): Verdict {
  const answer = checkerOf(root === MONITOR ? MonitorCreate : SerpMonitorCreate).validate(monitor, { defaults: true })
  if (answer.ok) return { ok: true, faults: [] }
  return { ok: false, faults: answer.issues.map(({ path, message }) => `${camelPath(path)}: ${message}`) }
}

interface Cause {
  field?: string
  message: string
}

/** Asks the API server to make a monitor of this spec, but not to keep it. */
export async function kubernetes(
  kube: KubeApi,
  spec: unknown,
  root: Definition = MONITOR,
): Promise<Verdict & { spec?: unknown }> {
  const { kind, plural } = root === MONITOR ? MONITOR_RESOURCE : SERP_MONITOR_RESOURCE
  const { status, body } = await kube.call('POST', `${NAMESPACE}/${plural}?${DRY_RUN}`, {
    apiVersion: 'tidemark.dev/v1',
    kind,
    metadata: { name: 'judged' },
    spec,
  })
  if (status === 201) return { ok: true, faults: [], spec: body.spec }
  if (status !== 422 && status !== 400) throw new Error(`the API server answered ${status}: ${JSON.stringify(body)}`)
  const causes: Cause[] = body.details?.causes ?? [{ message: body.message }]
  return {
    ok: false,
    faults: causes.map(({ field, message }) => `${placeOf(field, message).replace(/^spec\.?/, '')}: ${message}`),
  }
}

// Of value validations the server tells the place in words only.
const placeOf = (field: string | undefined, message: string) =>
  ((field === '<nil>' ? /"(spec[^"]*)"/.exec(message)?.[1] : field) ?? '').replaceAll(/\[([A-Za-z_]\w*)\]/g, '.$1')

const NAMESPACE = '/apis/tidemark.dev/v1/namespaces/default'
const DRY_RUN = 'dryRun=All&fieldValidation=Strict'

/**
 * A monitor of the API as the spec of a custom resource: names in camelCase, but for keys that a person chose and what
 * has no type.
 */
export function asSpec(value: unknown, node: Definition | undefined = MONITOR): unknown {
  if (value === null || typeof value !== 'object' || !node) return value
  const { properties, items, additionalProperties: values } = bare(node)
  if (Array.isArray(value)) return value.map((item) => asSpec(item, items))
  if (!properties)
    return mapped(value, (key, item) => [key, asSpec(item, typeof values === 'object' ? values : undefined)])
  return mapped(value, (key, item) => [camelCase(key), asSpec(item, properties[key])])
}

const mapped = (value: object, change: (key: string, item: unknown) => [string, unknown]) =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)))

const camelPath = (path: string) =>
  path.replaceAll(/(\["(?:[^"\\]|\\.)*"\])|([a-z]+(?:_[a-z]+)+)/g, (_, key, name) => key ?? camelCase(name))
