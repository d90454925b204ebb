/**
 * The reasons why a run fails. A failed run never changes the baseline and never fires. Its `error_message` first
 * states what happened, then what a user can do about it.
 *
 * `kind` groups the reasons into four families, by what a user can do:
 * - `blocked`: the site answered and refused the request (change the headers, the interval or the fetch layer);
 * - `broken`: the site, or the connection to it, does not work (wait, or inform the site's owner);
 * - `limit`: the answer is larger, slower or more complex than allowed (narrow the monitor);
 * - `config`: the monitor asks for something that cannot be done (edit the monitor).
 */
export const RUN_FAULTS = {
  target_not_allowed: {
    kind: 'config',
    meaning: 'The address is private, reserved or otherwise not allowed as a target.',
  },
  dns_failed: { kind: 'broken', meaning: 'The host name could not be resolved.' },
  connect_failed: { kind: 'broken', meaning: 'The connection could not be opened, or it was closed early.' },
  tls_failed: { kind: 'broken', meaning: 'The TLS certificate is not valid, or the TLS handshake failed.' },
  timeout: { kind: 'broken', meaning: 'The answer did not arrive completely within the time limit.' },
  too_many_redirects: { kind: 'broken', meaning: 'The target redirects more than five times, or in a circle.' },
  bad_redirect: { kind: 'broken', meaning: 'A redirect has no usable Location header.' },
  blocked: { kind: 'blocked', meaning: 'The site refused the request: 401, 403, 429, or a challenge page.' },
  http_status: { kind: 'broken', meaning: 'The site answered with a status other than 2xx.' },
  empty_body: { kind: 'broken', meaning: 'The answer has no body.' },
  bad_encoding: { kind: 'broken', meaning: 'The content encoding of the answer is corrupt or not supported.' },
  too_large: { kind: 'limit', meaning: 'The answer exceeds the size limit, compressed or decompressed.' },
  too_complex: { kind: 'limit', meaning: 'The document is nested too deeply or has too many nodes or attributes.' },
  unreadable_document: {
    kind: 'broken',
    meaning: 'The file is encrypted, damaged or of an unknown kind, or has pages without text.',
  },
  extract_timeout: { kind: 'limit', meaning: 'A selector or pattern exceeded its time limit.' },
  extract_memory: { kind: 'limit', meaning: 'Extraction exceeded its memory limit.' },
  wrong_type: {
    kind: 'broken',
    meaning: 'The extraction method cannot read this content type, for example json_path on HTML.',
  },
  bad_rule: { kind: 'config', meaning: 'A selector, expression or pattern could not be evaluated on this answer.' },
  llm_quota: {
    kind: 'limit',
    meaning: "The plan's model calls of this period are used up. The model was not asked.",
  },
  model_busy: {
    kind: 'broken',
    meaning: 'The model is overloaded (429, 503), or the queue in front of it is full.',
  },
  model_timeout: { kind: 'broken', meaning: 'The model did not answer in time.' },
  model_failed: {
    kind: 'broken',
    meaning: "The model's endpoint could not be reached, or it refused the request.",
  },
  model_answer: {
    kind: 'broken',
    meaning: "The model's answer is malformed, too long, or does not match the schema.",
  },
  render_failed: {
    kind: 'limit',
    meaning: 'The page crashed the browser, exceeded its memory limit, or could not be read.',
  },
  proxy_failed: {
    kind: 'broken',
    meaning: 'The site refused the direct request, and the proxy that was tried next did not work.',
  },
  not_available: {
    kind: 'config',
    meaning: 'The monitor needs a feature that is not set up in this installation, such as a model.',
  },
  internal: { kind: 'broken', meaning: 'Internal error. The log has the details under the run id.' },
} as const

export type RunFaultCode = keyof typeof RUN_FAULTS

/** A failed check as a value, because expected failures are not thrown. */
export interface RunFault {
  readonly code: RunFaultCode
  /** Text for users, without secrets: what happened, and what to do. At most 1,000 characters. */
  readonly message: string
}

/** What a person can do about a failure, by its kind. */
const ADVICE = {
  blocked: 'Have it checked less often, or set fetch_mode to browser. Some sites refuse programs.',
  broken: 'Open the address yourself. If it works there, wait for the next check.',
  limit: 'Watch less of the page, with a narrower selector.',
  config: 'Edit the monitor: what it asks for cannot be done.',
} as const

/** The same by the reason, where the kind says too little. */
const ADVICE_OF_CODE: Partial<Record<RunFaultCode, string>> = {
  too_large: 'Watch an address with a smaller answer.',
  too_complex: 'Watch an address with a smaller answer.',
  llm_quota: 'Wait for the next period, or choose a larger plan.',
  model_busy: 'Wait for the next check. The model had too much to do.',
  model_timeout: 'Wait for the next check, or watch less of the page.',
  model_failed: 'Ask who runs this installation to look at its model.',
  model_answer: 'Ask for fewer fields in the prompt, or describe them more exactly.',
  not_available: 'Ask who runs this installation to set it up, or edit the monitor.',
  internal: 'Wait for the next check. If it fails again, report the run id to who runs this installation.',
}

/** Returns what a person can do about a failed run. */
export const adviceOf = (code: RunFaultCode): string => ADVICE_OF_CODE[code] ?? ADVICE[RUN_FAULTS[code].kind]
