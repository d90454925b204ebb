/** Scheme, host and port: checks of the same origin share its cap. A host with a final dot is the same host. */
export function hostOf(url: string): string {
  return (URL.parse(url)?.origin ?? url).replace(/\.(?=(:\d+)?$)/, '')
}
