import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { type ModelServer, openModelServer } from '../../worker/prompts/model-server.ts'

let model: ModelServer
let browsers: Browsers
let watching: Watching
beforeAll(async () => {
  model = await openModelServer()
  browsers = testBrowsers()
  watching = await startWatching({ browsers, model: { LLM_BASE_URL: model.baseUrl } })
})
afterAll(async () => {
  await watching.close()
  await browsers.close()
  await model[Symbol.asyncDispose]()
})

/** A page whose text is made by a script. */
const shell = (text: string) =>
  `<!doctype html><title>Shop</title><div id="root"></div>
   <script>setTimeout(() => { document.getElementById('root').innerHTML = '<p>${text}</p>' }, 50)</script>`
const PROMPT = { extract_config: { method: 'prompt', prompt: 'What does it cost?' } }

test.each(['browser', 'auto'])('under fetch_mode %s the model reads what a script wrote', async (fetch_mode) => {
  model.questions.length = 0
  model.says('€ 42')
  const { baseline } = await watching.watch(shell(`It costs 42 EUR, ${fetch_mode}`), {
    ...PROMPT,
    fetch_mode,
    diff_predicate: { type: 'any_field_changes' },
  })
  expect(baseline).toMatchObject({ status: 'success', fetch_method: 'browser', extracted: { result: '€ 42' } })
  expect(model.questions.map(({ text }) => text)).toEqual([expect.stringContaining(`It costs 42 EUR, ${fetch_mode}`)])
})
