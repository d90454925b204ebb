import type { ImageReference } from './chart.ts'

/** Where the profile is in the repository. In a release it is beside the Compose file. */
const PROFILE = 'charts/tidemark/files/seccomp/chromium.json'

/** Returns the Compose file of a release: its images by digest, and the seccomp profile beside it. */
export function composeOf(text: string, version: string, images: Readonly<Record<string, ImageReference>>): string {
  return text
    .replaceAll(PROFILE, './chromium-seccomp.json')
    .replaceAll(/^( *image: )(tidemark[\w-]*):(\S+)$/gm, (_line, indent: string, name: string, tag: string) => {
      const image = images[name]
      if (image === undefined || tag !== version) throw new Error(`the release has no image ${name}:${tag}`)
      return `${indent}${image.repository}@${image.digest}`
    })
}
