/** A fault in the text of an expression, thrown within this folder only and turned into a value by `compileXPath`. */
export class XPathFault extends Error {
  /** 1-based, in UTF-16 units. */
  readonly column: number

  constructor(message: string, column: number) {
    super(message)
    this.column = column
  }
}
