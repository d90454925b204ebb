import type { FastifyReply, FastifyRequest } from 'fastify'
import { setImmediate } from 'node:timers/promises'
import { closedSignal } from './at-work.ts'
import { BODY_LIMITS, bodyLimitOf } from './body-limits.ts'
import type { RequestBounds } from './request-bounds.ts'
import type { Answer, Picture, Route } from './route.ts'

/**
 * Waits until the body of a request may be received, where it may be larger than the default. The bytes are given back
 * with the end of the answer. A body that is too large is refused without a wait.
 */
export async function receiveInTurn(
  requests: RequestBounds,
  route: Route,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<void> {
  const most = bodyLimitOf(route)
  if (most <= BODY_LIMITS.default || request.principal === null) return
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  const bytes = coding === undefined ? Number(length ?? 0) : most
  if (bytes <= BODY_LIMITS.default || bytes > most) return
  const giveBack = await requests.take('bodies', request.principal.teamId, bytes, () => closedSignal(raw))
  onceEnded(raw, () => void othersFirst(requests).then(giveBack))
}

interface Handled {
  readonly route: Route
  readonly principal: FastifyRequest['principal']
  readonly response: FastifyReply['raw']
}

/** What is known of a request whose turn it is. */
export interface Turn {
  isLarge: boolean
}

/**
 * Handles a request when it is the turn of its team, until its answer is given to the connection. Routes that do work
 * have their own slots (`WORK`), and those for everybody are limited by address.
 */
export async function inTurn(
  requests: RequestBounds,
  { route, principal, response }: Handled,
  handle: (turn: Turn) => Promise<void>,
): Promise<void> {
  const turn = { isLarge: false }
  if (principal === null || ('work' in route && route.work)) return handle(turn)
  const leave = await requests.take('handling', principal.teamId, 1, () => closedSignal(response))
  try {
    await handle(turn)
  } finally {
    if (turn.isLarge) void othersFirst(requests).then(leave)
    else leave()
  }
}

/** Lets the event loop accept connections and read from them. */
async function othersFirst({ limits }: RequestBounds): Promise<void> {
  for (let round = 0; round < limits.roundsAfterLarge; round += 1) await setImmediate()
}

/**
 * Sends a text. A large one is counted until the client has it, and the client has a limited time for that. Where too
 * many are under way, reading is refused. What has changed something is not: its connection is ended, so that nobody
 * takes it for a change that was refused.
 */
export async function sendText(
  requests: RequestBounds,
  { principal, method, raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  { type, content, turn }: NonNullable<Answer['text']> & { readonly turn: Turn },
): Promise<void> {
  reply.type(`${type}; charset=utf-8`)
  const { largeAnswerBytes, takeMs } = requests.limits
  if (principal === null || content.length <= largeAnswerBytes) {
    void reply.send(content)
    return
  }
  turn.isLarge = true
  const bytes = Buffer.from(content)
  try {
    const giveBack = await requests.take('answers', principal.teamId, bytes.length, () => closedSignal(reply.raw))
    untilTaken({ socket, response: reply.raw, takeMs, giveBack })
    void reply.send(bytes)
  } catch (error) {
    if (method !== 'GET') socket.destroy()
    throw error
  }
}

/** Reads a picture when there is room for it. It is counted until the client has it, as a large text is. */
export async function readPicture(
  requests: RequestBounds,
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  { type, teamId, bytes, read }: Picture,
): Promise<NonNullable<Answer['bytes']>> {
  const giveBack = await requests.take('pictures', teamId, bytes, () => closedSignal(reply.raw))
  untilTaken({ socket, response: reply.raw, takeMs: requests.limits.takeMs, giveBack })
  return { type, content: await read() }
}

interface Taking {
  readonly socket: FastifyRequest['raw']['socket']
  readonly response: FastifyReply['raw']
  readonly takeMs: number
  giveBack(): void
}

/** Gives bytes back when the client has the answer, and ends the connection of one that takes too long. */
function untilTaken({ socket, response, takeMs, giveBack }: Taking): void {
  const timer = setTimeout(() => socket.destroy(), takeMs)
  onceEnded(response, () => {
    clearTimeout(timer)
    giveBack()
  })
}

/** Calls the function once: when the answer is sent, or its connection is gone. */
function onceEnded(response: FastifyReply['raw'], end: () => void): void {
  const ended = (): void => {
    response.off('finish', ended).off('close', ended)
    end()
  }
  if (response.destroyed) end()
  else response.once('finish', ended).once('close', ended)
}
