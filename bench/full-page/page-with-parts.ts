/** What differs between two answers of a site, each part by itself. */
export interface Parts {
  /** Of every script: a Content-Security-Policy asks for a new one with each answer. */
  readonly nonce: string
  /** Of a form and of a `meta` element. */
  readonly token: string
  /** In a comment and in data of a script, as frameworks write them. */
  readonly requestId: string
  /** The version in the addresses of scripts and style sheets, after each release of the site. */
  readonly release: string
  /** In the address of each link, as tracking adds it. */
  readonly session: string
  /** The variant of an experiment, in a class of `body`. */
  readonly experiment: string
  /** In the class of each element, as tools make it from styles. */
  readonly styles: string
  /** The number of line breaks between elements. */
  readonly breaks: number
  /** Text that a style sheet hides, such as a note for screen readers. */
  readonly hiddenText: string
  readonly price: string
  readonly items: readonly string[]
  /** A paragraph; empty: it is not there. */
  readonly notice: string
  readonly picture: { readonly src: string; readonly alt: string }
  /** The address of a document that the page links to. */
  readonly document: string
  /** The class of a label whose text is in the style sheet. */
  readonly label: 'in-stock' | 'sold-out'
  /** The value of a form's field. */
  readonly fieldValue: string
  /** In data of the page, which a script writes into it. */
  readonly dataText: string
  /** In an answer that a script asks for and writes into the page. */
  readonly fetchedText: string
  /** Written by a script in a file of its own. */
  readonly scriptText: string
}

/** The scripts of a page beside its own: none; some that write texts; some that write another text each time. */
export type Scripted = 'plain' | 'written' | 'clock' | 'rotation'

export const PARTS: Parts = {
  nonce: 'r4nd0m1a',
  token: 'c5f7a1d09be2',
  requestId: '01J0AAAA',
  release: '3f9c2a1',
  session: '7aa0b1',
  experiment: 'exp-41-a',
  styles: 'css-1x2y3z',
  breaks: 1,
  hiddenText: 'Loaded 12 of 96 stories',
  price: 'EUR 12.50',
  items: ['Opening hours: 9 to 17', 'Delivery: two days', 'Returns: thirty days'],
  notice: 'The office stays closed on the first of May.',
  picture: { src: '/pictures/front-1.jpg', alt: 'The front of the museum' },
  document: '/terms-2025.pdf',
  label: 'in-stock',
  fieldValue: '19.00',
  dataText: 'Nine seats are left.',
  fetchedText: 'Water level: 212 cm',
  scriptText: 'Next tour: 14:00',
}

const BODY_TAG = /<body(?:\s[^>]*)?>/i
/** Pages of their time have a body for each browser, all but one of them in comments. */
const COMMENT = /<!--.*?-->/gs

/**
 * Returns a recorded page with the parts: some in its own elements, some in a block at the beginning of its body. The
 * page is text of one byte a character, so that any charset passes through; all parts are ASCII.
 */
export function pageWith(recorded: string, parts: Parts, scripted: Scripted): string {
  const block = blockOf(parts, scripted)
  const open = BODY_TAG.exec(recorded.replace(COMMENT, (comment) => ' '.repeat(comment.length)))
  const at = open === null ? 0 : open.index + open[0].length
  const tag = open?.[0].replace(/^<body/i, `<body data-experiment="${parts.experiment}"`) ?? ''
  const head = inOwnElements(recorded.slice(0, at - (open?.[0].length ?? 0)), parts)
  return `${head}${tag}${inOwnElements(block + recorded.slice(at), parts)}<!-- answered to ${parts.requestId} -->\n`
}

function inOwnElements(html: string, parts: Parts): string {
  return html
    .replace(/<script(?=[\s>])/gi, (tag) => `${tag} nonce=${parts.nonce}`)
    .replace(
      /(<(?:script|link)\s[^>]*?\b(?:src|href)=")([^"#]*\.(?:js|css))(?:\?[^"]*)?"/gi,
      `$1$2?v=${parts.release}"`,
    )
    .replace(/(<a\s[^>]*?\bhref=")(\/[^"?#]*)"/gi, `$1$2?sid=${parts.session}"`)
    .replace(/(<(?:div|li|article|section)\s[^>]*?\bclass=")/gi, `$1${parts.styles} `)
    .replace(/\n(?=<(?:div|li|article|section)\b)/gi, '\n'.repeat(parts.breaks))
}

function blockOf(parts: Parts, scripted: Scripted): string {
  const { picture } = parts
  return `<meta name="csrf-token" content="${parts.token}">
<style>.tm-off { display: none }
.in-stock::after { content: "In stock" } .sold-out::after { content: "Sold out" }</style>
<div class="tm-parts"><p class="tm-off">${parts.hiddenText}</p>
<p>Ticket: <b>${parts.price}</b> <span class="${parts.label}"></span></p>
<ul>${parts.items.map((item) => `<li class="tm-item">${item}</li>`).join('\n')}</ul>
${parts.notice === '' ? '' : `<p>${parts.notice}</p>`}
<img src="${picture.src}" alt="${picture.alt}" width="40" height="30"> <a href="${parts.document}">Terms</a>
<form action="/order" method="post"><input type="hidden" name="token" value="${parts.token}">
<label>Amount <input name="amount" value="${parts.fieldValue}"></label></form>
<script type="application/json">{"requestId":"${parts.requestId}"}</script>
${SCRIPTS[scripted](parts)}</div>
`
}

const SCRIPTS: Readonly<Record<Scripted, (parts: Parts) => string>> = {
  plain: () => '',
  written: ({ dataText }) => `<p id="tm-data"></p><p id="tm-fetched"></p><p id="tm-script"></p>
<script type="application/json" id="tm-json">{"text":"${dataText}"}</script>
<script>
document.getElementById('tm-data').textContent = JSON.parse(document.getElementById('tm-json').textContent).text
fetch('/parts/data.json').then((answer) => answer.json()).then(({ text }) => {
  document.getElementById('tm-fetched').textContent = text
})
</script><script src="/parts/text.js"></script>`,
  clock: () => `<p id="tm-clock"></p>
<script>document.getElementById('tm-clock').textContent = 'Now: ' + performance.timeOrigin</script>`,
  rotation: () => `<p id="tm-offer"></p>
<script>document.getElementById('tm-offer').textContent = 'Offer ' + Math.floor(Math.random() * 5) + ' of 5'</script>`,
}
