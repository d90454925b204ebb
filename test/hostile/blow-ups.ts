import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import zlib from 'node:zlib'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import { answer, type Answer } from '../support/network/raw-server.ts'

/** What a hostile site serves, what its owner's monitor asks of it, and what has to come of that. */
export interface BlowUp {
  readonly what: string
  readonly serve: Answer
  readonly extract: ExtractConfig
  /**
   * The fault of its run, or one of several where the order in which limits are met is chance; `success`: it is no harm
   * any more.
   */
  readonly comesTo: RunFaultCode | 'success' | readonly RunFaultCode[]
  /** Of the value `it`, where the run succeeds. */
  readonly value?: unknown
  /** What its error_message has to say. */
  readonly says?: RegExp
  /** Milliseconds that its run may take on a machine that does nothing else. */
  readonly withinMs: number
}

/** Limits under which rows are timed: a drip ends at a deadline, and nobody wants to wait 30 seconds for it. */
export const DEADLINE_MS = 1_200
export const FIRST_BYTE_MS = 700

const MIB = 1024 * 1024
const css = (rule: string): ExtractConfig => ({ method: 'css', fields: { it: rule } })
const xpath = (rule: string): ExtractConfig => ({ method: 'xpath', fields: { it: rule } })
const jsonPath = (rule: string): ExtractConfig => ({ method: 'json_path', fields: { it: rule } })
const regex = (rule: string): ExtractConfig => ({ method: 'regex', fields: { it: rule } })
const P = css('p')
/** A second a rule: what takes its time on a busy machine, and is no harm, gets five. */
const FIVE: ExtractConfig = { method: 'css', fields: { it: 'p', b: 'p', c: 'p', d: 'p', e: 'p' } }

/** Fresh in every answer, so that no check is over before it is parsed because the bytes are those of last time. */
const fresh = () => `<!-- ${randomBytes(8).toString('hex')} -->`

/** Made when first served: a bomb takes a moment to build. */
function page(body: () => string, type = 'text/html; charset=utf-8'): Answer {
  let made: string | undefined
  return (socket, request, nth) => {
    made ??= body()
    const text = type.startsWith('text/html') ? made + fresh() : made
    answer('200 OK', text, { 'content-type': type })(socket, request, nth)
  }
}

function packed(encoding: string, pack: () => Uint8Array): Answer {
  let made: Uint8Array | undefined
  return (socket, request, nth) => {
    made ??= pack()
    answer('200 OK', made, { 'content-type': 'text/html', 'content-encoding': encoding })(socket, request, nth)
  }
}

/** Writes again and again until the other side hangs up. */
function drip(head: string, drop: string, everyMs: number): Answer {
  return (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(drop), everyMs)
    socket.once('close', () => clearInterval(timer))
  }
}

/** Writes as fast as the other side reads. */
const flood: Answer = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n')
  const chunk = Buffer.alloc(64 * 1024, '<p>flood</p>')
  const pour = (to: Socket) => {
    while (to.writable && to.write(chunk));
  }
  socket.on('drain', () => pour(socket))
  pour(socket)
}

const attributes = (count: number) => Array.from({ length: count }, (_, i) => `a${i}=1`).join(' ')
const json = (body: () => string) => page(body, 'application/json')
const slow = (rule: ExtractConfig, serve: Answer) =>
  ({ serve, extract: rule, comesTo: 'extract_timeout', says: /took longer than 1000 ms/, withinMs: 4_000 }) as const
const complex = (serve: Answer, says: RegExp, extract = P) =>
  ({ serve, extract, comesTo: 'too_complex', says, withinMs: 2_000 }) as const
const harmless = (extract: ExtractConfig, serve: Answer, value: unknown) =>
  ({ serve, extract, comesTo: 'success', value, withinMs: 3_000 }) as const

/** §3.1: what XPath, selectors and patterns do to engines. */
const RULES: readonly BlowUp[] = [
  {
    what: '`//*/ancestor::*//*` on 2,000 elements, which cost 6.5 s and 1.9 GB',
    ...harmless(
      xpath('count(//*/ancestor::*//*)'),
      page(() => '<div>'.repeat(100) + '<b>x</b>'.repeat(1_900)),
      2_002,
    ),
  },
  {
    what: '`//a[count(//b)>0]` on 2,000 elements, which cost 1.3 s',
    ...harmless(
      xpath('count(//a[count(//b)>0])'),
      page(() => '<a>x</a><b>y</b>'.repeat(1_000)),
      1_000,
    ),
  },
  {
    what: '`//*[count(preceding::*)>=0]` on 2,000 elements, which cost 1.4 s',
    ...harmless(
      xpath('count(//b[count(preceding::*)>=0])'),
      page(() => '<b>y</b>'.repeat(2_000)),
      2_000,
    ),
  },
  {
    what: 'an XPath of cubic cost',
    ...slow(
      xpath('count(//*[count(//*[count(//*) > 0]) > 0])'),
      page(() => '<b>x</b>'.repeat(4_000)),
    ),
  },
  {
    what: '`^(a+)+$` on 40 characters',
    ...slow(
      regex('^(a+)+$'),
      page(() => `${'a'.repeat(40)}!`),
    ),
  },
  {
    what: '`\\s+$` on 200,000 spaces',
    ...slow(
      regex('\\s+$'),
      page(() => `${' '.repeat(200_000)}x`),
    ),
  },
  {
    what: '`match()` of such a pattern in a JSONPath',
    ...slow(
      jsonPath('$[?match(@, "(a+)+")]'),
      json(() => JSON.stringify({ a: `${'a'.repeat(40)}!` })),
    ),
  },
  {
    what: 'a JSONPath that outgrows the heap',
    serve: json(() => '['.repeat(150) + ']'.repeat(150)),
    extract: jsonPath('$..*..*..*..*'),
    comesTo: ['extract_memory', 'extract_timeout'],
    withinMs: 4_000,
  },
]

/** §3.1: what documents do to parsers. */
const DOCUMENTS: readonly BlowUp[] = [
  {
    what: 'HTML nested 5,000 deep, of which engines throw',
    ...complex(
      page(() => '<div>'.repeat(5_000)),
      /more than 512 deep/,
    ),
  },
  {
    what: 'HTML nested 100,000 deep, which cost 65 s',
    ...complex(
      page(() => '<div>'.repeat(100_000)),
      /more than 512 deep/,
    ),
  },
  {
    what: 'XML nested 200,000 deep, which cost 8.6 s',
    ...complex(
      page(() => '<d>'.repeat(200_000), 'application/xml'),
      /more than 512 deep/,
    ),
  },
  {
    what: 'one tag with 50,000 attributes, which cost 6.8 s',
    ...complex(
      page(() => `<p ${attributes(50_000)}>`),
      /more than 1,000 attributes/,
    ),
  },
  {
    what: 'a flat page of 5 MB and 625,000 tags, which cost 840 MB',
    ...complex(
      page(() => '<p>x</p>'.repeat(625_000)),
      /more than 200,000 elements/,
      FIVE,
    ),
    withinMs: 6_000,
  },
  {
    what: 'a flat page of 200,000 tags, as many as are read',
    ...harmless(
      FIVE,
      page(() => '<p>x</p>'.repeat(199_990)),
      'x',
    ),
    withinMs: 6_000,
  },
  {
    what: 'formatting elements that multiply in the parser',
    serve: page(() => Array.from({ length: 3_000 }, (_, i) => `<p><b a=${i}></p>`).join('')),
    // Of which the page has none, so that it is read to its end.
    extract: css('em'),
    comesTo: ['too_complex', 'extract_timeout', 'extract_memory'],
    withinMs: 4_000,
  },
  {
    what: 'JSON nested 5,000 deep under `$..a`',
    ...complex(
      json(() => '['.repeat(5_000) + ']'.repeat(5_000)),
      /more than 200 deep/,
      jsonPath('$..a'),
    ),
  },
  {
    what: 'JSON nested a million deep',
    ...complex(
      json(() => '['.repeat(1e6) + ']'.repeat(1e6)),
      /more than 200 deep/,
      jsonPath('$..a'),
    ),
  },
  {
    what: 'JSON of 300,000 values',
    ...complex(
      json(() => `[${'1,'.repeat(300_000)}1]`),
      /more than 200,000 values/,
      jsonPath('$[0]'),
    ),
  },
  {
    what: 'XML whose entities multiply',
    serve: page(
      () =>
        `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'
          .split('')
          .map((name, i) => `<!ENTITY ${name} "${`&${'abcdefghi'[i]};`.repeat(10)}">`)
          .join('')}]><r><p>&j;</p></r>`,
      'application/xml',
    ),
    extract: P,
    comesTo: 'success',
    withinMs: 2_000,
  },
]

/** §3.1 and §0: what servers do to clients. */
const SERVERS: readonly BlowUp[] = [
  {
    what: 'headers, a byte each 20 ms',
    serve: drip('HTTP/1.1 200 OK\r\nx-a: ', 'x', 20),
    extract: P,
    comesTo: 'timeout',
    says: /did not begin to answer/,
    withinMs: DEADLINE_MS + 800,
  },
  {
    what: 'a body, a byte each 20 ms, for which an idle timer never runs out',
    serve: drip('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 100000\r\n\r\n', 'x', 20),
    extract: P,
    comesTo: 'timeout',
    says: /began to answer and did not finish/,
    withinMs: DEADLINE_MS + 800,
  },
  {
    what: 'interim answers without end',
    serve: drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 5),
    extract: P,
    comesTo: 'connect_failed',
    says: /not valid HTTP/,
    withinMs: DEADLINE_MS + 800,
  },
  {
    what: 'nothing at all',
    serve: () => {},
    extract: P,
    comesTo: 'timeout',
    says: /did not begin to answer/,
    withinMs: DEADLINE_MS + 800,
  },
  {
    what: 'a body without end, as fast as it is read',
    serve: flood,
    extract: P,
    comesTo: 'too_large',
    says: /larger than 10 MiB/,
    withinMs: 3_000,
  },
  {
    what: 'a header of 20 KB',
    serve: answer('200 OK', '<p>x', { 'x-long': 'x'.repeat(20_000) }),
    extract: P,
    comesTo: 'too_large',
    says: /more than 16 KiB of response headers/,
    withinMs: 1_000,
  },
  {
    what: '1,000 header lines within 16 KiB',
    ...harmless(
      P,
      answer('200 OK', '<p>x', Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x${i}`, 'y']))),
      'x',
    ),
  },
  {
    what: 'a redirect to itself',
    serve: answer('302 Found', '', { location: '/' }),
    extract: P,
    comesTo: 'too_many_redirects',
    says: /in a loop/,
    withinMs: 1_000,
  },
  {
    what: 'redirects without end, each to another address',
    serve: (socket, request, nth) => answer('302 Found', '', { location: `/${nth}` })(socket, request, nth),
    extract: P,
    comesTo: 'too_many_redirects',
    says: /more than 5 times/,
    withinMs: 1_000,
  },
  {
    what: '500 MiB in half a megabyte of gzip',
    serve: packed('gzip', () => zlib.gzipSync(Buffer.alloc(500 * MIB), { level: 1 })),
    extract: P,
    comesTo: 'too_large',
    says: /unpacks to more than 10 MiB/,
    withinMs: 3_000,
  },
  {
    what: '500 MiB in sixteen kilobytes of zstd',
    serve: packed('zstd', () => zlib.zstdCompressSync(Buffer.alloc(500 * MIB))),
    extract: P,
    comesTo: 'too_large',
    says: /unpacks to more than 10 MiB/,
    withinMs: 3_000,
  },
  {
    what: 'a bomb in brotli, which is never asked for and never undone',
    serve: packed('br', () =>
      zlib.brotliCompressSync(Buffer.alloc(8 * MIB), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
    ),
    extract: P,
    comesTo: 'bad_encoding',
    says: /"br", which direct requests do not read/,
    withinMs: 1_000,
  },
  {
    what: 'seven layers of gzip',
    serve: packed(Array(7).fill('gzip').join(', '), () =>
      Array(7)
        .fill(0)
        .reduce<Uint8Array>((inner) => zlib.gzipSync(inner), Buffer.from('<p>x')),
    ),
    extract: P,
    comesTo: 'bad_encoding',
    says: /more than twice over/,
    withinMs: 1_000,
  },
]

/**
 * Every row of the blow-up table that plain HTTP can meet. Only a browser can meet the rest, and it is not part of this
 * table: the page 200,000 px tall, typed arrays without end, a million nodes made by script, `for(;;)`, popups. `V8
 * --enable-experimental-regexp-engine-on-excessive-backtracks` is a defence and no input. What rules that are too long
 * or nested too deeply come to when they are saved is beside the table, in blow-ups.test.ts.
 */
export const BLOW_UPS: readonly BlowUp[] = [...RULES, ...DOCUMENTS, ...SERVERS]
