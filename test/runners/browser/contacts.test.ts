import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { htmlOf, renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'

/** Where somebody listens who must not be contacted: loopback, and each address of this machine. */
const PRIVATE = ['127.0.0.1', ...ownAddresses()]

interface Listener {
  readonly host: string
  readonly tcp: number
  readonly udp: number
}

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000 })

let site: Site
let browsers: Browsers
const listeners: Listener[] = []
const contacts: string[] = []
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  // The site itself is on an address of its own, the only one that is open.
  site = await openSite({ address: '127.0.0.2', otherwise: status(404) })
  browsers = testBrowsers({ egress: createPolicy({ allowPrivateCidrs: ['127.0.0.2/32'], neverAllow: [] }) })
  for (const host of PRIVATE) listeners.push({ host, tcp: await listenTcp(host), udp: await listenUdp(host) })
})

afterAll(async () => {
  await browsers.close()
  await Promise.all([site[Symbol.asyncDispose](), ...closers.map((close) => close())])
})

test('a hostile page reaches nothing but through the proxy, and nothing private through it', async () => {
  const targets = listeners.map(({ host, tcp, udp }) => ({ host: inUrl(host), tcp, udp }))
  site.page('/', hostile(targets))
  for (let round = 0; round < ROUNDS; round++)
    expect(htmlOf(await renderOne(browsers, `${site.origin}/`))).toContain('all was tried')
  expect(contacts).toEqual([])
  const { proxy } = browsers.current() ?? {}
  expect(proxy?.counts.denied).toBeGreaterThan(ROUNDS * 10)
})

test('the listeners do count, each of them, and all are there that were to be', async () => {
  contacts.length = 0
  for (const { host, tcp } of listeners) await fetch(`http://${inUrl(host)}:${tcp}/`).catch(() => undefined)
  expect(new Set(contacts)).toEqual(new Set(PRIVATE.map((host) => `tcp ${host}`)))
  expect(PRIVATE).toEqual(expect.arrayContaining(ADDRESSES))
})

const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host)
/** That this machine must have. */
const ADDRESSES = (process.env['TIDEMARK_TEST_CONTACT_ADDRESSES'] ?? '').split(' ').filter((address) => address !== '')

/** More of them are in `npm run faults`, in a network namespace where cloud metadata is one step away. */
const ROUNDS = Number(process.env['TIDEMARK_TEST_CONTACT_ROUNDS'] ?? 3)

/** Every way that elements have to contact an address. */
const waysOfTags = (url: string) => `
  <link rel="preconnect" href="${url}"><link rel="dns-prefetch" href="${url}">
  <link rel="preload" as="image" href="${url}/a"><link rel="prefetch" href="${url}/b">
  <link rel="stylesheet" href="${url}/c.css"><link rel="icon" href="${url}/icon">
  <img src="${url}/d"><img srcset="${url}/e 2x">
  <script src="${url}/f.js" async></script><script type="module" src="${url}/g.mjs"></script>
  <iframe src="${url}/h"></iframe><object data="${url}/i"></object><embed src="${url}/j">
  <video src="${url}/k" autoplay></video><audio src="${url}/l" autoplay></audio>
  <input type="image" src="${url}/m">
  <style>
    @import url(${url}/n.css);
    @font-face { font-family: F; src: url(${url}/o) }
    p { font-family: F; background: url(${url}/p) }
  </style>
  <svg><image href="${url}/q"/></svg><a href="${url}/r" ping="${url}/s">x</a>
  <form action="${url}/t" method="post" target="made"></form>`

/** Every way that a page has to contact somebody. */
function hostile(targets: readonly { host: string; tcp: number; udp: number }[]): string {
  const urls = targets.flatMap(({ host, tcp }) => [`http://${host}:${tcp}`, `https://${host}:${tcp}`])
  const tags = urls.map(waysOfTags)
  return `<!doctype html><meta charset="utf-8"><p id="p">begun</p>${tags.join('')}<script>
    const quiet = (work) => { try { Promise.resolve(work()).catch(() => 0) } catch {} }
    const targets = ${JSON.stringify(targets)}
    for (const { host, tcp, udp } of targets) {
      for (const scheme of ['http', 'https']) {
        const url = scheme + '://' + host + ':' + tcp
        quiet(() => fetch(url))
        quiet(() => fetch(url, { mode: 'no-cors', method: 'POST', body: 'x', keepalive: true }))
        quiet(() => { const x = new XMLHttpRequest(); x.open('GET', url); x.send() })
        quiet(() => new WebSocket(url.replace('http', 'ws')))
        quiet(() => new EventSource(url))
        quiet(() => navigator.sendBeacon(url, 'x'))
        quiet(() => window.open(url))
        quiet(() => window.open('view-source:' + url))
        quiet(() => new Worker(url + '/w.js'))
        quiet(() => new SharedWorker(url + '/w.js'))
        quiet(() => navigator.serviceWorker.register(url + '/sw.js'))
        quiet(() => import(url + '/m.js'))
        quiet(() => new Image().src = url)
        const work = 'fetch("' + url + '", { mode: "no-cors" }); new WebSocket("' + url.replace('http', 'ws') + '")'
        quiet(() => new Worker(URL.createObjectURL(new Blob([work]))))
      }
      quiet(() => new WebTransport('https://' + host + ':' + udp))
      quiet(() => new WebTransport('https://' + host + ':' + tcp))
      quiet(async () => {
        const ends = ['', '?transport=tcp']
        const at = (scheme, port) => ends.map((end) => scheme + host + ':' + port + (scheme === 'turn:' ? end : ''))
        const ice = ['stun:', 'turn:'].flatMap((scheme) => [udp, tcp].flatMap((port) => at(scheme, port)))
        const iceServers = ice.map((urls) => ({ urls, username: 'u', credential: 'c' }))
        const peer = new RTCPeerConnection({ iceServers })
        peer.createDataChannel('x')
        const candidate = 'candidate:1 1 udp 1 ' + host + ' ' + udp + ' typ host'
        peer.addIceCandidate({ candidate, sdpMid: '0' }).catch(() => 0)
        await peer.setLocalDescription(await peer.createOffer())
      })
      quiet(() => {
        const f = document.createElement('iframe')
        const at = 'http://' + host + ':' + tcp
        f.srcdoc = '<img src="' + at + '/z"><meta http-equiv=refresh content="0;url=' + at + '/y">'
        document.body.append(f)
      })
      quiet(() => document.forms[0].submit())
    }
    setTimeout(() => { p.textContent = 'all was tried' }, 400)
  </script>`
}

async function listenTcp(host: string): Promise<number> {
  const server: Server = createServer((socket) => {
    contacts.push(`tcp ${host}`)
    socket.on('error', () => undefined)
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  closers.push(() => new Promise((resolve) => server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

async function listenUdp(host: string): Promise<number> {
  const socket: UdpSocket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', () => void contacts.push(`udp ${host}`))
  await new Promise<void>((resolve) => socket.bind(0, host, resolve))
  closers.push(() => new Promise((resolve) => socket.close(() => resolve())))
  return socket.address().port
}

/** Private ones that the machine has, on loopback too: a network namespace is given them there (test/hostile). */
function ownAddresses(): string[] {
  const isPrivate = /^(?:10\.|172\.|192\.168\.|169\.254\.|100\.100\.|fd00:ec2:)/
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .flatMap(({ address }) => (isPrivate.test(address) ? [address] : []))
}
