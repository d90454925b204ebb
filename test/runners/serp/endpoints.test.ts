import { describe, expect, test } from 'vitest'
import { fromEndpoint, readEndpoints, toEndpoint } from '../../../runners/serp/endpoints.ts'

describe('the origins that stand for engines', () => {
  test('are read from JSON, and a fault is a sentence', () => {
    expect(readEndpoints('{"google":"http://127.0.0.1:9000/"}')).toEqual({ google: 'http://127.0.0.1:9000' })
    expect(readEndpoints(undefined)).toEqual({})
    expect(readEndpoints('{')).toContain('must be JSON')
    expect(readEndpoints('{"lycos":"http://a"}')).toContain('lycos')
    expect(readEndpoints('{"bing":"ftp://a"}')).toContain('bing')
    expect(readEndpoints('{"bing":"http://a/path"}')).toContain('bing')
  })

  test('replace the hosts of their engine, those for consent included, and no others', () => {
    const endpoints = { google: 'http://127.0.0.1:9000' }
    expect(toEndpoint('https://consent.google.de/save?a=b', 'google', endpoints)).toBe('http://127.0.0.1:9000/save?a=b')
    expect(toEndpoint('https://cloud.google.com/run', 'google', endpoints)).toBe('https://cloud.google.com/run')
    expect(toEndpoint('https://www.bing.com/search', 'bing', endpoints)).toBe('https://www.bing.com/search')
    const own = 'https://www.google.com/search?q=x'
    expect(fromEndpoint('http://127.0.0.1:9000/sorry/index', own, endpoints.google)).toBe(
      'https://www.google.com/sorry/index',
    )
    expect(fromEndpoint('https://example.com/', own, endpoints.google)).toBe('https://example.com/')
  })
})
