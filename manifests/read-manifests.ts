import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import type { Found } from './found.ts'
import type { Manifest, ManifestText, NamespaceManifest, SecretManifest, Skipped } from './manifest.ts'
import { fileFault, type ManifestFault, placeOfOffset, startOf } from './places.ts'
import { readDocument } from './read-document.ts'

/** Everything that texts declare. */
interface Manifests {
  readonly manifests: readonly Manifest[]
  /**
   * Manifests with faults outside of their specs, such as one without a name. They are judged so that a person learns
   * all faults at once, and never applied.
   */
  readonly flawed: readonly Manifest[]
  readonly secrets: readonly SecretManifest[]
  /** They are among `skipped` too. */
  readonly namespaces: readonly NamespaceManifest[]
  /** Documents of kinds that are none of ours, such as a Namespace. */
  readonly skipped: readonly Skipped[]
  readonly faults: readonly ManifestFault[]
  /**
   * A fault for each text without a character, where what is not declared is deleted or released: a file whose writing
   * was cut off looks so.
   */
  readonly empty: readonly ManifestFault[]
}

const TOO_DEEP = 'is nested too deeply'

/** More bytes than a hundred thousand monitors need. */
export const MAX_BYTES = 64 * 1024 * 1024
/** As many monitors of one list may share a value by an anchor. Aliases of aliases are multiplied. */
const MAX_ALIASES = 10_000
export const TOO_LARGE = `is larger than ${MAX_BYTES / 1024 / 1024} MB`

/**
 * Reads manifests from YAML or JSON: several documents in a text, lists, monitors of both kinds, and Secrets. Returns
 * every fault of the texts with its file and line too.
 */
export function readManifests(texts: readonly ManifestText[]): Manifests {
  const found: Found = {
    manifests: [],
    flawed: [],
    secrets: [],
    namespaces: [],
    skipped: [],
    faults: [],
    empty: [],
    seen: new Map(),
  }
  for (const text of texts) readText(text, found)
  const { seen: _, ...read } = found
  return read
}

function readText({ file, text }: ManifestText, found: Found): void {
  if (text.length > MAX_BYTES) return void found.faults.push(fileFault(file, TOO_LARGE))
  if (text.trim() === '')
    return void found.empty.push(fileFault(file, 'is empty: delete the file, or write a comment into it'))
  const lines = new LineCounter()
  const fault = (offset: number, message: string) =>
    void found.faults.push({ ...placeOfOffset({ file, lines }, offset), path: '', message })
  let documents: readonly Document.Parsed[]
  try {
    // Files that were joined have marks of their byte order in between.
    const parsed = parseAllDocuments(text.replaceAll(/^\ufeff/gm, ''), {
      lineCounter: lines,
      merge: true,
      prettyErrors: false,
    })
    documents = Array.isArray(parsed) ? parsed : []
  } catch (error) {
    // The parser follows each level of what is nested, until the stack ends.
    if (error instanceof RangeError) return fault(0, TOO_DEEP)
    throw error
  }
  for (const document of documents) {
    // The others mostly follow from the first.
    const [error] = document.errors
    if (error) {
      const isDeep = /call stack|stack overflow/i.test(error.message)
      fault(error.pos[0], isDeep ? TOO_DEEP : `is not YAML: ${error.message}`)
    }
    if (error || document.contents === null) continue
    const value = valueOf(document, fault)
    // A document of comments alone says nothing.
    if (value === undefined || value === null) continue
    readDocument({ file, lines, document, node: document.contents, value }, found)
  }
}

function valueOf(document: Document.Parsed, fault: (offset: number, message: string) => void) {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown
  } catch (error) {
    // An alias without its anchor, or aliases of aliases that would fill the memory.
    if (!(error instanceof Error) || !['ReferenceError', 'RangeError'].includes(error.name)) throw error
    const message = error.name === 'RangeError' ? TOO_DEEP : `is not YAML: ${error.message}`
    fault(startOf(document.contents), message)
    return null
  }
}
