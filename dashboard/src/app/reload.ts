const EVERY_MS = 500

/**
 * Loads the page again after the next build, for a person who works on it (`npm run dev:dashboard`). The addresses of a
 * build have its hash, so that the next one serves none of them.
 */
export function reloadAfterBuild(): void {
  if (!['localhost', '127.0.0.1'].includes(location.hostname)) return
  setInterval(async () => {
    const isServed = await fetch(import.meta.url, { cache: 'no-store' }).catch(() => null)
    const page = isServed?.status === 404 ? await fetch(location.href, { cache: 'no-store' }).catch(() => null) : null
    // Between two builds there is none: the page says so, and has nothing that loads it again.
    if (page?.ok && (await page.text()).includes('<script')) location.reload()
  }, EVERY_MS)
}
