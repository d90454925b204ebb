import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

// Runs after `npm ci`, and deletes what nothing here reads: the headers in the package of Node, which are for compiling
// addons (61 MB), source maps (51 MB), what draws a PDF (58 MB), builds of Swagger UI and of adaptivecards that nothing
// loads (6 MB), sources (7 MB), and other builds of what makes files for tests (36 MB). If deleting fails, the install
// still succeeds.
const PACKAGES = join(import.meta.dirname, '../node_modules')
const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => {})

const home = join(PACKAGES, 'node/node_modules')
for (const entry of await readdir(home, { withFileTypes: true }).catch(() => []))
  if (entry.isDirectory()) await remove(join(home, entry.name, 'include'))

const WITH_MAPS = ['@kubernetes/client-node', 'lru-cache', 'marked', 'openai', 'react-aria', 'react-aria-components']
const MORE_MAPS = ['react-stately', 'swagger-ui-dist', 'adaptivecards', 'swiper', '@tanstack', 'tldts', 'js-yaml']
const YET_MORE = ['@internationalized', 'json-p3', 'cloudevents', 'slonik', 'postal-mime', '@opentelemetry', 'ajv']
const OF_FILES = ['fontkit', 'pdfkit', 'ical-generator', 'better-call']
for (const name of [...WITH_MAPS, ...MORE_MAPS, ...YET_MORE, ...OF_FILES])
  for (const file of await readdir(join(PACKAGES, name), { recursive: true }).catch(() => []))
    if (file.endsWith('.map')) await remove(join(PACKAGES, name, file))

for (const file of ['swagger-ui-es-bundle.js', 'swagger-ui-es-bundle-core.js', 'swagger-ui.js'])
  await remove(join(PACKAGES, 'swagger-ui-dist', file))

await remove(join(PACKAGES, 'adaptivecards/dist/adaptivecards.js'))

// Their sources in TypeScript: what runs is built.
for (const name of ['zod', 'openai']) await remove(join(PACKAGES, name, 'src'))

// Of PDF, text is read: by the build for Node, its tables of characters and its fonts.
for (const entry of await readdir(join(PACKAGES, '@napi-rs')).catch(() => []))
  if (/^canvas(?:-|$)/.test(entry)) await remove(join(PACKAGES, '@napi-rs', entry))
for (const name of ['build', 'iccs', 'image_decoders', 'wasm', 'web', 'legacy/web', 'legacy/image_decoders'])
  await remove(join(PACKAGES, 'pdfjs-dist', name))
for (const file of await readdir(join(PACKAGES, 'pdfjs-dist/legacy/build')).catch(() => []))
  if (/\.map$|\.min\.mjs$|sandbox/.test(file)) await remove(join(PACKAGES, 'pdfjs-dist/legacy/build', file))

// These make files for tests. Of each, the module for Node is loaded.
await keepOnly('docx/dist', /^index\.(?:mjs|d\.ts)$/)
await keepOnly('pdfkit/js', /^(?:pdfkit\.node\.mjs|data|standard-fonts)$/)
await keepOnly('fontkit/dist', /^module\.mjs$/)
for (const path of ['fontkit/src', 'brotli/build', 'ical-generator/src']) await remove(join(PACKAGES, path))
// Its own copy of types that the root has.
for (const name of ['@types/node', 'undici-types']) await keepOnly(`docx/node_modules/${name}`, /^package\.json$/)
await remove(join(PACKAGES, 'pdfkit/.yarn'))

async function keepOnly(folder: string, names: RegExp): Promise<void> {
  for (const entry of await readdir(join(PACKAGES, folder)).catch(() => []))
    if (!names.test(entry)) await remove(join(PACKAGES, folder, entry))
}
