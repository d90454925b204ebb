import { describeApi } from '../../api/openapi/describe-api.ts'
import { routes } from '../../api/routes.ts'
import { crdPage } from './crd/crd-page.ts'
import { KINDS } from './crd/kinds.ts'
import { errorsPage } from './errors-page.ts'
import { settingsPage } from './settings-page.ts'

/** A committed file that is generated from the definitions. */
interface Output {
  /** The path from the root of the repository. */
  readonly path: string
  /** Returns the whole text of the file. */
  make(): string
}

/** Every generated file. */
export const OUTPUTS: readonly Output[] = [
  { path: 'api/openapi.json', make: () => `${JSON.stringify(describeApi(routes), null, 2)}\n` },
  ...KINDS.map((kind) => ({ path: `crds/tidemark.dev_${kind.plural}.yaml`, make: () => crdPage(kind) })),
  { path: 'docs/errors.md', make: errorsPage },
  { path: 'docs/settings.md', make: settingsPage },
]
