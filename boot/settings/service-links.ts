import { isIP } from 'node:net'

/** The variables of one Service: what follows its name, and the value that Kubernetes gives it. */
const LINKS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^SERVICE_HOST$/, /^[\d.]+$|^[\da-f:.]+$/i],
  [/^SERVICE_PORT(?:_[A-Z0-9_]+)?$/, /^\d{1,5}$/],
  [/^PORT(?:_\d{1,5}_(?:TCP|UDP|SCTP))?$/, /^(?:tcp|udp|sctp):\/\/(?:[\d.]+|\[[\da-f:.]+\]):\d{1,5}$/i],
  [/^PORT_\d{1,5}_(?:TCP|UDP|SCTP)_PROTO$/, /^(?:tcp|udp|sctp)$/],
  [/^PORT_\d{1,5}_(?:TCP|UDP|SCTP)_PORT$/, /^\d{1,5}$/],
  [/^PORT_\d{1,5}_(?:TCP|UDP|SCTP)_ADDR$/, /^[\d.]+$|^[\da-f:.]+$/i],
]

const HOST = '_SERVICE_HOST'

/**
 * Returns the variables that Kubernetes sets in every pod of a namespace for a Service named `tidemark` or
 * `tidemark-…`, where they look like settings. A Service has all of them or none, so its name is taken from the one
 * with its address; both the name and the value of each must have the form of a link.
 */
export function serviceLinks(environment: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  const services = Object.keys(environment).filter(
    (name) => /^TIDEMARK(?:_[A-Z0-9_]+)?_SERVICE_HOST$/.test(name) && isIP(environment[name] ?? '') !== 0,
  )
  const links = new Set<string>()
  for (const service of services.map((name) => `${name.slice(0, -HOST.length)}_`))
    for (const [name, value = ''] of Object.entries(environment))
      if (name.startsWith(service) && isLink(name.slice(service.length), value)) links.add(name)
  return links
}

const isLink = (ending: string, value: string): boolean =>
  LINKS.some(([name, form]) => name.test(ending) && form.test(value))
