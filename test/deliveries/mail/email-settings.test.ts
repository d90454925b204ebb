import { describe, expect, test } from 'vitest'
import { mailerOf } from '../../../boot/parts/mail.ts'
import { readSettings } from '../../../boot/settings/read-config.ts'
import { parseMailServer } from '../../../core/mail-server.ts'

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, auth: null, requireTls: false }],
    ['smtps://mail.example.com/', { port: 465, secure: true }],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, auth: null }],
    ['smtp://[::1]:25', { host: '::1', port: 25 }],
    ['smtp://ada%40x:p%3Aw@mail', { auth: { user: 'ada@x', pass: 'p:w' }, requireTls: true, ignoreTls: false }],
    ['smtp://a:b@mail?ignoreTLS=true', { requireTls: false, ignoreTls: true }],
    ['smtp://mail?requireTLS=true&tls.rejectUnauthorized=false', { requireTls: true, verifyCertificate: false }],
  ])('%s names a mail server', (url, server) => {
    const parsed = parseMailServer(url)
    expect(parsed.ok && parsed.server).toMatchObject(server)
  })

  test.each([
    ['http://mail.example.com', /^must be an smtp:\/\/ or smtps:\/\/ address/],
    ['mail.example.com:587', /^must be an smtp/],
    ['smtp:mail', /^must be an smtp/],
    ['smtp://', /^must name the host/],
    ['smtp://a:b@/', /^must/],
    ['smtp://ma il', /^must/],
    ['smtp://secret@ma$il', /^must name the host/],
    ['smtp://mail:0', /^must end with the port/],
    ['smtp://mail:99999', /^must be an smtp/],
    ['smtp://mail/path', /^must end with the port/],
    ['smtp://a:sec%zzret@mail', /^has a %/],
    ['smtp://mail?pool=true', /^accepts after \? only/],
    ['smtp://mail?logger=true', /^accepts after \? only/],
    ['smtp://mail?requireTLS=yes', /^accepts after \? only/],
  ])('%s stops the start with a reason that does not repeat it', (url, reason) => {
    expect(() => readSettings({ SMTP_URL: url, SMTP_FROM: 'a@b.test' })).toThrow(/ {2}SMTP_URL /)
    const parsed = parseMailServer(url)
    expect(!parsed.ok && parsed.message).toMatch(reason)
    expect(JSON.stringify(parsed)).not.toMatch(/sec(?:ret|%)/)
  })

  test('needs SMTP_FROM, which has to be one address', () => {
    const url = 'smtp://mail.example.com'
    expect(() => readSettings({ SMTP_URL: url })).toThrow(/SMTP_FROM is required with SMTP_URL/)
    expect(() => readSettings({ SMTP_URL: url, SMTP_FROM: 'a@b.test\r\nBcc: c@z.test' })).toThrow(
      /SMTP_FROM must be one e-mail address/,
    )
    expect(() => readSettings({ SMTP_URL: url, SMTP_FROM: 'Ada <a@b.test>' })).toThrow(
      /SMTP_FROM must be one e-mail address/,
    )
    expect(readSettings({ SMTP_URL: url, SMTP_FROM: 'a@b.test' })).toMatchObject({
      SMTP_URL: url,
      SMTP_FROM: 'a@b.test',
    })
  })

  test('is missed once in the log, and its password never there', () => {
    const log: string[] = []
    const write = (...parts: unknown[]) => void log.push(JSON.stringify(parts))
    expect(mailerOf(readSettings({}), { info: write, warn: write })).toBeNull()
    expect(log).toEqual([expect.stringContaining('SMTP_URL is not set')])
    mailerOf(readSettings({ SMTP_URL: 'smtp://ada:secret@mail', SMTP_FROM: 'a@b.test' }), {
      info: write,
      warn: write,
    })?.close()
    expect(log).toHaveLength(2)
    expect(log.join()).not.toContain('secret')
  })
})
