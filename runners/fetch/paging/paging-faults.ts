import type { RunFault, RunFaultCode } from '../../../schema/run/run-fault.ts'

/** Returns a fault that names the page where it happened. The pages before are not saved. */
export function pageFault(number: number, { code, message }: RunFault): RunFault {
  return { code, message: `Page ${number}: ${message}`.slice(0, 1_000) }
}

export function nextFault(number: number, code: RunFaultCode, why: string): RunFault {
  return pageFault(number, { code, message: `The next page cannot be requested: ${why}` })
}

/** The list has more pages than may be requested. */
export function cutShort(maxPages: number, count: number): RunFault {
  const pages = maxPages === 1 ? '1 page' : `${maxPages} pages`
  return {
    code: 'too_large',
    message:
      `The list goes on after ${pages} (${count} items), where pagination.max_pages cuts it off; a part of a list ` +
      `is not saved. ` +
      'Raise max_pages (at most 50), ask for larger pages, or name total_path or has_more_path so that the end is ' +
      'known.',
  }
}

/** All pages share the limits of one response. */
export function pagesTooLarge(number: number, maxBytes: number): RunFault {
  const message =
    `The pages together are larger than ${Math.floor(maxBytes / 1_048_576)} MiB. Ask for fewer items or fields, or ` +
    `fewer pages.`
  return pageFault(number, { code: 'too_large', message })
}

export function pagesTooSlow(number: number, deadlineMs: number): RunFault {
  const message =
    `The time for all pages together, ${Math.round(deadlineMs / 1_000)} seconds, ran out. Ask for fewer and larger ` +
    `pages.`
  return pageFault(number, { code: 'timeout', message })
}
