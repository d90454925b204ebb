import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { paragraph } from './markdown.ts'

const FOLDER = new URL('../../examples/cookbook/', import.meta.url)

/** The recipes in the order of the page. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'Prices and shops': [
    'price-drop',
    'price-target',
    'stated-price',
    'back-in-stock',
    'few-left',
    'tickets',
    'catalogue',
    'lots-sold',
  ],
  'Money and figures': ['exchange-rate', 'coin-swing', 'queue-length'],
  'Software and services': ['status-page', 'new-release', 'security-advisories', 'download-checksum'],
  'Lists and feeds': ['job-listings', 'jobs-never-shown', 'news-feed', 'new-pages', 'planning-notices'],
  Files: ['price-list', 'terms-pdf', 'harbour-calendar'],
  'Whole pages': ['terms-of-service', 'lines-in-any-order', 'rendered-price', 'page-look'],
  Searches: ['rank-loss', 'search-list'],
  'Messages of your own': ['chat-message', 'daily-digest'],
}

interface Recipe {
  readonly name: string
  readonly title: string
  /** The comment above the manifest, as one paragraph. */
  readonly about: string
  readonly manifest: string
}

function recipeOf(name: string): Recipe {
  const text = readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8')
  const [comment = ''] = /^(?:#.*\n)+/.exec(text) ?? []
  const manifest = text.slice(comment.length)
  const { spec } = parse(manifest) as { readonly spec: { readonly name: string } }
  return { name, title: spec.name, about: paragraph(comment.replaceAll(/^# ?/gm, '')), manifest }
}

/** Returns docs/cookbook.md: every manifest of examples/cookbook/. Throws where one has no part of the page. */
export function cookbookPage(): string {
  const files = readdirSync(FOLDER).map((file) => file.replace('.yaml', ''))
  const listed = Object.values(PARTS).flat()
  const missing = files.filter((name) => !listed.includes(name))
  if (missing.length > 0) throw new Error(`tools/generate/cookbook-page.ts has no part for ${missing.join(', ')}`)
  const parts = Object.entries(PARTS).map(([title, names]) => `## ${title}\n\n${names.map(sectionOf).join('\n')}`)
  return `${HEAD}\n${parts.join('\n')}`
}

const sectionOf = (name: string): string => {
  const { title, about, manifest } = recipeOf(name)
  return `### ${title}\n\n${about}\n\n\`\`\`yaml\n${manifest}\`\`\`\n`
}

const BY_API = paragraph(
  'To use the API instead, send what is under `spec` to [`POST /v1/monitors`](reference/monitors.md), or to ' +
    '[`POST /v1/serp-monitors`](reference/serp-monitors.md) for a `SerpMonitor`. The API writes its names with ' +
    'underscores: `scheduleIntervalSeconds` is `schedule_interval_seconds`. The keys below `fields` and ' +
    '`requestHeaders` stay as they are.',
)

const HEAD = `# Cookbook

Copy a monitor, change its address and its selector, and create it. This page is generated from the manifests in
\`examples/cookbook\` by \`npm run gen\`. A test runs each of them, and checks when it is silent and when it fires.

Look first what a monitor would read:

<!-- not run by the test: it needs the internet -->

\`\`\`sh
./tidemark check https://shop.example.com/kettle --css price=.price
\`\`\`

In Kubernetes, apply the file ([custom resources](custom-resources.md)):

<!-- not run by the test: it needs a cluster -->

\`\`\`sh
kubectl apply -f examples/cookbook/price-drop.yaml
\`\`\`

On your own machine, a folder of such files can be the configuration ([config folder](config-folder.md)):

<!-- not run by the test: another test follows a folder -->

\`\`\`sh
./tidemark serve --config examples/cookbook
\`\`\`

${BY_API}

[Predicates](predicates.md) has every rule for when a monitor fires, and [extraction](extraction.md) every way to read a
field. A destination may also be [Slack, Discord or e-mail](messages.md), or [another service](services.md).
`
