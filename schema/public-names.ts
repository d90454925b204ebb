/** The names under which releases are published. */
export interface PublicNames {
  /** Whether they can be fetched. Until then no page names them: they could be those of somebody else. */
  readonly published: boolean
  /** The packages of npm: the command with the server, and the provider for Pulumi. */
  readonly npm: { readonly command: string; readonly pulumi: string }
  /** The registry of images, with its folder. The name of an image follows behind a slash. */
  readonly images: string
  /** The registry of the chart, with its folder. */
  readonly charts: string
  /** The repository, which a browser opens and git clones. */
  readonly repository: string
}

/** The one place of public names. README, docs/install.md, the packages, the chart and releases follow it. */
export const PUBLIC_NAMES: PublicNames = {
  published: false,
  npm: { command: 'tidemark', pulumi: '@tidemark/pulumi' },
  images: 'ghcr.io/tidemark-dev',
  charts: 'ghcr.io/tidemark-dev/charts',
  repository: 'https://github.com/tidemark-dev/tidemark',
}
