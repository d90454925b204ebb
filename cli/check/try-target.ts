import { emptyFieldWarnings } from '../../core/empty-fields.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Extraction } from '../../runners/extract/page.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Ask } from '../../worker/previews/preview.ts'
import { NO_MODEL } from '../../worker/prompts/prompts-port.ts'
import { addressOfFile, isWebAddress, readBytes, typeOfFile } from './source.ts'

interface TargetPorts {
  readonly io: ProcessIo
  readonly extractor: Extractor
  /** Asks the model. Without it prompts fail with a message that says what is missing. */
  readonly ask?: Ask | undefined
  readonly signal: AbortSignal
}

/** Fetches and extracts an address as a run does. Null: the signal ended the check. */
export interface Web {
  preview(config: MonitorSpec, ports: TargetPorts): Promise<Preview | null>
}

/**
 * Returns what a run of the monitor would produce for this target. An address is fetched as in a run; for a file or
 * standard input only the extraction is done. A file that cannot be read has no `error_code`, because runs do not read
 * files.
 */
export async function tryTarget(
  target: string,
  spec: MonitorSpec,
  { web, ...ports }: TargetPorts & { readonly web: Web | null },
): Promise<Preview> {
  if (!isWebAddress(target) || !web) return tryFile(target, spec, ports)
  const shown = await web.preview({ ...spec, url: target }, ports)
  if (!shown) throw new Error('the check was stopped')
  return shown
}

async function tryFile(path: string, { extract_config: config }: MonitorSpec, ports: TargetPorts): Promise<Preview> {
  const read = await readBytes(ports.io, path)
  const unfetched = {
    fetch_method: null,
    fetch_reason: null,
    http_status: null,
    content_type: null,
    bytes: null,
    fetch_ms: null,
  }
  if (!read.ok) {
    const error = { status: 'error', error_code: null, error_message: read.message } as const
    return { ...unfetched, ...error, fields: {}, warnings: [], extract_ms: null, duration_ms: 0 }
  }
  const contentType = typeOfFile(path)
  // Counted before: a large body is transferred to a thread and is empty afterwards.
  const bytes = read.bytes.byteLength
  const startedAt = performance.now()
  const page = await ports.extractor.extract({ body: read.bytes, contentType, url: addressOfFile(path) }, config)
  const extraction = await askedOf(page, config, ports)
  const ms = Math.round(performance.now() - startedAt)
  return {
    ...unfetched,
    ...outcomeOf(extraction, config),
    content_type: contentType,
    bytes,
    extract_ms: ms,
    duration_ms: ms,
  }
}

/** Asks the model about the text of a file, as about that of a page. */
async function askedOf(
  extraction: Extraction,
  config: ExtractConfig,
  { ask, signal }: TargetPorts,
): Promise<Extraction> {
  if (!extraction.ok || extraction.text === undefined || config.method !== 'prompt') return extraction
  if (!ask) return { ok: false, fault: { code: 'not_available', message: NO_MODEL } }
  const { prompt, schema = null } = config
  const answer = await ask({ prompt, schema, text: extraction.text }, signal)
  if (answer.kind === 'abandoned') throw new Error('the check was stopped')
  if (answer.kind === 'failed') return { ok: false, fault: answer.fault }
  return { ok: true, values: answer.values, warnings: [...extraction.warnings, ...answer.warnings] }
}

function outcomeOf(
  extraction: Extraction,
  config: ExtractConfig,
): Pick<Preview, 'status' | 'fields' | 'warnings' | 'emptied' | 'error_code' | 'error_message'> {
  if (!extraction.ok) {
    const { code, message } = extraction.fault
    return { status: 'error', fields: {}, warnings: [], error_code: code, error_message: message }
  }
  const { values: fields, emptied } = extraction
  // A file cannot be rendered, so its scripts do not explain an empty field.
  const empty = emptyFieldWarnings({ values: fields, emptied, config, isScripted: false })
  const warnings = [...extraction.warnings, ...empty].slice(0, 50)
  const left = emptied && { emptied: [...emptied] }
  return { status: 'success', fields, warnings, ...left, error_code: null, error_message: null }
}
