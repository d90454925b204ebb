import { printable } from '../../core/printable.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { outlineReader } from '../../runners/extract/candidates/look-readers.ts'
import type { Outline, OutlineNode } from '../../runners/extract/candidates/outline/outline-node.ts'
import type { ReadOutline } from '../../runners/extract/candidates/outline/outline.ts'
import { isDocument } from '../../runners/extract/documents/document-kind.ts'
import type { Page } from '../../runners/extract/page.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import { isForPrograms, partText } from '../output.ts'
import type { Configuration } from './configuration.ts'
import { type CheckMeans, type CheckOutput, openWeb } from './run-check.ts'
import { isWebAddress } from './source.ts'
import { tryTarget } from './try-target.ts'

/**
 * Shows what rules could read of each target, with the rule of each part. Returns true when every target had something
 * to show.
 */
export async function runOutline(
  { spec, targets }: Configuration,
  egress: EgressPolicy,
  output: CheckOutput,
  { browser }: CheckMeans = {},
): Promise<boolean> {
  const extractor = createExtractor({ threads: 1, onInternalError: (trace) => output.err(`${trace}\n`) })
  const web = targets.some(isWebAddress) ? await openWeb(egress, browser) : null
  let isSuccess = true
  try {
    for (const [index, target] of targets.entries()) {
      const kept = keepingPage(extractor)
      const ports = { io: output.io, extractor: kept.extractor, web, signal: new AbortController().signal }
      const shown = await tryTarget(target, spec, ports)
      const tree = shown.error_message ?? (await treeOf(kept.page(), extractor))
      if (typeof tree === 'string') {
        isSuccess = false
        output.err(`tidemark check: ${printable(target)}: ${printable(tree)}\n`)
      } else await show(target, tree, { ...output, isFirst: index === 0 })
    }
  } finally {
    await Promise.all([extractor.close(), web?.close()])
  }
  return isSuccess
}

/** Wraps an extractor: a check hands its page over to it, and this keeps a copy. */
function keepingPage(extractor: Extractor): { readonly extractor: Extractor; page(): Page | null } {
  let kept: Page | null = null
  return {
    page: () => kept,
    extractor: {
      ...extractor,
      read: (...asked) => extractor.read(...asked),
      open: (...asked) => extractor.open(...asked),
      close: () => extractor.close(),
      extract(page, ...asked) {
        // A large body is moved to a thread.
        kept = { ...page, body: new Uint8Array(page.body) }
        return extractor.extract(page, ...asked)
      },
    },
  }
}

/** How rules have to read the answer. */
type ShownTree = Outline & { readonly readAs: ReadOutline['readAs'] | 'document' }

const NOTHING = 'The answer has no paths: it is not HTML, JSON, a feed or other XML, nor a document.'

/** Returns the tree of a page, or why there is none. */
async function treeOf(page: Page | null, extractor: Extractor): Promise<ShownTree | string> {
  if (page === null) return NOTHING
  if (!isDocument(page)) return treeOfPage(page, extractor, null)
  const opened = await extractor.open(page, 'json')
  return opened.ok ? treeOfPage(opened.page, extractor, 'document') : opened.fault.message
}

/** `readAs`: what the page was read as before; null: it is as it was sent. */
async function treeOfPage(page: Page, extractor: Extractor, readAs: ShownTree['readAs']): Promise<ShownTree | string> {
  const read = await extractor.read(outlineReader(), page)
  if (!read.ok) return read.fault.message
  if ('fault' in read.read) return read.read.fault.message
  const { tree } = read.read
  return tree ? { ...tree, readAs: readAs ?? tree.readAs } : NOTHING
}

async function show(
  target: string,
  { method, readAs, nodes, isCut }: ShownTree,
  { form, out, isFirst }: CheckOutput & { readonly isFirst: boolean },
): Promise<void> {
  if (isForPrograms(form))
    return out(await partText(form, { target, method, read_as: readAs, nodes: inOrder(nodes), is_cut: isCut }))
  const option = method === 'json_path' ? '--json-path' : '--xpath'
  const how = readAs === null ? option : `--read-as ${readAs} ${option}`
  const lines = inOrder(nodes).map(({ rule, value }) => `  ${printable(rule)}   ${printable(value)}\n`)
  const end = isCut ? '\n  Parts were left out, because there are too many.\n' : ''
  out(`${isFirst ? '' : '\n'}${printable(target)}: rules for ${how}\n\n${lines.join('')}${end}`)
}

/** Returns nodes with those below each behind it. */
function inOrder(nodes: readonly OutlineNode[]): readonly Pick<OutlineNode, 'rule' | 'all' | 'value' | 'parts'>[] {
  const below = new Map<number | null, number[]>()
  for (const [at, { parent }] of nodes.entries()) {
    const siblings = below.get(parent)
    if (siblings === undefined) below.set(parent, [at])
    else siblings.push(at)
  }
  const ordered: Pick<OutlineNode, 'rule' | 'all' | 'value' | 'parts'>[] = []
  const stack = (below.get(null) ?? []).toReversed()
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const node = nodes[at]
    if (node === undefined) continue
    const { rule, all, value, parts } = node
    ordered.push({ rule, all, value, parts })
    for (const child of (below.get(at) ?? []).toReversed()) stack.push(child)
  }
  return ordered
}
