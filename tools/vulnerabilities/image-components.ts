import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Component, InputError } from './component.ts'

/** What the lists of components of images say. */
interface ImageComponents {
  readonly components: readonly Component[]
  /** Packages of Debian whose source is not named. They are looked up by their own names, which may be other ones. */
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

/** Returns what `pkg:deb/debian/libc6@2.36-9?upstream=glibc%402.36-9` names. Null: OSV does not have it. */
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
    version: ofSource ?? version,
    use,
  }
  return { component, hasSource: name !== undefined }
}

/** Returns the name and the version of the source package, which is in `upstream=NAME@VERSION`. */
function sourceOf(qualifiers: string): readonly string[] {
  // In a package URL a plus sign is one, and not a space.
  return new URLSearchParams(qualifiers.replaceAll('+', '%2B')).get('upstream')?.split('@') ?? []
}
