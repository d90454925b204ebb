import { htmlFrame, styleSource } from '../http/html-frame.ts'

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2937;--soft:#5b6472;--line:#d8dde3;--ground:#fff;--code:#f3f5f7;--link:#0f766e}
@media(prefers-color-scheme:dark){
:root{--ink:#e2e6eb;--soft:#9aa4b1;--line:#374151;--ground:#14181e;--code:#1f252d;--link:#5eead4}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 system-ui,sans-serif}
a{color:var(--link)}
header{display:flex;flex-wrap:wrap;align-items:center;gap:8px 20px;padding:12px 20px}
header{border-bottom:1px solid var(--line)}
header b{margin-right:auto}
input{width:220px;max-width:60vw;padding:4px 8px;border:1px solid var(--soft);border-radius:6px}
input{background:var(--ground);color:inherit;font:inherit;font-size:15px}
mark{background:#fde68a;color:#1f2937}
.found{padding:0;list-style:none}
.found li{margin:0 0 16px}
main{max-width:1060px;min-width:0;padding:8px 20px 48px;overflow-wrap:break-word}
main>:is(p,ul,ol,h1,h2,h3,blockquote){max-width:820px}
nav{padding:16px 20px 40px;border-top:1px solid var(--line);font-size:15px}
nav h2{margin:16px 0 4px;font-size:14px;color:var(--soft)}
nav ul{margin:0;padding:0;list-style:none}
nav a{display:block;padding:4px 8px;border-radius:6px;color:inherit;text-decoration:none}
nav a:hover{text-decoration:underline}
nav a[aria-current]{background:var(--code);font-weight:600}
@media(min-width:900px){
.sides{display:grid;grid-template-columns:250px minmax(0,1fr)}
.sides main{order:2;padding-left:36px}
nav{border:0;border-right:1px solid var(--line)}
.jump{display:none}}
h1{font-size:30px;line-height:1.25}
h2{margin:36px 0 8px;font-size:22px;line-height:1.3}
h3{margin:28px 0 8px;font-size:18px}
.anchor{visibility:hidden;text-decoration:none;font-weight:400}
h1:hover .anchor,h2:hover .anchor,h3:hover .anchor,.anchor:focus{visibility:visible}
code{padding:1px 4px;border-radius:4px;background:var(--code);font:.88em/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{padding:12px 14px;overflow-x:auto;border-radius:8px;background:var(--code)}
pre code{padding:0}
.table{overflow-x:auto}
table{border-collapse:collapse;font-size:15px}
th,td{padding:6px 10px;border:1px solid var(--line);text-align:left;vertical-align:top}
td{min-width:80px;overflow-wrap:normal}
img{max-width:100%;height:auto}
blockquote{margin:0;padding-left:14px;border-left:3px solid var(--line);color:var(--soft)}
.parts summary{color:var(--soft);cursor:pointer}
.parts ul{margin:8px 0}
.note{color:var(--soft);font-size:14px}
`.trim()

/** What every page of the manual may do: show itself and its own pictures. */
export const PAGE_POLICY =
  `default-src 'none'; ${styleSource(STYLE)}; ` +
  "img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** From how many parts on a page begins with a list of them. */
const LISTED_FROM = 4

/** Returns a page with a list of its parts below its title, where there are many. */
function withParts(html: string): string {
  const parts = Array.from(
    html.matchAll(/<h2 id="([^"]*)">(.*?) <a class="anchor"/g),
    ([, anchor = '', title = '']) => {
      const text = title.replaceAll(/<\/?a\b[^>]*>/g, '')
      return `<li><a href="#${anchor}">${text}</a></li>`
    },
  )
  if (parts.length < LISTED_FROM) return html
  const list = `<details class="parts"><summary>On this page</summary>\n<ul>\n${parts.join('\n')}\n</ul></details>\n`
  return html.replace('</h1>\n', (end) => end + list)
}

/** Returns a page of the manual with its frame. `contents`: the list of all pages. */
export const manualPage = (page: { title: string; html: string; contents: string }): string =>
  htmlFrame(
    page.title,
    `<style>${STYLE}</style>`,
    `<header><b><a href="/docs">Tidemark</a></b>
<form action="/docs/search" role="search"><input type="search" name="q" aria-label="Search" placeholder="Search"></form>
<a class="jump" href="#contents">All pages</a>
<a href="/docs/api">Try the API</a></header>
<div class="sides">
<main>
${withParts(page.html)}</main>
<nav id="contents" aria-label="All pages">
${page.contents}</nav>
</div>`,
  )
