import { rule } from './rule.ts'

interface Request {
  readonly method?: string
  readonly body?: string
  readonly pagination?: { readonly in?: string }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
  } catch {
    return false
  }
}

export const NO_BODY_WITH_GET = rule<Request>({
  name: 'no_body_with_get',
  message: 'a body is not allowed with GET; choose POST, PUT or PATCH',
  cel: "!has(self.body) || (has(self.method) && self.method != 'GET')",
  accepts: [{ method: 'POST', body: '{}' }, { method: 'GET' }, {}],
  rejects: [{ method: 'GET', body: '' }, { body: '{}' }],
  between: () => ['method', 'body'],
  holds: ({ method = 'GET', body }) => body === undefined || method !== 'GET',
})

export const BODY_PAGING_NEEDS_JSON = rule<Request>({
  name: 'body_paging_needs_json',
  message: 'paging in the body needs a body that is a JSON object',
  // CEL cannot parse JSON. It accepts any text in braces, and the operator checks the content.
  cel:
    "!has(self.pagination) || !has(self.pagination.__in__) || self.pagination.__in__ != 'body' || " +
    String.raw`(has(self.body) && self.body.matches(r'^[ \t\r\n]*[{](?s:.*)[}][ \t\r\n]*$'))`,
  accepts: [
    { method: 'POST', body: '{"page":1}', pagination: { in: 'body' } },
    { method: 'POST', body: ' {\n "page": 1\n}\n', pagination: { in: 'body' } },
    { pagination: { in: 'query' } },
  ],
  rejects: [
    { method: 'POST', body: '[1]', pagination: { in: 'body' } },
    { method: 'POST', body: '', pagination: { in: 'body' } },
    { method: 'POST', body: 'null', pagination: { in: 'body' } },
    { method: 'POST', pagination: { in: 'body' } },
  ],
  between: () => ['pagination.in', 'body'],
  holds: ({ body, pagination }) => pagination?.in !== 'body' || (body !== undefined && isJsonObject(body)),
})

interface Region {
  readonly selector?: string
  readonly rect?: object
}

export const SELECTOR_OR_RECT = rule<Region>({
  name: 'selector_or_rect',
  message: 'a region has exactly one of selector and rect',
  cel: 'has(self.selector) != has(self.rect)',
  accepts: [{ selector: '#a' }, { rect: { x: 0, y: 0, width: 1, height: 1 } }],
  rejects: [{}, { selector: '#a', rect: { x: 0, y: 0, width: 1, height: 1 } }],
  between: ({ selector }) => (selector === undefined ? [''] : ['selector', 'rect']),
  holds: ({ selector, rect }) => (selector === undefined) !== (rect === undefined),
})

interface Positions {
  readonly before?: string
  readonly after?: string
}

export const ONE_POSITION = rule<Positions>({
  name: 'one_position',
  message: 'a list begins at one of before and after',
  cel: null,
  accepts: [{}, { before: '01890a5d-ac96-774b-bcce-b302099a8057' }, { after: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  rejects: [{ before: '01890a5d-ac96-774b-bcce-b302099a8057', after: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  between: () => ['before', 'after'],
  holds: ({ before, after }) => before === undefined || after === undefined,
})
