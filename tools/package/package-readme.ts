/** Where the introduction of the repository's README ends. */
const START = '## Start'

/** Returns the README of the package: its reader has the command, and no clone. */
export function packageReadme(readme: string): string {
  const end = readme.indexOf(START)
  if (end < 0) throw new Error(`README.md has no section ${START}: say where its introduction ends`)
  return `${readme.slice(0, end)}${AFTER}`
}

const AFTER = `## Start

You need Node 24 or newer. With this package installed (\`npm install --global\`), start everything in one process, with
a Postgres of its own:

\`\`\`sh
tidemark serve
\`\`\`

It prints the address of the dashboard, and the first e-mail, password and API key, once. The data is in the folder
\`.tidemark\`, in the folder where you start it; \`TIDEMARK_DATA_DIR\` names another. Ctrl-C stops it.

## Try one check

This needs no server:

\`\`\`sh
tidemark check https://example.com --css title=h1
\`\`\`

\`tidemark --help\` lists the commands, and \`tidemark doctor\` says what is missing on this machine.

## Where next

A running Tidemark serves the documentation at \`/docs\`, and a page to try the API at \`/docs/api\`. The same pages
are in the folder \`docs\` of this package: begin with the [quickstart](docs/quickstart.md), and read
[settings](docs/settings.md) before you run it for others. \`examples/systemd\` runs it as a service.

Where an example says \`./tidemark\`, as in a clone of the repository, the command is \`tidemark\`.

Apache-2.0.
`
