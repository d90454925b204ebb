import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import { ACT_COMMANDS, CHOSEN, KIND, NAMES, NAMES_OR_CHOSEN, YES } from './act-commands.ts'
import type { RemoteCommand } from './remote-command.ts'
import { SESSION_COMMANDS } from './session-commands.ts'

const ONE = 'a name, an id, or namespace/name of a manifest'
const LIMIT = { flags: '--limit <number>', what: 'how many', most: 10_000, default: 20 } as const
// Written again, because the definitions take a quarter of a second to load, which --help would wait for.
const STATUSES: readonly DeliveryStatus[] = ['pending', 'success', 'failed', 'dead']
const INPUT = [
  { flags: '-f, --filename <path>', what: 'a file, a folder, or - for standard input; can be repeated', isList: true },
  { flags: '--secrets <file>', what: 'a file with Secret documents for the references of the manifests' },
  { flags: '--set <name>', what: 'the name of this set of manifests, which --prune deletes from', default: 'default' },
  { flags: '--prune', what: 'delete the monitors that an earlier apply of this set made and no manifest declares' },
] as const
const INPUT_NOTES =
  'A manifest is a Monitor or a SerpMonitor as for Kubernetes. Namespace and name identify the record, in its\n' +
  'external_key. References to Secrets are resolved from Secret documents beside them, from --secrets, and from\n' +
  'variables: the key webhook of the Secret chat is SECRET_CHAT_WEBHOOK.'

/** The commands over REST. Help, completion, docs/command-line.md and the tests are made of this table. */
export const REMOTE_COMMANDS: readonly RemoteCommand[] = [
  ...SESSION_COMMANDS,
  {
    name: 'apply',
    summary: 'Makes the monitors of a server what manifests declare. Applying twice changes nothing.',
    isChange: true,
    options: [...INPUT, YES],
    notes: `${INPUT_NOTES}\n\nIt first prints what it will do. It deletes nothing without --prune.`,
    examples: [
      './tidemark apply -f monitors/',
      './tidemark apply -f monitors/ --prune',
      './tidemark export kettle | ./tidemark apply -f -',
    ],
    load: async () => (await import('./commands/apply.ts')).apply,
  },
  {
    name: 'diff',
    summary: 'Shows what apply would do, and changes nothing.',
    options: INPUT,
    notes: `${INPUT_NOTES}\n\nExits with 0 where nothing differs, 1 where something does, 2 on an error.`,
    examples: ['./tidemark diff -f monitors/', './tidemark diff -f monitors/ --prune || echo "something differs"'],
    load: async () => (await import('./commands/apply.ts')).diff,
  },
  {
    name: 'get',
    summary: 'Lists monitors, or shows those that are named.',
    argument: NAMES_OR_CHOSEN,
    options: CHOSEN,
    notes:
      'Below the table it says why checks have failed, and which messages did not arrive. The forms json and yaml\n' +
      'are the records of the API, with the secrets that the key may read. The form name is what the other commands\n' +
      'take as an argument.',
    examples: [
      './tidemark get',
      './tidemark get kettle -o yaml',
      './tidemark get serpmonitors -o wide',
      './tidemark get --status error -o name',
      './tidemark get --label env=prod',
      './tidemark get -o name | xargs ./tidemark resume',
    ],
    load: async () => (await import('./commands/get.ts')).get,
  },
  {
    name: 'describe',
    summary: 'Shows a monitor with its configuration, its state and its last runs. Secrets are masked.',
    argument: NAMES,
    examples: ['./tidemark describe kettle', './tidemark describe serpmonitor/rank'],
    load: async () => (await import('./commands/describe.ts')).describe,
  },
  {
    name: 'runs',
    summary: 'Lists the runs of a monitor, newest first.',
    argument: ['<name>', ONE],
    options: [LIMIT],
    examples: ['./tidemark runs kettle', './tidemark runs kettle --limit 100 -o wide', './tidemark runs kettle --json'],
    load: async () => (await import('./commands/runs.ts')).runs,
  },
  {
    name: 'changes',
    summary: 'Shows what changed, newest first: of all monitors, or of one.',
    argument: ['[name]', `${ONE}; all monitors without it`],
    options: [LIMIT],
    notes:
      'The words are those of the messages: values before and after, the items of lists, the lines of texts, and\n' +
      'how much of a picture, with a link to it. The forms json and yaml are the runs that found the changes.',
    examples: ['./tidemark changes', './tidemark changes kettle --limit 1', './tidemark changes kettle --json'],
    load: async () => (await import('./commands/changes.ts')).changes,
  },
  {
    name: 'deliveries',
    summary: 'Lists deliveries, newest first: of all monitors, or of one.',
    argument: ['[name]', `${ONE}; all monitors without it`],
    options: [
      { flags: '--status <status>', what: 'only deliveries of this status', choices: STATUSES },
      { flags: '--given-up', what: 'only those that have failed and are not tried again' },
      LIMIT,
    ],
    notes: 'The form wide has the destinations, with masks in place of what may be secret.',
    examples: [
      './tidemark deliveries',
      './tidemark deliveries kettle -o wide',
      './tidemark deliveries --given-up --limit 100',
      './tidemark deliveries kettle --status success --json',
    ],
    load: async () => (await import('./commands/deliveries.ts')).deliveries,
  },
  {
    name: 'delivery',
    summary: 'Shows a delivery with its attempts, and what the destination answered.',
    argument: ['<id>', 'the id of a delivery'],
    examples: ['./tidemark delivery $(./tidemark deliveries kettle --limit 1 -o name)'],
    load: async () => (await import('./commands/deliveries.ts')).delivery,
  },
  {
    name: 'replay',
    summary: 'Sends deliveries again that have failed, with the same id and content.',
    isChange: true,
    argument: ['<ids...>', 'ids of deliveries'],
    notes: 'A delivery that was made, or that waits for its first attempt, is refused.',
    examples: [
      './tidemark replay $(./tidemark deliveries kettle --given-up --limit 1 -o name)',
      './tidemark deliveries --given-up -o name | xargs -r ./tidemark replay',
    ],
    load: async () => (await import('./commands/deliveries.ts')).replay,
  },
  {
    name: 'release',
    summary: 'Sends deliveries that wait for a later hour now, or drops them.',
    isChange: true,
    argument: ['<ids...>', 'ids of deliveries, at most 100'],
    options: [{ flags: '--drop', what: 'never send them' }],
    notes: 'A delivery that does not wait for a later hour is refused. One that is dropped is deleted.',
    examples: [
      './tidemark release $(./tidemark deliveries pot --status pending --limit 1 -o name)',
      './tidemark deliveries pot --status pending -o name | xargs -r ./tidemark release --drop',
    ],
    load: async () => (await import('./commands/deliveries.ts')).release,
  },
  {
    name: 'test-delivery',
    summary: 'Sends a test to a destination of a monitor, and shows what was sent and answered.',
    isChange: true,
    argument: ['<name>', ONE],
    options: [
      {
        flags: '--index <number>',
        what: 'which of its deliveries, counted from 0; needed where it has several',
        least: 0,
        most: 24,
      },
    ],
    notes:
      'The message says that it is a test, and has the change of the last run that fired, if there is one. Mail is\n' +
      'sent to members of the team only. No delivery is stored. Exits with 1 where the destination did not take it.',
    examples: ['./tidemark test-delivery kettle', './tidemark test-delivery kettle --index 0 --json'],
    load: async () => (await import('./commands/test-delivery.ts')).testDelivery,
  },
  ...ACT_COMMANDS,
  {
    name: 'export',
    summary: 'Prints monitors as manifests, which "kubectl apply" takes. Secrets become references.',
    argument: ['[names...]', `${NAMES[1]}; all without it; ${KIND}`],
    options: [{ flags: '--dir <folder>', what: 'write a file for each monitor into this folder' }],
    examples: [
      './tidemark export kettle',
      './tidemark export > monitors.yaml',
      './tidemark export monitors --dir monitors',
    ],
    load: async () => (await import('./commands/export.ts')).exportManifests,
  },
  {
    name: 'tail',
    summary: 'Shows the last runs of monitors, and each further run when it has ended. Ctrl-C ends it.',
    argument: NAMES,
    options: [
      { flags: '--limit <number>', what: 'how many of the last runs', most: 20, default: 5 },
      { flags: '--count <number>', what: 'end after so many runs', most: 1_000_000 },
    ],
    notes: 'The form json has one run a line.',
    examples: ['./tidemark tail kettle --count 1', './tidemark tail kettle --limit 1 --count 1 --json'],
    load: async () => (await import('./commands/tail.ts')).tail,
  },
  {
    name: 'backtest',
    summary: 'Shows on which of the stored changes of a monitor a predicate would have fired, and why.',
    argument: ['<name>', ONE],
    options: [
      { flags: '--predicate <json>', what: 'a diff_predicate, or @FILE (default: that of the monitor)' },
      { flags: '--days <number>', what: 'only changes of the last so many days', most: 3650 },
    ],
    examples: [
      './tidemark backtest kettle',
      './tidemark backtest kettle --days 30',
      `./tidemark backtest kettle --predicate '{"type": "field_above", "field": "price", "threshold": 20}'`,
    ],
    load: async () => (await import('./commands/backtest.ts')).backtest,
  },
  {
    name: 'verify-webhook',
    summary: 'Receives webhooks on this machine, checks their signatures, and prints them.',
    argument: ['[names...]', 'the monitors whose secrets are used; $TIDEMARK_WEBHOOK_SECRET without it'],
    options: [
      { flags: '--port <number>', what: 'the port on 127.0.0.1', most: 65_535, default: 8182 },
      {
        flags: '--count <number>',
        what: 'end after so many webhooks; with 1 where one was not verified',
        most: 1_000_000,
      },
      { flags: '--test', what: 'send one to itself first' },
    ],
    notes: 'A server refuses this address unless TIDEMARK_ALLOW_PRIVATE_CIDRS=127.0.0.0/8 is set where it runs.',
    examples: ['./tidemark verify-webhook kettle --test --count 1'],
    load: async () => (await import('./commands/verify-webhook.ts')).verifyWebhook,
  },
  {
    name: 'completion',
    summary: 'Prints what makes a shell complete the commands and their options.',
    argument: ['<shell>', 'bash, zsh or fish'],
    isLocal: true,
    notes:
      'In bash, source the file. In zsh, put it into a folder of fpath, and in fish into ~/.config/fish/completions.',
    examples: [
      './tidemark completion bash > tidemark.bash',
      './tidemark completion zsh > _tidemark',
      './tidemark completion fish > tidemark.fish',
    ],
    load: async () => (await import('./commands/completion.ts')).completion,
  },
]
