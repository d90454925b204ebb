import { Parser } from 'htmlparser2'
import { decode } from '../../text/charset.ts'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { damaged, quoted, tooMany } from '../refused-document.ts'

/** What is done with the parts of an XML document. Names come without their prefix. */
export interface XmlEvents {
  open?(name: string, attribute: (name: string) => string | null): void
  text?(text: string): void
  close?(name: string): void
}

const CHUNK = 64 * 1024

/**
 * Reads XML as events, because a sheet has more elements than a tree may. It is the parser of `xml.ts`: no declared
 * entity is expanded and nothing is loaded. A document that ends within an element is refused.
 */
export function readXml(name: string, bytes: Buffer, events: XmlEvents): void {
  const { text } = decode(bytes, null, 'xml')
  let depth = 0
  let hasRoot = false
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        hasRoot = true
        depth += 1
        if (depth > DOCUMENT_LIMITS.depth) throw tooMany('depth')
        events.open?.(localName(tag), (wanted) => attributeOf(attributes, wanted))
      },
      ontext: (part) => events.text?.(part),
      onclosetag(tag, isImplied) {
        depth -= 1
        // An empty element closes itself; any other that does was not closed.
        if (isImplied && !isSelfClosed(parser, text)) throw damaged(`${quoted(name)} in its archive ends too early`)
        events.close?.(localName(tag))
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < text.length; at += CHUNK) parser.write(text.slice(at, at + CHUNK))
  parser.end()
  if (!hasRoot) throw damaged(`${quoted(name)} in its archive is no XML`)
}

const isSelfClosed = (parser: Parser, text: string) =>
  text[parser.endIndex - 1] === '/' && text[parser.endIndex] === '>'

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function attributeOf(attributes: Readonly<Record<string, string>>, wanted: string): string | null {
  const plain = attributes[wanted]
  if (plain !== undefined) return plain
  for (const name in attributes) if (localName(name) === wanted) return attributes[name] ?? null
  return null
}
