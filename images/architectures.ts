/** What differs between the processors that images are made for. */
interface Architecture {
  /** As Node and npm name it. */
  readonly node: string
  /** The folder of Debian's libraries. */
  readonly triplet: string
}

/** Every architecture, by its name in Debian and in registries. */
export const ARCHITECTURES = {
  amd64: { node: 'x64', triplet: 'x86_64-linux-gnu' },
  arm64: { node: 'arm64', triplet: 'aarch64-linux-gnu' },
} as const satisfies Readonly<Record<string, Architecture>>

/** The name of an architecture. */
export type ArchitectureName = keyof typeof ARCHITECTURES

/** The one of this machine, where images can be tried. */
export const OWN_ARCHITECTURE: ArchitectureName = process.arch === 'arm64' ? 'arm64' : 'amd64'

export const isArchitecture = (text: string): text is ArchitectureName => Object.hasOwn(ARCHITECTURES, text)
