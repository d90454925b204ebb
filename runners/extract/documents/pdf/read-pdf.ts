import type { Json } from '../../../../schema/shape/json.ts'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { htmlLink, htmlText } from '../html-text.ts'
import type { OpenedDocument } from '../opened-document.ts'
import { damaged, encrypted, RefusedDocument, tooMany, withoutText } from '../refused-document.ts'
import { warningsOfLibrary } from './library-warnings.ts'
import { loadPdfJs } from './load-pdfjs.ts'
import { fragmentsOfPage, type PdfPage } from './page-fragments.ts'
import { type Paragraph, paragraphsOf } from './paragraphs.ts'
import { type Region, regionsOf } from './reading-order.ts'
import { runningLines } from './running-lines.ts'

/** A file that was received whole ends in this mark, but for some bytes that programs put behind it. */
const END = '%%EOF'
const END_WITHIN = 2_048

/** Reads the text of a PDF. Scripts, forms, embedded files and pictures are not looked at. */
export async function readPdf(body: Uint8Array): Promise<OpenedDocument> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!bytes.toString('latin1', Math.max(0, bytes.length - END_WITHIN)).includes(END))
    throw damaged('the PDF has no end, as one that was not received whole')
  const warnings = warningsOfLibrary()
  try {
    const { pages, info } = await withDocument(body)
    const fault = warnings.damage()
    if (fault !== null) throw damaged(fault)
    if (pages.every((regions) => regions.length === 0))
      throw withoutText(
        `The PDF has ${pages.length === 1 ? 'one page' : `${pages.length} pages`} without any text, as a scan has`,
      )
    return documentOf(pages, info)
  } finally {
    warnings.end()
  }
}

interface ReadPages {
  readonly pages: readonly (readonly Region[])[]
  readonly info: Json
}

async function withDocument(body: Uint8Array): Promise<ReadPages> {
  const { getDocument, cMaps, fonts } = await loadPdfJs()
  const task = getDocument({
    // The library takes the buffer.
    data: new Uint8Array(body),
    cMapUrl: cMaps,
    standardFontDataUrl: fonts,
    isEvalSupported: false,
    useWasm: false,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    stopAtErrors: true,
    maxImageSize: 0,
    verbosity: 1,
  })
  try {
    const document = await task.promise
    if (document.numPages > DOCUMENT_LIMITS.pages) throw tooMany('pages')
    const pages: (readonly Region[])[] = []
    for (let number = 1; number <= document.numPages; number += 1) {
      const page: PdfPage = await document.getPage(number)
      pages.push(regionsOf(await fragmentsOfPage(page)))
      page.cleanup()
    }
    const { info } = await document.getMetadata()
    return { pages, info: infoOf(info) }
  } catch (error) {
    throw refusalOf(error)
  } finally {
    await task.destroy()
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof RefusedDocument || !(error instanceof Error)) return error
  if (error.name === 'PasswordException') return encrypted('PDF')
  if (error instanceof RangeError) return new RefusedDocument('too_complex', 'The PDF is nested too deeply to be read.')
  return damaged(`the PDF cannot be read (${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)})`)
}

const INFO = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'Producer', 'CreationDate', 'ModDate'] as const

/** Returns what a file says about itself: as snake_case, where it says anything. */
function infoOf(info: object): Json {
  const stated = new Map<string, unknown>(Object.entries(info))
  return Object.fromEntries(
    INFO.flatMap((name): [string, Json][] => {
      const value = stated.get(name)
      if (typeof value !== 'string' || value === '') return []
      const key = name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
      return [[key, name.endsWith('Date') ? isoDate(value) : value]]
    }),
  )
}

/** A date of PDF, such as D:20261130153225+01'00', as in ISO 8601. */
function isoDate(text: string): string {
  const found = /^D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:([+-])(\d{2})'?(\d{2})?|(Z))?/.exec(text)
  if (!found) return text
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, away, minutes, zulu] = found
  const zone = zulu ?? (sign === undefined ? '' : `${sign}${away}:${minutes ?? '00'}`)
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`
}

function documentOf(pages: ReadPages['pages'], info: Json): OpenedDocument {
  const isRunning = runningLines(pages.map((regions) => regions.flat().toSorted((one, other) => one.y - other.y)))
  return {
    html: () =>
      pages
        .map((regions, at) => {
          const paragraphs = regions.flatMap((region) => paragraphsOf(region, isRunning))
          return `<section data-page="${at + 1}">\n${paragraphs.map(paragraphHtml).join('\n')}\n</section>`
        })
        .join('\n'),
    json: () => ({
      info,
      pages: pages.map((regions) => ({ lines: regions.flat().map(({ text }) => text) })),
    }),
    warnings: [],
  }
}

/** A link stands where its text does. */
function paragraphHtml({ text, links, isRunning }: Paragraph): string {
  let html = ''
  let rest = text
  for (const { text: of, address } of links) {
    const at = rest.indexOf(of)
    if (at < 0) continue
    html += htmlText(rest.slice(0, at)) + htmlLink(of, address)
    rest = rest.slice(at + of.length)
  }
  return `<p${isRunning ? ' class="running"' : ''}>${html}${htmlText(rest)}</p>`
}
