/**
 * Why a run failed. A failed run never changes the baseline and never fires (docs/decisions); its `error_message` is
 * one sentence that begins with what happened and ends with what a person can do about it.
 *
 * `kind` tells the three families apart that a person treats differently:
 * - `blocked`: the site answered, and refused us (a person changes headers, the interval, or the layer);
 * - `broken`: the site or the way to it does not work (a person waits, or tells the site's owner);
 * - `limit`: the answer is larger, slower or more tangled than we accept (a person narrows the monitor);
 * - `config`: the monitor asks for something that cannot be done (a person edits the monitor).
 */
export const RUN_FAULTS = {
  target_not_allowed: {
    kind: 'config',
    meaning: 'The address is private, reserved or otherwise not allowed as a target.',
  },
  dns_failed: { kind: 'broken', meaning: 'The host name could not be resolved.' },
  connect_failed: { kind: 'broken', meaning: 'No connection could be made, or it was cut off.' },
  tls_failed: { kind: 'broken', meaning: 'The TLS certificate or handshake is not acceptable.' },
  timeout: { kind: 'broken', meaning: 'The answer did not arrive whole within the deadline.' },
  too_many_redirects: { kind: 'broken', meaning: 'The target redirects more often than we follow, or in a circle.' },
  bad_redirect: { kind: 'broken', meaning: 'A redirect has no usable Location.' },
  blocked: { kind: 'blocked', meaning: 'The site refused the request: 401, 403, 429, or a challenge page.' },
  http_status: { kind: 'broken', meaning: 'The site answered with a status other than 2xx.' },
  empty_body: { kind: 'broken', meaning: 'The answer has no body.' },
  bad_encoding: { kind: 'broken', meaning: 'The content encoding of the answer is broken or not one that we read.' },
  too_large: { kind: 'limit', meaning: 'The answer exceeds the size limit, on the wire or decoded.' },
  too_complex: { kind: 'limit', meaning: 'The document is nested too deeply or has too many nodes or attributes.' },
  extract_timeout: { kind: 'limit', meaning: 'A selector or pattern took longer than a check may take.' },
  extract_memory: { kind: 'limit', meaning: 'Extraction needed more memory than a check may use.' },
  wrong_type: { kind: 'broken', meaning: 'The answer is not of the type that the method reads (JSON expected).' },
  bad_rule: { kind: 'config', meaning: 'A selector, expression or pattern could not be evaluated on this answer.' },
  llm_quota: {
    kind: 'limit',
    meaning: "The plan's calls of the model are used up for this period; nothing was asked.",
  },
  model_busy: {
    kind: 'broken',
    meaning: 'The model is asked for more than it answers (429, 503, or our own line is full).',
  },
  model_timeout: { kind: 'broken', meaning: 'The model did not answer in time.' },
  model_failed: {
    kind: 'broken',
    meaning: "The model's endpoint could not be reached, or refused the question.",
  },
  model_answer: {
    kind: 'broken',
    meaning: "The model's answer is malformed, too long, or not of the shape that the schema asks for.",
  },
  render_failed: {
    kind: 'limit',
    meaning: 'The page crashed the browser, used more memory in it than a check may, or did not let itself be read.',
  },
  proxy_failed: {
    kind: 'broken',
    meaning: 'The site refused the direct request, and the proxy that is tried then did not work.',
  },
  not_available: { kind: 'config', meaning: 'The monitor needs a part that this installation does not have.' },
  internal: { kind: 'broken', meaning: 'A fault of ours; the log has the details under the run id.' },
} as const

export type RunFaultCode = keyof typeof RUN_FAULTS

/** A failure of a check, as a value: expected failures are never thrown. */
export interface RunFault {
  readonly code: RunFaultCode
  /** One sentence for a person, without secrets: what happened, and what to do. At most 1,000 characters. */
  readonly message: string
}
