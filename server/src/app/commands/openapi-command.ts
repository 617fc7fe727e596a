import { eventsPage } from '../contract/events-page.ts'
import { sandboxContract } from '../contract/sandbox-contract.ts'
import type { Command } from './command.ts'
import { readWords } from './read-words.ts'

export const openapiCommand: Command = {
  usage: '[--events]',
  help: [
    'Prints the document that a sandbox with default settings serves at /openapi.json. Needs no database.',
    'With --events: what each event says, as a page in Markdown.',
    'For developers: run "npm run contract" after a change of a route or an event.',
  ],
  run: async (words, terminal) => {
    const { values } = readWords(words, { options: { events: { type: 'boolean' } } })
    terminal.print(values.events ? eventsPage() : JSON.stringify(sandboxContract(), undefined, 2))
    return 0
  },
}
