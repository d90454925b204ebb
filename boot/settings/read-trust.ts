import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { plainName } from '../../egress/resolve.ts'
import { type ClientCertificate, createTrust, parseBundle, type Trust } from '../../egress/trust.ts'
import { ClientCertificates } from '../../schema/config/client-certificates.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { type Settings, SettingsError } from './read-config.ts'

type TrustSettings = Pick<Settings, 'TIDEMARK_EXTRA_CA_FILE' | 'TIDEMARK_CLIENT_CERTIFICATES_FILE'>

/** Reads the authorities and client certificates of the settings. Throws SettingsError when one cannot be used. */
export function readTrust(settings: TrustSettings): Trust {
  const { TIDEMARK_EXTRA_CA_FILE: bundle, TIDEMARK_CLIENT_CERTIFICATES_FILE: list } = settings
  return createTrust({
    authorities: bundle === undefined ? [] : authoritiesIn(bundle),
    clientCertificates: list === undefined ? [] : clientCertificatesIn(list),
  })
}

function authoritiesIn(path: string): readonly string[] {
  const setting = 'TIDEMARK_EXTRA_CA_FILE'
  const found = parseBundle(read(path, setting))
  if (typeof found === 'number') throw wrong(setting, `contains a certificate that cannot be read: number ${found}`)
  if (found.length === 0) throw wrong(setting, 'contains no PEM certificate')
  return found
}

function clientCertificatesIn(path: string): ClientCertificate[] {
  const setting = 'TIDEMARK_CLIENT_CERTIFICATES_FILE'
  const checked = checkerOf(ClientCertificates).validate(parsed(read(path, setting), setting))
  if (!checked.ok) throw wrong(setting, checked.issues.map((issue) => `${issue.path} ${issue.message}`).join('; '))
  const taken = new Set<string>()
  return checked.value.map(({ hosts, teams: ids, cert, key }, index) => {
    const names = [...new Set(hosts.map((host) => hostIn(host, index)))]
    const teams = [...new Set(ids.map((id) => id.toLowerCase()))]
    for (const name of names)
      for (const team of teams) {
        if (taken.has(`${name} ${team}`)) throw wrong(setting, `has two certificates for ${name} and the team ${team}`)
        taken.add(`${name} ${team}`)
      }
    const at = (file: string) => read(resolve(dirname(path), file), `${setting} [${index}]`)
    const one = { hosts: names, teams, cert: at(cert), key: at(key) }
    try {
      createTrust({ clientCertificates: [one] })
    } catch {
      throw wrong(setting, `[${index}]: ${cert} and ${key} are not a PEM certificate and its key without a passphrase`)
    }
    return one
  })

  function hostIn(host: string, index: number): string {
    const url = NOT_IN_A_HOST.test(host) ? null : URL.parse(`https://${host}`)
    if (url === null)
      throw wrong(setting, `[${index}].hosts contains ${JSON.stringify(host)}, which is not a host name without a port`)
    // As connections name it: in lower case, without the dot at its end, an international name in ASCII.
    return plainName(url.hostname)
  }
}

/** A port, and what ends the host of a URL or changes how it is read. */
const NOT_IN_A_HOST = /[\s/?#@\\%]|:\d*$/

function parsed(text: string, setting: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(setting, 'is not JSON')
  }
}

function read(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw wrong(setting, `names ${path}, which cannot be read (${code})`)
  }
}

const wrong = (path: string, message: string) => new SettingsError([{ path, message }])
