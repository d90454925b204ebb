import { DEFAULT_PROFILE } from './profiles.ts'
import type { RemoteCommand } from './remote-command.ts'

/** The commands that choose a server, a login and a team. */
export const SESSION_COMMANDS: readonly RemoteCommand[] = [
  {
    name: 'login',
    summary: 'Stores the address of a server with an API key, or with a session of yours, for the other commands.',
    argument: ['[url]', 'the address of the API (default: $TIDEMARK_URL, or http://127.0.0.1:8080)'],
    options: [
      { flags: '--email <address>', what: 'sign in with this address and its password, in place of a key' },
      { flags: '--profile <name>', what: 'the name of this login', default: DEFAULT_PROFILE },
    ],
    isLocal: true,
    notes:
      'The key is $TIDEMARK_API_KEY, or the first line of standard input. A password is always read from standard\n' +
      'input, and only the session that it opens is kept. A terminal asks for them, and shows neither. Both are\n' +
      'checked by a request, and kept in ~/.config/tidemark/profiles.json, which only this account can read. The\n' +
      'last login is used until another one.',
    examples: [
      './tidemark login',
      './tidemark login https://tidemark.example.com --profile work < key.txt',
      './tidemark login --email owner@tidemark.local --profile me < password.txt',
    ],
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Forgets a login, and ends its session. A key stays valid: "tidemark admin revoke-key" ends it.',
    options: [{ flags: '--profile <name>', what: 'the login to forget (default: the last)' }],
    isLocal: true,
    examples: ['./tidemark logout --profile work'],
    load: async () => (await import('./commands/login.ts')).logout,
  },
  {
    name: 'profiles',
    summary: 'Lists the logins, without their keys and sessions.',
    isLocal: true,
    examples: ['./tidemark profiles'],
    load: async () => (await import('./commands/login.ts')).profiles,
  },
  {
    name: 'token',
    summary: 'Prints the key or the session of a login, for programs that call the API.',
    isAboutTeams: true,
    notes: 'It is a secret: whoever has it acts for you, until the session ends or the key is revoked.',
    examples: [
      './tidemark token --profile me',
      'curl -s -H "Authorization: Bearer $(./tidemark token)" https://tidemark.example.com/v1/usage',
    ],
    load: async () => (await import('./commands/login.ts')).token,
  },
  {
    name: 'teams',
    summary: 'Lists the teams that you are a member of, and says for which one the login acts.',
    isAboutTeams: true,
    notes: 'It needs a login with --email: an API key acts for one team, always.',
    examples: ['./tidemark teams --profile me'],
    load: async () => (await import('./commands/teams.ts')).teams,
  },
  {
    name: 'switch',
    summary: 'Makes another of your teams the one that the login acts for.',
    isChange: true,
    isAboutTeams: true,
    argument: ['<team>', 'the name or the id of a team of yours'],
    notes: 'It needs a login with --email. Other sessions of yours stay in their teams.',
    examples: ['./tidemark switch "Team of owner" --profile me'],
    load: async () => (await import('./commands/teams.ts')).switchTeam,
  },
]
