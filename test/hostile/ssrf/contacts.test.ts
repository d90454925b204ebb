import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { describeIf } from '../../support/run/skip.ts'
import type { PlaceReport, Report } from './report.ts'

const SCRIPT = fileURLToPath(new URL('in-namespace.ts', import.meta.url))
/** As root, or as anybody where the system lets everybody have namespaces. */
const UNSHARE = [['-n'], ['-rn']].find(
  (flags) => spawnSync('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' }).status === 0,
)

let report: Report

describeIf(UNSHARE !== undefined, 'on Linux, as root or with user namespaces, with unshare and ip installed')(
  'with every private address one step away',
  () => {
    beforeAll(() => {
      const { stdout, stderr, status } = spawnSync('unshare', [...(UNSHARE ?? []), process.execPath, SCRIPT], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '' },
        maxBuffer: 64 * 1024 * 1024,
        timeout: 60_000,
      })
      if (status !== 0) throw new Error(`the process in the namespace ended with ${status}: ${stderr}`)
      report = JSON.parse(stdout) as Report
    })

    const place = (name: string): PlaceReport => {
      const found = report.places[name]
      if (!found) throw new Error(`${name} was not tried`)
      return found
    }
    const outcomesBut = (name: string, expected: RegExp) =>
      Object.entries(place(name).outcomes).filter(([, outcome]) => !expected.test(outcome))

    test('who comes is counted, at loopback and at each cloud and private address', () => {
      expect(report.counted.length).toBeGreaterThan(60)
      expect(report.counted).toEqual(
        expect.arrayContaining([
          '127.0.0.1',
          '::1',
          '10.0.0.0',
          '169.254.169.254',
          '168.63.129.16',
          '100.100.100.200',
          'fd00:ec2::254',
          '2002:7f00:1::',
          '64:ff9b::7f00:1',
        ]),
      )
    })

    test.each([
      'monitor URL',
      'redirect of a monitor',
      'page that leads on',
      'next page by next_url',
      'next page by link_header',
      'webhook URL',
      'redirect of a webhook',
      'slack URL',
      'redirect of a slack',
      'discord URL',
      'redirect of a discord',
    ])('%s: of all vectors none makes a contact', (name) => {
      expect(place(name).tried).toBeGreaterThan(150)
      expect(place(name).contacts).toEqual({})
    })

    test('a run says that its target is not allowed, whether the URL or a redirect leads there', () => {
      expect(outcomesBut('monitor URL', /^target_not_allowed .+\.$/)).toEqual([
        ['http://nothing.example/', expect.stringMatching(/^dns_failed .+\.$/)],
        ['http://hanging.example/', expect.stringMatching(/^timeout .+\.$/)],
      ])
      expect(
        outcomesBut('redirect of a monitor', /^(?:target_not_allowed|bad_redirect|dns_failed|timeout) .+\.$/),
      ).toEqual([])
      expect(new Set(outcomesBut('page that leads on', /^$/).map(([, outcome]) => outcome))).toEqual(
        new Set(['{"it":"page"} ']),
      )
    })

    test.each(['next_url', 'link_header'])(
      'a list whose next page is elsewhere by %s is no list that ends here',
      (type) => {
        // An empty address is the end of a list.
        expect(outcomesBut(`next page by ${type}`, /^[a-z_]+ .+\.$/)).toEqual([['', '{"it":["page"]} ']])
      },
    )

    test.each(['webhook', 'slack', 'discord'])(
      'an attempt at a %s fails, and a redirect is an answer that is not followed',
      (type) => {
        expect(outcomesBut(`${type} URL`, /^(?:impossible|no_answer)$/)).toEqual([])
        expect(outcomesBut(`redirect of a ${type}`, /^answered 30[12378]$/)).toEqual([])
      },
    )

    test('a name that moves to loopback after vetting is asked where it was vetted, and then refused', () => {
      const { contacts, outcomes } = place('rebinding')
      expect(contacts).toEqual({ '::ffff:93.184.216.34 8888': 1 })
      expect(outcomes).toEqual({ first: '{"it":"secret"} ', second: expect.stringMatching(/^target_not_allowed /) })
    })
  },
)
