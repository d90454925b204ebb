import { unmatchedFields } from '../../core/empty-fields.ts'
import { printable } from '../../core/printable.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Ask } from '../../worker/previews/preview.ts'
import type { Prompts } from '../../worker/prompts/prompts-port.ts'
import { isForPrograms, type OutputForm, partText } from '../output.ts'
import type { Configuration } from './configuration.ts'
import { isWebAddress } from './source.ts'
import { table } from './table.ts'
import { tryTarget, type Web } from './try-target.ts'

/** The outputs of a check. */
export interface CheckOutput {
  readonly io: ProcessIo
  readonly form: OutputForm
  /** Writes the result. */
  out(text: string): void
  /** Writes errors and hints. */
  err(text: string): void
  /** Decides whether a result is written. Default: each is. */
  isNews?(target: string, shown: Preview): boolean
}

/** Parts that not every check needs. */
export interface CheckMeans {
  /** Asks the model; null when there is none. */
  readonly prompts?: Prompts | null
  readonly browser?: Pick<Browsers, 'render'>
}

/**
 * Checks one target after the other and reports each. Returns true when every check was a success, and every field had
 * a match.
 */
export async function runCheck(
  { spec, targets, isDefault, hasMessage }: Configuration,
  egress: EgressPolicy,
  output: CheckOutput,
  { prompts = null, browser }: CheckMeans = {},
): Promise<boolean> {
  const extractor = createExtractor({ threads: 1, onInternalError: (trace) => output.err(`${trace}\n`) })
  const web = targets.some(isWebAddress) ? await openWeb(egress, browser) : null
  const ask: Ask | undefined = prompts ? (asked, signal) => prompts.ask({ ...asked, teamId: '' }, signal) : undefined
  const ports = { io: output.io, extractor, web, ask, signal: new AbortController().signal }
  let isSuccess = true
  try {
    await warmUp(extractor)
    for (const [index, target] of targets.entries()) {
      const shown = await tryTarget(target, spec, ports)
      isSuccess &&= isWhole(shown, spec)
      if (output.isNews?.(target, shown) !== false)
        await show({ target, shown, of: hasMessage ? spec : null }, { ...output, isFirst: index === 0 })
    }
  } finally {
    await Promise.all([extractor.close(), web?.close()])
  }
  if (isSuccess && isDefault && !isForPrograms(output.form) && !output.isNews)
    output.err('No rule was given, so the whole answer was hashed; name fields with --css or a similar option.\n')
  return isSuccess
}

const isWhole = ({ status, fields, emptied }: Preview, { extract_config }: Configuration['spec']) =>
  status === 'success' && unmatchedFields({ values: fields as Values, emptied }, extract_config).length === 0

/** Loads what fetches addresses. A check of files does without it. */
export async function openWeb(
  egress: EgressPolicy,
  browser: Pick<Browsers, 'render'> | undefined,
): Promise<Web & { close(): Promise<void> }> {
  const { createGuardedAgent } = await import('../../egress/guarded-agent.ts')
  const { createPageReader } = await import('../../runners/fetch/paging/page-reader.ts')
  const { preview } = await import('../../worker/previews/preview.ts')
  const agent = createGuardedAgent(egress, { connections: 1 })
  const pages = createPageReader()
  return {
    preview: (config, ports) => preview(config, { ...ports, agent, pages, browser }),
    close: async () => void (await Promise.all([pages.close(), agent.destroy()])),
  }
}

/** Starts the thread here, so that its start does not count as time for a page. */
async function warmUp(extractor: Extractor): Promise<void> {
  const page = { body: Buffer.from('<p>'), contentType: 'text/html', url: 'file:' }
  await extractor.extract(page, { method: 'css', fields: { p: 'p' } })
}

interface Checked {
  readonly target: string
  readonly shown: Preview
  /** The monitor whose message is shown. Null: none is. */
  readonly of: Configuration['spec'] | null
}

async function show(
  { target, shown, of }: Checked,
  { io, form, out, err, isFirst }: CheckOutput & { readonly isFirst: boolean },
): Promise<void> {
  const messages = of && (await import('./message-text.ts'))
  const message = messages && messages.exampleMessage(shown, of, Date.now())
  if (isForPrograms(form)) return out(await partText(form, { target, ...shown, ...(message && { message }) }))
  if (!isFirst) out('\n')
  out(table(io, target, shown))
  if (message) out(messages.messageText(message))
  if (shown.error_message !== null) err(`tidemark check: ${printable(shown.error_message)}\n`)
  if (shown.error_code === 'target_not_allowed') err(PRIVATE_HINT)
}

const PRIVATE_HINT =
  'To check an address of your own network, allow its range for this command, as in\n' +
  '  TIDEMARK_ALLOW_PRIVATE_CIDRS=127.0.0.0/8,::1/128 ./tidemark check …\n'
