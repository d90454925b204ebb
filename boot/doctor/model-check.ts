import { createModelFetch } from '../../worker/prompts/model/model-fetch.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { faultCode } from './fault-code.ts'
import { failed, notSetUp, ok, warning } from './finding.ts'

const ANSWER_MS = 8_000
const MAX_BYTES = 1_000_000

export const modelCheck: DoctorCheck = {
  limitMs: ANSWER_MS + 2_000,
  reads: ['LLM_BASE_URL', 'LLM_API_KEY'],
  async look({ settings: { LLM_BASE_URL: url, LLM_API_KEY: key, LLM_MODEL: name } }) {
    if (url === undefined)
      return notSetUp(
        'LLM_BASE_URL is not set: prompts are not answered.',
        'Set it for monitors with the method prompt.',
      )
    const keyed = key === undefined ? 'No key is set' : 'A key is set'
    const { fetch: ask, close } = createModelFetch({ connections: 1, maxBytes: MAX_BYTES })
    try {
      // Neither the key nor a prompt is sent, so that nothing is paid for. Any answer shows that there is a server.
      const { status } = await ask(url, { signal: AbortSignal.timeout(ANSWER_MS) })
      const what = `The address of LLM_BASE_URL answers (${status}). ${keyed}; the model is ${JSON.stringify(name)}.`
      return status >= 500 ? warning(what, 'See the log of the server of the model.') : ok(what)
    } catch (error) {
      return failed(
        `The address of LLM_BASE_URL does not answer (${faultCode(error)}). ${keyed}.`,
        'Start the server of the model, or correct LLM_BASE_URL.',
      )
    } finally {
      await close()
    }
  },
}
