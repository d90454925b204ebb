/** A value of a document without a picture: of JSON, of a feed, of other XML. */
export interface OutlineNode {
  /** The place of the node around it in the list of nodes; null: it has none. */
  readonly parent: number | null
  readonly name: string
  /** The rule for `extract_config.fields` that reads it. */
  readonly rule: string
  /** The rule of the list of all that are like it in the items around it; null: it is in no item. */
  readonly all: string | null
  /** The beginning of the value, on one line; of what has parts, their number. */
  readonly value: string
  /** How many parts it has. Not all of them need be in the outline. */
  readonly parts: number
}

export interface Outline {
  readonly method: 'json_path' | 'xpath'
  /** Nodes stand behind those around them: the upper levels first. */
  readonly nodes: readonly OutlineNode[]
  /** Parts were left out, because there are too many or because no rule names them. */
  readonly isCut: boolean
}
