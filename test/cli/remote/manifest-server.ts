import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

/** A monitor as the API lists it: what tests read. */
interface Listed {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly external_key: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly deliveries: readonly { readonly url: string }[]
  readonly schedule_interval_seconds: number
}

/** A served installation, with the manifests that a person applies to it. */
export interface ManifestServer extends RemoteServer {
  /** The manifest of a monitor of the site's price. `more` follows the spec, `metadata` the name. */
  manifest(name: string, more?: string, metadata?: string): string
  /** Writes a file into the folder of the person. */
  write(file: string, text: string | Buffer): Promise<void>
  /** Returns the monitors, of pages unless said otherwise. */
  list(path?: string): Promise<readonly Listed[]>
  /** Deletes all monitors and the folder `monitors`. */
  clear(): Promise<void>
}

/** Returns the text of a monitor of an address. `more`: of its spec; `metadata`: of its metadata; both as lines. */
export const manifestText = (name: string, url: string, more = '', metadata = '') => `apiVersion: tidemark.dev/v1
kind: Monitor
metadata:
  name: ${name}
  namespace: shop
${metadata}spec:
  name: The ${name}
  url: ${url}
  scheduleIntervalSeconds: 3600
  extractConfig: { method: css, fields: { price: .price } }
  diffPredicate: { type: any_field_changes }
${more}`

export async function startManifestServer(): Promise<ManifestServer> {
  const remote = await startRemoteServer()
  const list = async (path = '/v1/monitors') => (await remote.ask<{ data: Listed[] }>('GET', `${path}?limit=100`)).data
  return {
    ...remote,
    list,
    manifest: (name, more, metadata) => manifestText(name, remote.site.url, more, metadata),
    async write(file, text) {
      const path = join(remote.folder, file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    },
    async clear() {
      for (const path of ['/v1/monitors', '/v1/serp-monitors'])
        for (const { id } of await list(path)) await remote.ask('DELETE', `${path}/${id}`)
      await rm(join(remote.folder, 'monitors'), { recursive: true, force: true })
    },
  }
}

/** The end of a spec: a webhook whose address is in the Secret `chat`. */
export const HOOK = `  deliveries:
    - type: webhook
      urlFrom: { secretKeyRef: { name: chat, key: webhook } }
`

/** The Secret `chat`, with this address. */
export const secretOf = (url: string): string => `apiVersion: v1
kind: Secret
metadata: { name: chat, namespace: shop }
stringData: { webhook: "${url}" }
`
