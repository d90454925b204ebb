import { join } from 'node:path'

/**
 * Builds the pages of the dashboard into dashboard/dist. `npm ci` runs it, and `npm run dev:dashboard` at each change.
 * Without the packages of development there is nothing to build with: an installation that needs the dashboard is made
 * with them, or gets the built files from where they were built.
 */
const root = join(import.meta.dirname, '..')
const builder = await import('./build/build-dashboard.ts').catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  return null
})
if (builder === null) console.log('The dashboard is not built: the packages for it are not installed.')
else {
  const { files, bytes, ms } = await builder.buildDashboard(join(root, 'dashboard'), join(root, 'dashboard/dist'))
  console.log(`The dashboard is built: ${files} files, ${Math.round(bytes / 1024)} KB compressed, ${Math.round(ms)} ms`)
}
