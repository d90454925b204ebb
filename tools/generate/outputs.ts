import { readFileSync } from 'node:fs'
import { describeApi } from '../../api/openapi/describe-api.ts'
import { routesOf } from '../../api/routes.ts'
import { SERVED_KINDS } from '../../boot/kinds.ts'
import { accessPage } from './access-page.ts'
import { dashboard } from './chart/dashboard.ts'
import { publicNetworks } from './chart/public-networks.ts'
import { seccompObject, seccompProfile } from './chart/seccomp-profile.ts'
import { valueDefaults } from './chart/value-defaults.ts'
import { valueFamilies } from './chart/value-families.ts'
import { valuesSchema } from './chart/values-schema.ts'
import { valuesYaml } from './chart/values-yaml.ts'
import { cookbookPage } from './cookbook-page.ts'
import { crdPage } from './crd/crd-page.ts'
import { KINDS } from './crd/kinds.ts'
import { accessTable } from './dashboard/access-table.ts'
import { apiTypes } from './dashboard/api-types.ts'
import { deliveryChoices } from './dashboard/delivery-choices.ts'
import { errorsPage } from './errors-page.ts'
import { installPage } from './install-page.ts'
import { operationsPage } from './operations-page.ts'
import { ownWordsPage } from './own-words-page.ts'
import { chartArgs, configurationArgs, definitions, recordArgs, resourceArgs } from './pulumi/inputs.ts'
import { servicesPage } from './services-page.ts'
import { settingsPage } from './settings-page.ts'
import { verifyPage } from './verify-page.ts'

/** A committed file that is generated from the definitions. */
interface Output {
  /** The path from the root of the repository. */
  readonly path: string
  /** Returns the whole text of the file. */
  make(): string
}

const CHART = 'charts/tidemark'
const PULUMI = 'pulumi/src/inputs'
const MIRROR_POLICY = new URL('../../examples/operator/mirror-policy.yaml', import.meta.url)

/** Every generated file. */
export const OUTPUTS: readonly Output[] = [
  { path: 'api/openapi.json', make: () => `${JSON.stringify(describeApi(routesOf(SERVED_KINDS)), null, 2)}\n` },
  ...KINDS.flatMap((kind) =>
    // The chart is a separate folder, and Helm follows no link out of it.
    ['crds', `${CHART}/files/crds`].map((folder) => ({
      path: `${folder}/tidemark.dev_${kind.plural}.yaml`,
      make: () => crdPage(kind),
    })),
  ),
  { path: `${CHART}/files/dashboard.json`, make: dashboard },
  { path: `${CHART}/files/defaults.yaml`, make: valueDefaults },
  { path: `${CHART}/files/mirror-policy.yaml`, make: () => readFileSync(MIRROR_POLICY, 'utf8') },
  { path: `${CHART}/files/public-networks.yaml`, make: publicNetworks },
  { path: `${CHART}/files/seccomp/chromium.json`, make: seccompProfile },
  { path: `${CHART}/files/seccomp/security-profiles-operator.yaml`, make: seccompObject },
  { path: `${CHART}/files/value-families.yaml`, make: valueFamilies },
  { path: `${CHART}/values.schema.json`, make: valuesSchema },
  { path: `${CHART}/values.yaml`, make: valuesYaml },
  ...KINDS.map((kind) => ({ path: `crds/tidemark.dev_${kind.plural}.yaml`, make: () => crdPage(kind) })),
  { path: 'dashboard/src/api/access.ts', make: accessTable },
  { path: 'dashboard/src/api/delivery-choices.ts', make: deliveryChoices },
  { path: 'dashboard/src/api/types.ts', make: () => apiTypes(describeApi(routesOf(SERVED_KINDS))) },
  { path: 'docs/access.md', make: accessPage },
  { path: 'docs/cookbook.md', make: cookbookPage },
  { path: 'docs/errors.md', make: errorsPage },
  { path: 'docs/install.md', make: installPage },
  { path: 'docs/operations.md', make: operationsPage },
  { path: 'docs/services.md', make: servicesPage },
  { path: 'docs/own-words.md', make: ownWordsPage },
  { path: 'docs/settings.md', make: settingsPage },
  { path: 'docs/verify-a-release.md', make: verifyPage },
  { path: `${PULUMI}/chart-values.ts`, make: chartArgs },
  { path: `${PULUMI}/configuration.ts`, make: configurationArgs },
  { path: `${PULUMI}/custom-resource.ts`, make: resourceArgs },
  { path: `${PULUMI}/record.ts`, make: recordArgs },
  { path: `${PULUMI}/definitions.json`, make: definitions },
]
