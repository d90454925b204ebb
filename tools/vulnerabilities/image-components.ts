import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Component, InputError } from './component.ts'

/** What the lists of components of images say. */
interface ImageComponents {
  readonly components: readonly Component[]
  /** Packages of Debian whose source is not named: OSV is asked for them by their own name, and may have another one. */
  readonly withoutSource: readonly string[]
}

const FILE = /^image-(.+)\.cdx\.json$/

/** Returns what images are made of: packages of Debian and of npm, from the lists of components of a release. */
export async function imageComponents(folder: string): Promise<ImageComponents> {
  const names = await readdir(folder).catch(() => [])
  const images = names.flatMap((file) => FILE.exec(file)?.[1] ?? []).toSorted()
  if (images.length === 0)
    throw new InputError(`${folder} has no image-*.cdx.json. Name the folder sbom of a release with images.`)
  const components: Component[] = []
  const withoutSource = new Set<string>()
  for (const image of images)
    for (const purl of await purlsOf(join(folder, `image-${image}.cdx.json`))) {
      const found = componentOf(purl, `image ${image}`)
      if (found === null) continue
      components.push(found.component)
      if (!found.hasSource) withoutSource.add(found.component.installedAs)
    }
  return { components, withoutSource: [...withoutSource].toSorted() }
}

async function purlsOf(file: string): Promise<readonly string[]> {
  const fault = new InputError(`${file} is no list of components in CycloneDX. Make the release again.`)
  try {
    const { components } = JSON.parse(await readFile(file, 'utf8')) as {
      readonly components: readonly { readonly purl: unknown }[]
    }
    return components.map(({ purl }) => {
      if (typeof purl !== 'string') throw fault
      return purl
    })
  } catch {
    throw fault
  }
}

const PURL = /^pkg:(npm|deb\/debian)\/([^?#]+)@([^@?#]+)(?:\?([^#]*))?/

/** Returns what a package URL names, such as `pkg:deb/debian/libc6@2.36-9?source=glibc`. Null: OSV does not have it. */
function componentOf(purl: string, use: string): { readonly component: Component; readonly hasSource: boolean } | null {
  const [, type, ...encoded] = PURL.exec(purl) ?? []
  if (type === undefined) return null
  const [installedAs = '', version = ''] = encoded.map((part) => decodeURIComponent(part))
  if (type === 'npm')
    return { component: { ecosystem: 'npm', name: installedAs, installedAs, version, use }, hasSource: true }
  const [name, ofSource] = sourceOf(encoded[2] ?? '')
  const component: Component = {
    ecosystem: 'Debian:12',
    name: name ?? installedAs,
    installedAs,
    // What was built once more of one source has a version for that.
    version: ofSource ?? version.replace(/\+b\d+$/, ''),
    use,
  }
  return { component, hasSource: name !== undefined }
}

/** Returns the source package, with its version where that is another one: `upstream=NAME@VERSION` or `source=NAME`. */
function sourceOf(qualifiers: string): readonly string[] {
  // In a package URL a plus sign is one, and not a space.
  const values = new URLSearchParams(qualifiers.replaceAll('+', '%2B'))
  return (values.get('upstream') ?? values.get('source'))?.split('@') ?? []
}
