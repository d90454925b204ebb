import { namedTexts } from '../../core/message/render-message.ts'
import { sign } from '../../core/signature.ts'
import { bodyRemark } from '../../schema/message/body-remark.ts'
import { bodyTemplate, type Template } from '../../schema/message/message-template.ts'
import { isSecretOption, isServiceName, SERVICE_TABLE } from '../../schema/monitor/delivery-services.ts'
import { maskedOptions } from '../../schema/monitor/mask.ts'
import type { Links } from '../messages/links.ts'
import { type MessagePayload, type NoticeMessage, readPayload } from '../messages/message-payload.ts'
import { messageStory } from '../messages/message-story.ts'
import { valuesOf } from '../messages/worded-story.ts'
import { SERVICES } from '../services/services.ts'
import { type ChannelRequest, wireOf } from './channel-request.ts'
import { type Channel, channelOf } from './channel.ts'
import { post, type PostOptions } from './post.ts'
import { NO_MESSAGE } from './prepare-chat.ts'
import { sentSecrets } from './safe-text.ts'
import { signedHeaders } from './signed-headers.ts'
import { createWebhookChannel, NO_SECRET } from './webhook.ts'

/** The parts that a service channel uses. */
interface ServiceOptions extends PostOptions {
  readonly links: Links
}

/**
 * Sends to the service that a destination names: one signed request, which the service's file writes. A destination
 * without one gets the payload.
 */
export function createServiceChannel(options: ServiceOptions): Channel<'webhook'> {
  const webhook = createWebhookChannel(options)
  return channelOf(async (message) => {
    const { id, team, config, payload: text, secrets, named, digest, notice = null } = message
    const { service: name, options: given = {}, url: address, headers: configured } = config
    if (name === undefined) return webhook.prepare(message)
    if (!isServiceName(name)) return { kind: 'impossible', message: NO_MESSAGE }
    // No monitor's secret signs for several.
    const isSigned = digest === undefined || digest.monitors === 1
    if (isSigned && secrets.length === 0) return { kind: 'impossible', message: NO_SECRET }
    const payload = readPayload(text)
    if (payload === null) return { kind: 'impossible', message: NO_MESSAGE }
    const service = SERVICES[name]
    const story = messageStory(payload, options.links, { message: config.message, named, digest })
    const { limit } = SERVICE_TABLE[name]
    const { method = 'POST', body: own } = config
    const body =
      own === undefined
        ? null
        : { template: bodyTemplate(own), named: namedTexts(valuesOf(marked(payload), story, { named })) }
    const input = { id, url: address, story, payload, text, notice, limit, body, method }
    const written = service.request({ ...input, options: given })
    const signature = isSigned ? sign(secrets, Math.floor(Date.now() / 1000), written.body) : null
    const headers = signedHeaders({ configured, signature, notice, own: written.headers })
    const request: ChannelRequest = { ...written, headers }
    const secretOptions = Object.entries(given).flatMap(([key, value]) => (isSecretOption(name, key) ? [value] : []))
    const hidden = [...secretOptions, ...(body === null ? [] : keysIn(body.template, own ?? ''))]
    const shownBody = () => service.request({ ...input, options: maskedOptions(name, given) }).body
    const read = service.read?.bind(service)
    const sent = () => sentSecrets({ url: request.url, headers: configured, signature, options: hidden })
    return {
      kind: 'request',
      request,
      shownBody,
      isOwnBody: own !== undefined,
      warnings: () => warningsOf(own),
      send: (ctx) => post(options, { id, team, ...wireOf(request), waits: true, read, secrets: sent }, ctx),
    }
  })
}

/** Returns what should be known of a body that the user has written. */
function warningsOf(body: string | undefined): readonly string[] {
  const remark = body === undefined ? null : bodyRemark(body)
  return remark === null ? [] : [`body ${remark}`]
}

/** In a body of the user's, a test is known by the name of its monitor. */
const marked = (payload: MessagePayload | NoticeMessage): MessagePayload | NoticeMessage =>
  'type' in payload || !payload.test
    ? payload
    : { ...payload, monitor: { ...payload.monitor, name: `Test: ${payload.monitor.name}` } }

/** A part of a body that is at least this long counts as a key, as in paths. */
const KEY = /[\w.~+/=-]{16,}/g

/** Returns what a user wrote into a body that may be a key or a password. */
function keysIn({ parts, isJson }: Template, body: string): readonly string[] {
  const words = parts.flatMap((part) => ('raw' in part ? (part.raw.match(KEY) ?? []) : []))
  const texts: string[] = []
  if (isJson)
    JSON.parse(body, (_name, value: unknown) => {
      if (typeof value === 'string' && !value.includes('{{')) texts.push(value)
      return value
    })
  return [...words, ...texts]
}
