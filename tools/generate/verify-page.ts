import { PUBLIC_NAMES, type PublicNames } from '../../schema/public-names.ts'
import { paragraph } from './markdown.ts'
import { VERSION } from './version.ts'

/** What a reader trusts: a public key, or the workflow that signs. */
interface Trust {
  /** Options of cosign. */
  readonly options: readonly string[]
  readonly about: string
}

/** Returns whom the signatures of releases are of: once they are published, of the workflow, without a key. */
function trustOf({ published, repository }: PublicNames): Trust {
  if (!published)
    return {
      options: ['--key', 'cosign.pub', '--insecure-ignore-tlog'],
      about:
        'Nothing is published yet, so releases are signed with the key of who made them. `cosign.pub` is that key, ' +
        'which you have from them by another way than the release.',
    }
  const identity = `${repository}/.github/workflows/release.yaml@refs/tags/v${VERSION}`
  return {
    options: [
      `--certificate-identity ${identity}`,
      '--certificate-oidc-issuer https://token.actions.githubusercontent.com',
    ],
    about:
      'The workflow of the repository signs releases, without a key that could be stolen. Cosign finds in a public ' +
      'log that it was this workflow, for this tag.',
  }
}

/** Returns the commands that verify a release, in its folder, and an image of it. */
export function verifyLines(names: PublicNames, image: string): readonly string[] {
  const options = trustOf(names).options.join(' ')
  return [
    `cosign verify-blob ${options} --bundle SHA256SUMS.sigstore.json SHA256SUMS`,
    'sha256sum --check --ignore-missing SHA256SUMS',
    `cosign verify ${options} ${image}`,
  ]
}

const PROVENANCE =
  '- `provenance.intoto.json` says of which commit and lockfiles each file was made. To make the same bytes, check ' +
  'out that commit, run `npm ci`, and [make the release](releases.md#make-one) with the same `--builder` and ' +
  '`--registry`. Images are the same while Debian serves the packages that `sbom/` lists.'

const AFTER = `${paragraph(
  'The first says that nobody has changed the checksums. The second compares the files that you have with them. The ' +
    'third says that the image with this digest was signed; `release.json`, which the checksums cover, has the ' +
    'digest of each image. The chart is verified in the same way, under `charts/tidemark`. Each ends with an error ' +
    'where one byte is different: use nothing of it then, and [tell us](../SECURITY.md).',
)}

## More

${paragraph(PROVENANCE, '  ')}
- \`sbom/\` has what each package and image is made of. For an image it is also signed beside it:
  \`cosign verify-attestation --type cyclonedx\`.
- Helm verifies the chart while it fetches it, if you have the key of who signed it: \`helm pull --verify\`.
`

const REGISTRY = PUBLIC_NAMES.published ? PUBLIC_NAMES.images : 'registry.example/tidemark'

/** Returns docs/verify-a-release.md. */
export const verifyPage = (): string => `# Verify a release

${paragraph(
  'Find out whether the files of a release, and its images, are those that were made for it. You need `cosign`, ' +
    'version 3. Type this in the folder of the files:',
)}

<!-- not run by the test: it needs a registry; npm run test:release runs the same lines -->

\`\`\`sh
${verifyLines(PUBLIC_NAMES, `${REGISTRY}/tidemark@sha256:…`).join('\n')}
\`\`\`

${paragraph(trustOf(PUBLIC_NAMES).about)}

${AFTER}`
