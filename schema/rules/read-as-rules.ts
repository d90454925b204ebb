import { rule } from './rule.ts'

/** Only paths read the one object that it is. */
export const STRUCTURED_BY_PATHS = rule<{ readonly method: string; readonly read_as?: string }>({
  name: 'structured_by_paths',
  message: 'structured_data is read by the method json_path alone',
  cel: "!has(self.readAs) || self.readAs != 'structured_data' || self.method == 'json_path'",
  accepts: [
    { method: 'json_path', read_as: 'structured_data' },
    { method: 'json_path', read_as: 'document' },
    { method: 'css', read_as: 'document' },
    { method: 'css' },
  ],
  rejects: [
    { method: 'css', read_as: 'structured_data' },
    { method: 'full_page', read_as: 'structured_data' },
  ],
  jsonOf: (variant) => (variant === 'json_path' ? {} : { read_as: { enum: ['document'] } }),
  holds: ({ method, read_as }) => read_as !== 'structured_data' || method === 'json_path',
  between: () => ['read_as'],
})

interface Documented {
  readonly request_config?: object | null
  readonly visual_config?: { readonly enabled: boolean } | null
  readonly extract_config: { readonly method: string; readonly read_as?: string }
  readonly fetch_mode?: string
}

const documented = (rest: object): Documented => ({
  extract_config: { method: 'full_page', read_as: 'document' },
  ...rest,
})

/** A browser shows a file, or offers it for download, and never gives its bytes. */
export const DOCUMENT_AS_SENT = rule<Documented>({
  name: 'document_as_sent',
  message:
    'document needs the file as it is sent: leave fetch_mode at auto, and visual_config disabled, so that no ' +
    'browser is asked for it',
  cel:
    "!has(self.extractConfig.readAs) || self.extractConfig.readAs != 'document' || " +
    "!((has(self.fetchMode) && self.fetchMode == 'browser') || " +
    '(has(self.visualConfig) && self.visualConfig != null && self.visualConfig.enabled))',
  accepts: [
    documented({ fetch_mode: 'auto' }),
    documented({ request_config: {}, visual_config: { enabled: false } }),
    { extract_config: { method: 'full_page' }, fetch_mode: 'browser' },
    { extract_config: { method: 'full_page' }, visual_config: { enabled: true } },
  ],
  rejects: [documented({ fetch_mode: 'browser' }), documented({ visual_config: { enabled: true } })],
  holds: ({ extract_config, fetch_mode, visual_config }) =>
    extract_config.read_as !== 'document' || (fetch_mode !== 'browser' && visual_config?.enabled !== true),
  between: () => ['extract_config.read_as'],
})
