import Type from 'typebox'
import { Choice, Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** Browsers and runners, and the slots of a worker. */
export const BROWSER_SETTINGS = {
  TIDEMARK_BROWSER_PAGES: Whole(0, 100, {
    default: 4,
    description:
      'Pages that one process renders at the same time; see docs/browser.md. 0: this process renders ' +
      'nothing, and runners must.',
  }),
  TIDEMARK_RUNNER_API_PORT: Optional(
    Whole(0, 65_535, {
      description:
        'Port of the runner API, through which runners claim checks from a worker; see docs/browser.md. ' +
        'Unset: no runner API.',
    }),
  ),
  TIDEMARK_RUNNER_API_URL: Optional(
    Text(
      1,
      2048,
      'Address of the runner API, for a runner. Example: http://tidemark-worker:8081. Required by the command runner.',
    ),
  ),
  TIDEMARK_RUNNER_TOKEN: Optional(
    Text(
      1,
      256,
      'Authentication token of a runner, from "tidemark admin create-runner-token". One that is renewed is kept in ' +
        'its file, in a folder that the runner may write to.',
    ),
  ),
  TIDEMARK_RUNNER_IDLE_SECONDS: Whole(0, 86_400, {
    default: 0,
    description: 'Seconds without work after which a runner exits with code 0. 0: never.',
  }),
  TIDEMARK_RUNNER_TEMPLATE: Optional(
    Text(
      1,
      253,
      'Name of the PodTemplate, in the namespace of the operator, that it starts runner pods from; see ' +
        'docs/runners.md. Unset: the operator starts none.',
    ),
  ),
  TIDEMARK_RUNNER_SLOTS: Whole(1, 100, {
    default: 4,
    description: 'Checks of one runner pod at the same time, for the operator.',
  }),
  TIDEMARK_RUNNER_MAX: Whole(0, 1000, {
    default: 10,
    description: 'Runner pods that the operator starts at most, at the same time. 0: none.',
  }),
  TIDEMARK_RUNNER_CHECKS: Whole(1, 100_000, {
    default: 100,
    description:
      'Checks that one runner pod may claim in all; then it ends. A pod that a page took over gets no more than these.',
  }),
  TIDEMARK_RUNNER_LIFETIME_SECONDS: Whole(60, 86_400, {
    default: 3600,
    description: 'Seconds after which the token of a runner pod expires. The pod ends before that.',
  }),
  TIDEMARK_RUNNER_START_SECONDS: Whole(10, 3600, {
    default: 300,
    description: 'Seconds after which the operator gives up a runner pod that does not run; see docs/runners.md.',
  }),
  CHROMIUM_PATH: Optional(
    Text(1, 1024, 'Chromium program to use. Unset: the embedded one; on platforms without it, an installed one.'),
  ),
  TIDEMARK_CHROMIUM_SANDBOX: Choice(['required', 'auto'], {
    default: 'required',
    description:
      'required: no page is rendered where the kernel does not allow the sandbox of the browser. auto: it runs ' +
      'without one there, in another container, which TIDEMARK_BROWSER_SOCKET leads to; see docs/runners.md.',
  }),
  TIDEMARK_BROWSER_SOCKET: Optional(
    Text(
      1,
      100,
      'Unix socket of "tidemark browser", which starts the browsers of a runner in another container. Unset: ' +
        'browsers are started by the process that uses them.',
    ),
  ),
  TIDEMARK_CHECK_CONCURRENCY: Whole(1, 10_000, {
    default: 128,
    description:
      'Concurrent static checks in one worker. Unless a team is alone, it leaves slots to the others: a quarter if ' +
      'its checks are quick, most of them if its sites do not answer.',
  }),
}
