import type { RemoteCommand } from './remote-command.ts'

export const NAMES = [
  '<names...>',
  'names, ids, or namespace/name of manifests; monitor/… or serpmonitor/… for one kind',
] as const
// Written again, because the question loads what --help need not wait for.
export const YES = { flags: '--yes', what: 'delete more than 10 monitors without a question' } as const
export const CHOSEN = [
  {
    flags: '--status <status>',
    what: 'only monitors of this status',
    choices: ['active', 'paused', 'billing_paused', 'error'],
  },
  { flags: '-l, --label <selector>', what: 'only monitors with these labels, as in env=prod,!archived' },
] as const
export const KIND = 'monitors or serpmonitors before the names, for one kind'
/** In place of the names, others may choose them. */
export const NAMES_OR_CHOSEN = ['[names...]', `${NAMES[1]}; ${KIND}`] as const

/** The commands that do the same to each monitor that is named or chosen. */
export const ACT_COMMANDS: readonly RemoteCommand[] = [
  {
    name: 'pause',
    summary: 'Pauses monitors. A run that is under way is completed.',
    isChange: true,
    argument: NAMES,
    examples: ['./tidemark pause kettle', './tidemark pause monitors kettle pot'],
    load: async () => (await import('./commands/act.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'Resumes monitors. The first run is at once.',
    isChange: true,
    argument: NAMES,
    examples: ['./tidemark resume kettle', './tidemark resume kettle -o name'],
    load: async () => (await import('./commands/act.ts')).resume,
  },
  {
    name: 'mute',
    summary: 'Mutes monitors: checks go on, and what fires is sent when the mute ends.',
    isChange: true,
    argument: NAMES_OR_CHOSEN,
    options: [
      { flags: '--for <duration>', what: 'how long, as in 30m, 2h or 7d (default: until you unmute them)' },
      { flags: '--until <time>', what: 'the end in place of --for, such as 2026-12-01T08:00:00Z' },
      { flags: '--reason <text>', what: 'why, for those who see the monitor' },
      { flags: '--drop', what: 'what fires is never sent' },
      ...CHOSEN,
    ],
    notes:
      'What fires is sent as one digest for each destination. A plain webhook and the services custom and\n' +
      'cloudevents get their own messages. --label and --status mean the monitors that match now. --for counts\n' +
      'by the clock of this machine.',
    examples: [
      './tidemark mute kettle --for 2h',
      './tidemark mute --label env=prod --for 30m --reason "a new version"',
      './tidemark mute serpmonitor/rank --until 2036-12-01T08:00:00Z --drop',
    ],
    load: async () => (await import('./commands/mute.ts')).mute,
  },
  {
    name: 'unmute',
    summary: 'Ends the mute of monitors. All that waited is sent.',
    isChange: true,
    argument: NAMES_OR_CHOSEN,
    options: CHOSEN,
    examples: ['./tidemark unmute kettle', './tidemark unmute --label env=prod'],
    load: async () => (await import('./commands/mute.ts')).unmute,
  },
  {
    name: 'run',
    summary: 'Runs monitors now.',
    isChange: true,
    argument: NAMES,
    options: [
      { flags: '--wait', what: 'wait until the runs have ended, and show them; exits with 1 where one failed' },
      { flags: '--timeout <seconds>', what: 'how long to wait', most: 86_400, default: 300 },
    ],
    examples: ['./tidemark run kettle', './tidemark run kettle --wait', './tidemark run kettle --wait --json'],
    load: async () => (await import('./commands/run.ts')).run,
  },
  {
    name: 'delete',
    summary: 'Deletes monitors. A run of theirs can be read by its id only.',
    isChange: true,
    argument: NAMES,
    options: [{ flags: '--ignore-not-found', what: 'a monitor that does not exist is no error' }, YES],
    examples: ['./tidemark delete pot', './tidemark delete serpmonitor/gone --ignore-not-found'],
    load: async () => (await import('./commands/act.ts')).remove,
  },
]
