import { egressPolicy } from '../../boot/parts/egress.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import { toResourceNames } from '../../core/custom-resource/names.ts'
import { isManifestName, keyOfIdentity } from '../../core/custom-resource/resource-name.ts'
import { TEMPLATES } from '../../core/templates/templates.ts'
import { manifestYaml } from '../../manifests/manifest-yaml.ts'
import { checkPage } from '../../monitors/check/check-configuration.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { MIN_INTERVAL_SECONDS, MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Template } from '../../schema/monitor/template.ts'
import { MONITOR_RESOURCE, RESOURCE_API } from '../../schema/resource-kind.ts'
import { templateOf } from '../check/extract-of.ts'
import { UsageError } from '../check/usage-error.ts'
import { dataText, formOf, interval, type OutputOptions, printItems } from '../output.ts'

/** The options of `tidemark templates`. */
export interface TemplateFlags extends OutputOptions {
  /** The slug of the template that a manifest is made of. */
  readonly fromTemplate?: string
  /** The address to watch. Default: that of the template. */
  readonly url?: string
  /** The name of the manifest. Default: the slug. */
  readonly name?: string
}

/** Lists the templates, or prints one as a manifest. Returns what is wrong with the command line, or null. */
export async function templates(io: ProcessIo, flags: TemplateFlags): Promise<string | null> {
  if (flags.fromTemplate === undefined) {
    if (flags.url !== undefined || flags.name !== undefined)
      return '--url and --name belong to --from-template, which is not given'
    await list(io, flags)
    return null
  }
  try {
    await printManifest(io, templateOf(flags.fromTemplate), flags)
    return null
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

const list = (io: ProcessIo, flags: TemplateFlags) =>
  printItems<Template>(io, formOf(flags), {
    items: TEMPLATES,
    columns: [
      { head: 'TEMPLATE', cell: ({ slug }) => slug },
      { head: 'CATEGORY', cell: ({ category }) => category },
      { head: 'EVERY', cell: (template) => interval(intervalOf(template)) },
      { head: 'ADDRESS', cell: ({ example_url: own }) => own ?? 'yours' },
      { head: 'WHAT IT REPORTS', cell: ({ description }) => description, isCut: true },
    ],
    name: ({ slug }) => slug,
    data: (template) => template,
    none: 'There are no templates.',
  })

/** It is raised as in the API. */
const intervalOf = ({ config }: Template) => Math.max(MIN_INTERVAL_SECONDS, config.schedule_interval_seconds)

async function printManifest(io: ProcessIo, template: Template, flags: TemplateFlags): Promise<void> {
  const { slug, config, example_url: own } = template
  const { name = slug, url = own } = flags
  if (!isManifestName(name)) throw new UsageError('--name must have lower-case letters, digits, "-" and "." only')
  if (url === null) throw new UsageError(`the template ${slug} has no address of its own: give one by --url`)
  const body = {
    name: template.name,
    url,
    schedule_interval_seconds: intervalOf(template),
    extract_config: config.extract,
    diff_predicate: config.diff_predicate,
  }
  const checked = checkPage(body, { egress: egressPolicy(readSettings(io.env)), isNew: true })
  if (checked.kind === 'invalid')
    throw new UsageError(checked.issues.map(({ path, message }) => `--${path} ${message}`).join('\n'))
  const spec = toResourceNames(MonitorSpec, body) as Readonly<Record<string, unknown>>
  const manifest = { apiVersion: RESOURCE_API, kind: MONITOR_RESOURCE.kind, metadata: { name }, spec }
  const form = formOf(flags)
  if (form === 'name') return print(io, `${MONITOR_RESOURCE.singular}/${keyOfIdentity({ name })}\n`)
  print(io, form === 'json' ? await dataText('json', manifest) : manifestYaml({ manifest, secrets: [] }, name))
}
