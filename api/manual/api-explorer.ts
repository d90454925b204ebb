import { readFile } from 'node:fs/promises'
import { htmlFrame } from '../http/html-frame.ts'

/**
 * What the explorer may do: run its own script, and ask this service. Swagger UI has its icons as data in its style
 * sheet. It sets styles by script, which needs no `unsafe-inline`.
 */
export const EXPLORER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// The credential that a person types in is kept in the page, and is gone with it.
const START = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#explorer',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: 'none',
})
`

// Of the page around Swagger UI.
const STYLE = `
body{margin:0;font:16px/1.5 system-ui,sans-serif}
header{padding:12px 20px}
header a{color:#0f766e}
.dark-mode{color-scheme:dark;background:#1c2022}
.dark-mode header a{color:#5eead4}
`.trimStart()

const PAGE = htmlFrame(
  'The API',
  `<link rel="stylesheet" href="/docs/api/swagger-ui.css">
<link rel="stylesheet" href="/docs/api/page.css">
<script src="/docs/api/swagger-ui-bundle.js" defer></script>
<script src="/docs/api/start.js" defer></script>`,
  `<header><a href="/docs">← All pages</a></header>
<div id="explorer"></div>
<noscript><p>This page needs JavaScript. The same is in <a href="/docs/reference">the reference</a>.</p></noscript>`,
)

const ofPackage = (name: string) => readFile(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)))

/** Returns the files of the interactive page of the API, by their addresses below /docs/. */
export async function readExplorer(): Promise<Readonly<Record<string, { type: string; content: Buffer }>>> {
  return {
    api: { type: 'text/html', content: Buffer.from(PAGE) },
    'api/page.css': { type: 'text/css', content: Buffer.from(STYLE) },
    'api/start.js': { type: 'text/javascript', content: Buffer.from(START) },
    'api/swagger-ui.css': { type: 'text/css', content: await ofPackage('swagger-ui.css') },
    'api/swagger-ui-bundle.js': { type: 'text/javascript', content: await ofPackage('swagger-ui-bundle.js') },
  }
}
