import { escapeHtml as safe } from '../../deliveries/messages/escape-html.ts'
import type { ApiError } from '../http/api-error.ts'
import { htmlFrame, styleSource } from '../http/html-frame.ts'
import type { Answer } from '../http/route.ts'

/** A field of a form. */
interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'email' | 'password' | 'text'
  readonly autocomplete: 'email' | 'current-password' | 'new-password' | 'name'
  readonly minLength?: number
  /** What was typed before. */
  readonly value?: string
}

/** A form that is posted to an address of this service. */
export interface Form {
  readonly action: string
  readonly title?: string
  readonly hidden?: Readonly<Record<string, string>>
  readonly fields: readonly Field[]
  readonly button: string
}

/** What a page says and asks. */
interface Page {
  readonly title: string
  readonly lines: readonly string[]
  /** Why the last try failed. */
  readonly fault?: string | undefined
  readonly forms?: readonly Form[]
  readonly links?: readonly { readonly href: string; readonly text: string }[]
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2937;--soft:#6b7280;--line:#d1d5db;--card:#fff;--ground:#f3f4f6}
:root{--teal:#0f766e;--link:#0f766e}
@media(prefers-color-scheme:dark){:root{--ink:#e5e7eb;--soft:#9ca3af;--line:#4b5563;--card:#1f2937;--ground:#111827}}
@media(prefers-color-scheme:dark){:root{--link:#5eead4}}
*{box-sizing:border-box}
body{margin:0;padding:24px 16px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:440px;margin:0 auto;padding:24px;background:var(--card);border:1px solid var(--line);border-radius:8px}
h1{margin:0 0 12px;font-size:22px;line-height:1.3;overflow-wrap:anywhere}
h2{margin:0 0 4px;font-size:17px}
p{margin:0 0 12px;overflow-wrap:anywhere}
form{margin-top:20px}
form+p{margin-top:16px}
form+form{padding-top:20px;border-top:1px solid var(--line)}
label{display:block;margin:12px 0 4px;font-weight:600}
input{width:100%;padding:10px;border:1px solid var(--line);border-radius:6px}
input{margin-top:4px;background:var(--card);color:inherit;font:inherit}
button{width:100%;margin-top:16px;padding:12px;border:0;border-radius:6px}
button{background:var(--teal);color:#fff;font:inherit;font-weight:600}
.fault{padding:10px 12px;border-left:4px solid #b91c1c;background:#fef2f2;color:#7f1d1d}
a{color:var(--link)}
footer{margin-top:20px;color:var(--soft);font-size:14px}
`.trim()

/** Nothing is loaded and nothing runs: the one style is named by its hash. */
const HEADERS = {
  'content-security-policy':
    `default-src 'none'; ${styleSource(STYLE)}; ` + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // The address holds a token. A form that is posted here still says where it comes from.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

/** Returns a page that works without scripts. */
export const pageAnswer = (page: Page, status: Answer['status'] = 200): Answer => ({
  status,
  text: { type: 'text/html', content: html(page) },
  headers: HEADERS,
})

/** Returns the answer with cookies for the browser to keep. */
export const withCookies = (answer: Answer, cookies: readonly string[]): Answer =>
  cookies.length === 0 ? answer : { ...answer, headers: { ...answer.headers, 'set-cookie': [...cookies] } }

const FAULTS: Readonly<Record<number, string>> = {
  404: 'There is nothing here',
  422: 'The form was not understood',
  429: 'Too many requests',
  500: 'The service failed',
  503: 'The service is not available now',
}
const WHERE_NEXT = [
  { href: '/', text: 'Open Tidemark' },
  { href: '/docs', text: 'Documentation' },
]
const CUT_LINK: Page = {
  title: 'This link is not complete',
  lines: ['Open the link of the mail again, or copy the whole of it.'],
}

/** Returns what a browser shows when a page or its form fails. */
export function faultPage({ status, message }: ApiError, { method, id }: { readonly method: string; id: string }) {
  const title = FAULTS[status] ?? 'This did not work'
  const lines = status === 500 ? [`The log has the details under ${id}.`] : [message]
  const page = { title, lines, ...(status === 404 && { links: WHERE_NEXT }) }
  return { content: html(status === 422 && method === 'GET' ? CUT_LINK : page), headers: HEADERS }
}

function html({ title, lines, fault, forms = [], links = [] }: Page): string {
  return htmlFrame(
    title,
    `<style>${STYLE}</style>`,
    `<main>
<h1>${safe(title)}</h1>
${fault === undefined ? '' : `<p class="fault" role="alert">${safe(fault)}</p>`}
${lines.map((line) => `<p>${safe(line)}</p>`).join('\n')}
${forms.map(formHtml).join('\n')}
${links.map(({ href, text }) => `<p><a href="${safe(href)}">${safe(text)}</a></p>`).join('\n')}
<footer>Tidemark</footer>
</main>`,
  )
}

function formHtml({ action, title, hidden = {}, fields, button }: Form): string {
  const kept = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${safe(value)}">`,
  )
  return `<form method="post" action="${safe(action)}">
${title === undefined ? '' : `<h2>${safe(title)}</h2>`}
${kept.join('\n')}
${fields.map(fieldHtml).join('\n')}
<button type="submit">${safe(button)}</button>
</form>`
}

const fieldHtml = ({ name, label, type, autocomplete, minLength, value }: Field) =>
  `<label>${safe(label)}
<input name="${name}" type="${type}" autocomplete="${autocomplete}" required` +
  `${minLength === undefined ? '' : ` minlength="${minLength}"`}` +
  `${value === undefined ? '' : ` value="${safe(value)}"`}></label>`
