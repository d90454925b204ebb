/** The redirects of the engines, written once more and otherwise than in the code that removes them. */
export function isWrapper({ hostname, pathname }: URL): boolean {
  const last = hostname.split('.').slice(-2).join('.')
  if (hostname.split('.').includes('google') && ['/url', '/goto', '/aclk', '/pagead/aclk'].includes(pathname))
    return true
  if (last === 'bing.com' && (pathname.startsWith('/ck/') || pathname.startsWith('/aclick') || pathname === '/aclk'))
    return true
  if (hostname.endsWith('search.yahoo.com') && pathname.includes('/RU=')) return true
  if (last === 'duckduckgo.com' && (pathname === '/l/' || pathname === '/y.js')) return true
  return hostname.split('.').includes('yandex') && (pathname === '/turbo' || pathname.startsWith('/clck/'))
}
