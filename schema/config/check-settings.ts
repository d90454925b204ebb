import Type from 'typebox'
import { Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** Checks, deliveries and searches. */
export const CHECK_SETTINGS = {
  TIDEMARK_LEASE_SECONDS: Whole(2, 3600, {
    default: 60,
    description: 'Seconds without a heartbeat after which another worker takes over the checks of a worker.',
  }),
  TIDEMARK_HOST_CONCURRENCY: Whole(1, 10_000, {
    default: 8,
    description:
      'Concurrent checks of one host and port, for each worker. From 3 on, one team can use all slots but one.',
  }),
  TIDEMARK_DESTINATION_CONCURRENCY: Whole(1, 10_000, {
    default: 5,
    description:
      'Concurrent deliveries to one host and port, for each worker; docs/webhooks.md describes how they are shared.',
  }),
  TIDEMARK_SERP_ENDPOINTS: Optional(
    Text(
      2,
      4096,
      'JSON that maps search engines to origins that are asked in place of them, for tests with saved pages: ' +
        '{"google":"http://127.0.0.1:9000"}. A private origin needs TIDEMARK_ALLOW_PRIVATE_CIDRS too.',
    ),
  ),
  TIDEMARK_SERP_SPACING_MS: Whole(0, 3_600_000, {
    default: 30_000,
    description:
      'Milliseconds between two checks of one search engine from one exit, at least; up to a half more is added at ' +
      'random. See docs/search-results.md.',
  }),
  // As long as the name of a node may be.
  TIDEMARK_EXIT_NAME: Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    default: 'default',
    description:
      'Name of the address that searches of this process come from. Processes behind one address share a name: one ' +
      'search of an engine is under way for each name.',
  }),
  TIDEMARK_EXIT_COUNTRY: Optional(
    Type.String({
      minLength: 2,
      maxLength: 2,
      pattern: '^[a-z]{2}$',
      description:
        'Country of that address, as in us. Runs for another country say that their country is approximate. Unset: ' +
        'all runs say so.',
    }),
  ),
  TIDEMARK_SERP_PROVIDER_URL: Optional(
    Text(
      1,
      2048,
      'Paid service that answers searches of Google when Google refuses; see docs/search-results.md. Example: ' +
        'https://provider.example.com/search.json. Unset: there is none.',
    ),
  ),
  TIDEMARK_SERP_PROVIDER_KEY: Optional(Text(1, 512, 'API key for TIDEMARK_SERP_PROVIDER_URL. Required with it.')),
}
