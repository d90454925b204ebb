import Type from 'typebox'
import { Choice, Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** The default of TIDEMARK_CONNECTIONS_PER_ADDRESS, and the limit of every port for health and metrics. */
export const CONNECTIONS_PER_ADDRESS = 500

/** What may be connected to, and from where. */
export const NETWORK_SETTINGS = {
  TIDEMARK_ALLOW_PRIVATE_CIDRS: Type.String({
    maxLength: 4096,
    default: '',
    description:
      'Private networks that checks and deliveries may connect to, comma-separated. Example: 127.0.0.0/8,::1/128.',
  }),
  TIDEMARK_INSTALLED_BY: Choice(['person', 'chart'], {
    default: 'person',
    description: 'Who has set the settings. chart: messages name values of the Helm chart in their place.',
  }),
  TIDEMARK_DENY_CIDRS: Type.String({
    maxLength: 4096,
    default: '',
    description:
      'Networks that checks and deliveries must not connect to, comma-separated, beside those that are always ' +
      'denied; see docs/egress.md. Stronger than TIDEMARK_ALLOW_PRIVATE_CIDRS. Example: 198.51.100.0/24.',
  }),
  TIDEMARK_EXTRA_CA_FILE: Optional(
    Text(
      1,
      4096,
      'PEM file with certificates of private authorities. Targets and webhooks whose certificates they signed are ' +
        'accepted; see docs/egress.md.',
    ),
  ),
  TIDEMARK_CLIENT_CERTIFICATES_FILE: Optional(
    Text(1, 4096, 'JSON file with client certificates, each for named hosts and teams; see docs/egress.md.'),
  ),
  KUBERNETES_SERVICE_HOST: Optional(
    Text(1, 255, 'API server of the cluster, which is always denied. Kubernetes sets it in every pod.'),
  ),
  KUBERNETES_SERVICE_PORT: Whole(1, 65_535, {
    default: 443,
    description: 'Port of KUBERNETES_SERVICE_HOST. Kubernetes sets it in every pod.',
  }),
  TIDEMARK_TRUSTED_PROXIES: Type.String({
    maxLength: 4096,
    default: '',
    description: 'Networks of the reverse proxies whose X-Forwarded-For header is trusted, comma-separated.',
  }),
  TIDEMARK_CONNECTIONS_PER_ADDRESS: Whole(0, 1_000_000, {
    default: CONNECTIONS_PER_ADDRESS,
    description:
      'Open connections of one client address (IPv6: one /64) to the API and to the runner API. Addresses in ' +
      'TIDEMARK_TRUSTED_PROXIES have no limit. 0: no limit.',
  }),
}
