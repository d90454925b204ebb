/**
 * What is known of an engine's pages, as data: a change of a layout is a change of a table. Each list is in the order
 * in which it is tried, the newest layout first.
 */
export interface EngineTable {
  /** Increases with every change of the table. It is written down with what was read by it. */
  readonly version: number
  /** Links that contain a result's title, or stand in it. All count together, in the order of the document. */
  readonly links: readonly string[]
  /** Further ones that are results on phones only. */
  readonly phoneLinks: readonly string[]
  /** Wider ones for phones, asked only when the others find nothing: they find packs too. */
  readonly loosePhoneLinks: readonly string[]
  /** The block of one result: the nearest ancestor of its link. A link outside of all is not a result. */
  readonly blocks: readonly string[]
  /** Only the first link of a block is a result. */
  readonly isOneABlock: boolean
  /** The title inside of the link, or around it; none matches: the link's own text. */
  readonly titles: readonly string[]
  readonly snippets: readonly string[]
  /** The breadcrumb, which may name the host. */
  readonly breadcrumbs: readonly string[]
  /** What is left out of titles and snippets. */
  readonly unread: readonly string[]
  /** What contains no result: adverts, packs, panels, answers, sitelinks. */
  readonly excluded: readonly string[]
  /** Markers of a refusal. */
  readonly refusals: readonly string[]
  /** Markers of a page that asks for consent, when it has no results. */
  readonly consents: readonly string[]
  /** What answers the question, in the order of trying: refusing where it is offered. */
  readonly consent: { readonly refuse: readonly string[]; readonly accept: readonly string[] }
  /** Markers of an answer without results. */
  readonly zeros: readonly string[]
  /** An answer without results may be a refusal in disguise. */
  readonly isZeroSuspect: boolean
  /** Markers of a page whose scripts never ran, when it has no results. */
  readonly shells: readonly string[]
  /** Addresses (path, or host and path) of refusals and of pages that ask for consent. */
  readonly refusalUrl: RegExp
  readonly consentUrl: RegExp
  /** Links to the next page. */
  readonly nextLinks: readonly string[]
  /** Numbered links to pages. The next page is the lowest behind the page's own; where there is none, the list ends. */
  readonly pager?: {
    readonly links: readonly string[]
    /** The parameter of an address that says where its page begins, and its value on the first page. */
    readonly parameter: string
    readonly first: number
  }
  /** The fewest results of a page that another one may follow: a page with fewer is the last. */
  readonly fullPage: number
  /** Buttons that add the next page to the list. */
  readonly nextButtons: readonly string[]
  /** Where results stand when the names above are unknown. */
  readonly regions: readonly string[]
}
