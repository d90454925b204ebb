import type { XmlEvents } from '../archive/read-xml.ts'
import type { Block, Run } from './block.ts'
import type { Styles } from './read-styles.ts'

interface Place {
  readonly styles: Styles
  readonly relations: ReadonlyMap<string, { readonly target: string; readonly isExternal: boolean }>
}

/** A paragraph that is being read. */
interface OpenParagraph {
  readonly runs: Run[]
  heading: number | null
  /** The level of a list; null: it is in none. */
  level: number | null
}

interface OpenTable {
  readonly rows: Run[][][]
}

/** What stands for something else that is read, or that nobody has accepted. */
const LEFT_OUT = new Set(['Fallback', 'del', 'moveFrom', 'txbxContent'])

/** Makes blocks of the events of a part of a DOCX file. Tables within a table are texts of its cell. */
export class BlockReader implements XmlEvents {
  readonly blocks: Block[] = []
  readonly #place: Place
  #paragraph: OpenParagraph | null = null
  #table: OpenTable | null = null
  #tables = 0
  #leftOut = 0
  #isText = false
  #link: string | null = null

  constructor(place: Place) {
    this.#place = place
    // Events are passed on as functions.
    this.open = this.open.bind(this)
    this.text = this.text.bind(this)
    this.close = this.close.bind(this)
  }

  open(name: string, attribute: (name: string) => string | null): void {
    if (LEFT_OUT.has(name)) this.#leftOut += 1
    if (this.#leftOut > 0) return
    if (name === 'tbl') this.#openTable()
    else if (this.#table && this.#tables === 1 && name === 'tr') this.#table.rows.push([])
    else if (this.#table && this.#tables === 1 && name === 'tc') this.#table.rows.at(-1)?.push([])
    else if (name === 'p') this.#paragraph = { runs: [], heading: null, level: null }
    else if (this.#paragraph) this.#within(this.#paragraph, name, attribute)
  }

  #openTable(): void {
    this.#tables += 1
    this.#table ??= { rows: [] }
  }

  #within(paragraph: OpenParagraph, name: string, attribute: (name: string) => string | null): void {
    if (this.#isStyle(paragraph, name, attribute('val'))) return
    switch (name) {
      case 'hyperlink': {
        const relation = this.#place.relations.get(attribute('id') ?? '')
        this.#link = relation?.isExternal ? relation.target : null
        return
      }
      case 't':
        this.#isText = true
        return
      case 'tab':
      case 'br':
      case 'cr':
        // Also the name of a stop that is defined, which comes before any text.
        if (paragraph.runs.length > 0) this.#add(name === 'tab' ? '\t' : '\n')
        return
      case 'noBreakHyphen':
        this.#add('-')
    }
  }

  /** Returns whether an element says how its paragraph looks. */
  #isStyle(paragraph: OpenParagraph, name: string, value: string | null): boolean {
    if (name === 'pStyle') {
      const style = this.#place.styles.get(value ?? '')
      paragraph.heading = style?.heading ?? null
      if (style?.isList) paragraph.level ??= 1
    } else if (name === 'ilvl') paragraph.level = Number(value ?? 0) + 1
    // Zero takes an item out of the list of its style.
    else if (name === 'numId') paragraph.level = value === '0' ? null : (paragraph.level ?? 1)
    else return false
    return true
  }

  text(text: string): void {
    if (this.#isText && this.#leftOut === 0) this.#add(text)
  }

  #add(text: string): void {
    const runs = this.#paragraph?.runs
    const last = runs?.at(-1)
    if (last && last.link === this.#link) last.text += text
    else runs?.push({ text, link: this.#link })
  }

  close(name: string): void {
    if (LEFT_OUT.has(name)) {
      this.#leftOut -= 1
      return
    }
    if (this.#leftOut > 0) return
    if (name === 't') this.#isText = false
    else if (name === 'hyperlink') this.#link = null
    else if (name === 'p') this.#closeParagraph()
    else if (name === 'tbl') this.#closeTable()
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraph
    this.#paragraph = null
    if (!paragraph) return
    const { runs, heading, level } = paragraph
    if (this.#table) {
      const cell = this.#table.rows.at(-1)?.at(-1)
      if (cell && cell.length > 0 && runs.length > 0) cell.push({ text: '\n', link: null })
      cell?.push(...runs)
    } else if (heading !== null) this.blocks.push({ type: 'heading', level: heading, runs })
    else if (level !== null) this.blocks.push({ type: 'list_item', level, runs })
    else this.blocks.push({ type: 'paragraph', runs })
  }

  #closeTable(): void {
    this.#tables -= 1
    if (this.#tables > 0 || !this.#table) return
    this.blocks.push({ type: 'table', rows: this.#table.rows })
    this.#table = null
  }
}
