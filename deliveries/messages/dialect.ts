/** How a service writes text. Everything from a monitor or a page goes through `plain` or `value`. */
export interface Dialect {
  /** Escapes names and sentences. */
  plain(text: string): string
  /** Escapes a value of a page. */
  value(text: string): string
  bold(written: string): string
  link(url: string, written: string): string
  /** Escapes a value that stands right beside what a user wrote: `own` is all of that. Absent: as `value`. */
  within?(text: string, own: string): string
  /**
   * Writes a value within a sign such as `<https://…|…>` that the user has begun: `begun` is what they wrote of it.
   * Absent: there are no such signs.
   */
  begun?(text: string, begun: string): string
  /** Writes the address of a page or a run within a text of the user, of which `before` stands in front of it. */
  address(url: string, before: string): string
  /** Writes what the user wrote. Absent: as it is, with line breaks of the service. */
  own?(text: string): string
  readonly lineBreak: string
  /** Returns the characters of a written text that count towards the limit. */
  cost(written: string): number
}

/** Text that is not shown as markup. */
export const UNMARKED: Dialect = {
  plain: (text) => text,
  value: (text) => text,
  bold: (written) => written,
  link: (url) => url,
  address: (url) => url,
  lineBreak: '\n',
  cost: (written) => written.length,
}
