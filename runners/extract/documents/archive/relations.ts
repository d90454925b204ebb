import { posix } from 'node:path'
import type { Archive } from './open-archive.ts'
import { readXml } from './read-xml.ts'

/** What a part of an Office file refers to. */
interface Relation {
  readonly type: string
  /** The name of an entry of the archive, or an address where `isExternal`. */
  readonly target: string
  readonly isExternal: boolean
}

/** Returns the relations of a part, by id; those of the whole file for an empty path. Nothing external is loaded. */
export function relationsOf(archive: Archive, path: string): ReadonlyMap<string, Relation> {
  const folder = path === '' ? '' : posix.dirname(path)
  const name = posix.join(folder, '_rels', `${posix.basename(path)}.rels`)
  const found = new Map<string, Relation>()
  if (!archive.has(name)) return found
  readXml(name, archive.read(name), {
    open(tag, attribute) {
      if (tag !== 'Relationship') return
      const target = attribute('Target') ?? ''
      const isExternal = attribute('TargetMode') === 'External'
      found.set(attribute('Id') ?? '', {
        type: attribute('Type') ?? '',
        target: isExternal ? target : posix.join(target.startsWith('/') ? '' : folder, target).replace(/^\//, ''),
        isExternal,
      })
    },
  })
  return found
}
