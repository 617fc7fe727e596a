import { sandboxContract } from '../sandbox-contract.ts'
import type { Command } from './command.ts'
import { readWords } from './read-words.ts'

export const openapiCommand: Command = {
  name: 'openapi',
  summary: 'print the contract of the API (OpenAPI 3.1)',
  usage: '',
  help: [
    'Prints the document that a sandbox with default settings serves at /openapi.json. Needs no database.',
    'For developers: npm run contract after a change of a route.',
  ],
  run: async (words, terminal) => {
    readWords(words)
    terminal.print(JSON.stringify(sandboxContract(), undefined, 2))
    return 0
  },
}
