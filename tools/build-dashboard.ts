import { join } from 'node:path'
import { BORDERS } from './check/border-table.ts'

/**
 * Builds the pages of the dashboard into dashboard/dist. `npm ci` runs it, and `npm run dev:dashboard` at each change,
 * with `--reload`: then pages that are open load themselves again.
 * Without the packages of development there is nothing to build with: an installation that needs the dashboard is made
 * with them, or gets the built files from where they were built. Some of them may be installed still, because other
 * packages name them as optional.
 */
const root = join(import.meta.dirname, '..')
const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

if (['vite', ...(BORDERS['dashboard']?.packages ?? [])].every(isInstalled)) {
  const { buildDashboard } = await import('./build/build-dashboard.ts')
  const options = { reloads: process.argv.includes('--reload') }
  const { files, bytes, ms } = await buildDashboard(join(root, 'dashboard'), join(root, 'dashboard/dist'), options)
  console.log(`The dashboard is built: ${files} files, ${Math.round(bytes / 1024)} KB compressed, ${Math.round(ms)} ms`)
} else console.log('The dashboard is not built: the packages for it are not installed.')
