import { TEMPLATES } from '../core/templates/templates.ts'
import type { EgressPolicy } from '../egress/policy.ts'
import type { Requester } from '../schema/account/audit.ts'
import { MIN_INTERVAL_SECONDS, MonitorCreate, type MonitorSpec } from '../schema/monitor/monitor.ts'
import type { FromTemplate, Template } from '../schema/monitor/template.ts'
import { checkerOf } from '../schema/validation/validate.ts'
import type { MonitorRow } from '../store/monitors/kinds/page-table.ts'
import { monitorIssues } from './check/monitor-issues.ts'
import type { MonitorContext } from './context.ts'
import { createMonitor, type CreateOutcome } from './create-monitor.ts'
import { PAGE } from './kinds/page-kind.ts'

interface TemplateContext extends MonitorContext {
  readonly egress: EgressPolicy
  /** Used instead of the templates in core/templates. */
  readonly templates?: readonly Template[]
}

/** A request to create a monitor from a template. */
interface TemplateChoice extends Requester {
  readonly userId: string
  readonly slug: string
  /** The requested changes. Their shape and their `monitorIssues` were checked already. */
  readonly wishes: FromTemplate
}

/** Creates a monitor from a template. Keys that the request does not have come from the template. */
export async function createFromTemplate(
  context: TemplateContext,
  { slug, wishes, ...who }: TemplateChoice,
): Promise<CreateOutcome<MonitorRow>> {
  const template = (context.templates ?? TEMPLATES).find((each) => each.slug === slug)
  if (!template) return { kind: 'not_found', what: 'template' }
  const url = wishes.url ?? template.example_url
  if (url === null) return { kind: 'invalid', issues: [NO_ADDRESS] }
  const spec = specFrom(template, { ...wishes, url })
  const issues = monitorIssues({ url }, [], context.egress)
  if (issues.length > 0) return { kind: 'invalid', issues }
  return createMonitor(context, PAGE, { ...who, spec, metadata: { template_slug: slug } })
}

const NO_ADDRESS = { path: 'url', message: 'is required: this template has no address of its own' }

/**
 * Returns the configuration from a template and the requested changes. An interval below the allowed minimum is raised.
 */
function specFrom({ slug, name, config }: Template, wishes: FromTemplate): MonitorSpec {
  const checked = checkerOf(MonitorCreate).validate(
    {
      name,
      ...wishes,
      extract_config: config.extract,
      diff_predicate: config.diff_predicate,
      schedule_interval_seconds: Math.max(MIN_INTERVAL_SECONDS, config.schedule_interval_seconds),
      template_slug: slug,
    },
    { defaults: true },
  )
  // The requested changes were checked before, so the fault is in the template.
  if (!checked.ok) throw new TypeError(`the template ${slug} makes no monitor: ${JSON.stringify(checked.issues)}`)
  return checked.value as MonitorSpec
}
