import type { PublicNames } from '../../schema/public-names.ts'
import { VERSION } from './version.ts'

/** A way to install Tidemark. */
export interface InstallWay {
  readonly title: string
  /** What the reader needs and gets. */
  readonly about: string
  /** What to type. */
  readonly lines: readonly string[]
  /** What follows, for the reader who has typed it. */
  readonly after: string
}

/** A Postgres of one pod, and pictures on a claim. */
export const TO_TRY = '--set postgres.enabled=true --set pictures.volume.create=true'

/** The folder that `npm run release` makes, in the repository. */
const FOLDER = `release-${VERSION}`

/** What a reader installs from: names that anybody can fetch, or the folder of a release. */
interface Sources {
  readonly npm: string
  readonly pulumi: string
  /** The lines that fetch an image, and its name. */
  image(name: string): { readonly lines: readonly string[]; readonly name: string }
  /** The lines that fetch the Compose file. */
  readonly fetched: readonly string[]
  readonly compose: string
  readonly chart: string
}

const published = ({ npm, images, charts, repository }: PublicNames): Sources => {
  const files = `${repository}/releases/download/v${VERSION}`
  return {
    npm: npm.command,
    pulumi: npm.pulumi,
    image: (name) => ({ lines: [], name: `${images}/${name}:${VERSION}` }),
    fetched: ['compose.yaml', 'chromium-seccomp.json'].map((name) => `curl -fLO ${files}/${name}`),
    compose: 'docker compose up --detach --wait',
    chart: `oci://${charts}/tidemark --version ${VERSION}`,
  }
}

const OF_A_FOLDER: Sources = {
  npm: `./${FOLDER}/npm/tidemark-${VERSION}.tgz`,
  pulumi: `./${FOLDER}/npm/tidemark-pulumi-${VERSION}.tgz`,
  image: (name) => ({
    lines: [`docker load --input ${FOLDER}/images/${name}-${VERSION}.tar`],
    name: `${name}:${VERSION}`,
  }),
  fetched: [],
  compose: `(cd ${FOLDER} && docker compose up --detach --wait)`,
  chart: `${FOLDER}/charts/tidemark-${VERSION}.tgz`,
}

/** Returns all ways, the one to begin with first: one line where releases are published, else a clone. */
export function installWays(names: PublicNames): readonly InstallWay[] {
  if (names.published) return [...waysFrom(published(names)), cloneWay(names)]
  return [cloneWay(names), RELEASE_FOLDER, ...waysFrom(OF_A_FOLDER)]
}

const cloneWay = ({ published: isPublished, repository }: PublicNames): InstallWay => ({
  title: 'A clone',
  about:
    'You need npm. It installs everything else, Node 24 and Postgres 18 as well.' +
    (isPublished ? '' : ' In the folder of this repository:'),
  lines: [...(isPublished ? [`git clone ${repository}`, 'cd tidemark'] : []), 'npm ci', 'npm start'],
  after: 'The command is `./tidemark` there.',
})

const RELEASE_FOLDER: InstallWay = {
  title: 'The folder of a release',
  about:
    'Nothing is published yet. This makes everything that a release has, in a folder. The ways below install from ' +
    'it. Images need root and Debian. `--registry` names a registry of yours: the chart and the Compose file name ' +
    'images there, and the second line publishes them.',
  lines: [
    `sudo npm run release -- --dry-run ${VERSION} --registry registry.example/tidemark`,
    `npm run publish-release -- ${FOLDER} --only images --key cosign.key`,
  ],
  after:
    'Before the first: `sudo apt-get update`. `npm run release-tools` builds crane and cosign, which the second line ' +
    'needs; `cosign generate-key-pair` makes the key, whose password is in `COSIGN_PASSWORD`. npm, one container and ' +
    'Pulumi need neither the registry nor the second line. [Releases](releases.md) says what is in the folder.',
}

const waysFrom = ({ npm, pulumi, image, fetched, compose, chart }: Sources): readonly InstallWay[] => {
  const whole = image('tidemark')
  return [
    {
      title: 'npm',
      about:
        'You need Node 24 or newer. Everything runs in one process, with its own Postgres and browser. No script of ' +
        'ours runs while npm installs.',
      lines: [`npm install --global ${npm}`, 'tidemark serve'],
      after:
        'The data is in `.tidemark`, in the folder where you start it. `tidemark doctor` says what is missing on ' +
        'your machine.',
    },
    {
      title: 'A container',
      about: 'Everything in one container, as a user without rights. The data is in the volume `tidemark`.',
      lines: [...whole.lines, `docker run -p 127.0.0.1:8080:8080 -v tidemark:/data ${whole.name}`],
      after: '[Docker](docker.md) says how pages are rendered there in a sandboxed browser.',
    },
    {
      title: 'Docker Compose',
      about: 'API, worker, runner and Postgres, each in its container. The file names our images by digest.',
      lines: [...fetched, compose],
      after: 'Two secrets go into the file `.env` first: see [Docker](docker.md).',
    },
    {
      title: 'Helm',
      about: 'You need Kubernetes 1.32 or newer. The chart names our images by digest.',
      lines: [`helm install tidemark ${chart} --namespace tidemark --create-namespace ${TO_TRY}`],
      after: '[Install on Kubernetes](kubernetes-install.md) says what to choose for more than a try.',
    },
    {
      title: 'Pulumi',
      about: 'The provider. In the folder of your program, with the path of the file from there:',
      lines: [`npm install ${pulumi}`],
      after: '[Pulumi](pulumi.md) has the first program.',
    },
    {
      title: 'A host with systemd',
      about: 'The package of npm, started by systemd. As root:',
      lines: [`npm install --global ${npm}`],
      after:
        'The folder `examples/systemd` of the package has the units and their `README.md`. ' +
        '`npm root --global` prints where packages are.',
    },
  ]
}
