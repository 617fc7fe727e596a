/**
 * The commands of this program. Each command is loaded only when it is called, because loading all of them
 * would take most of a short command's time.
 */
import { keysUsage } from '../../signer/command/usage.ts'
import type { Command } from './command.ts'

export interface ListedCommand {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  load(): Promise<Command>
}

export const commands: readonly ListedCommand[] = [
  {
    name: 'start',
    summary: 'run the service (this is what "npm start" does)',
    load: async () => (await import('./start-command.ts')).startCommand,
  },
  {
    name: 'sandbox',
    summary: 'run the service with test money, whatever else is set',
    load: async () => (await import('./start-command.ts')).sandboxCommand,
  },
  {
    name: 'demo',
    summary: 'run a payment and a withdrawal on the dev chain and explain each step',
    load: async () => (await import('./demo-command.ts')).demoCommand,
  },
  {
    name: 'verify',
    summary: 'verify the books: check every money invariant, exit 1 if one is violated',
    load: async () => (await import('./books/verify-command.ts')).verifyCommand,
  },
  {
    name: 'doctor',
    summary: 'show the health of Coffer and what to do next, exit 1 if there is a problem',
    load: async () => (await import('./books/doctor-command.ts')).doctorCommand,
  },
  {
    name: 'token',
    summary: 'print a Bearer token, for users with shell access to this server',
    load: async () => (await import('./people/token-command.ts')).tokenCommand,
  },
  {
    name: 'second-factor',
    summary: 'disable the second factor of an account that lost its app and recovery codes',
    load: async () => (await import('./people/second-factor-command.ts')).secondFactorCommand,
  },
  {
    name: 'merchants',
    summary: 'list deleted merchants, or restore one',
    load: async () => (await import('./people/merchants-command.ts')).merchantsCommand,
  },
  {
    name: 'networks',
    summary: 'your own EVM networks: list, check, add, disable',
    load: async () => (await import('./networks/networks-command.ts')).networksCommand,
  },
  {
    name: 'tokens',
    summary: 'your own tokens: list, check, add, disable',
    load: async () => (await import('./networks/tokens-command.ts')).tokensCommand,
  },
  {
    name: 'fees',
    summary: 'fees that merchants pay: list, set, unset',
    load: async () => (await import('./money/fees-command.ts')).feesCommand,
  },
  {
    name: 'limits',
    summary: 'minimum amounts to collect and to withdraw: list, set, unset',
    load: async () => (await import('./money/limits-command.ts')).limitsCommand,
  },
  {
    name: 'treasury',
    summary:
      'holdings and liabilities; assign, fund, withdraw to the cold address; negative balances and write-offs',
    load: async () => (await import('./money/treasury-command.ts')).treasuryCommand,
  },
  {
    name: 'sanctions',
    summary: 'the sanctions list: load, refresh, show its status, check an address',
    load: async () => (await import('./money/sanctions-command.ts')).sanctionsCommand,
  },
  {
    name: 'withdrawals',
    summary: 'withdrawals that wait for an operator: list, approve, reject',
    load: async () => (await import('./money/withdrawals-command.ts')).withdrawalsCommand,
  },
  {
    name: 'payouts',
    summary: 'outgoing transactions: list halts and waits, resume after a halt, drop refused transactions',
    load: async () => (await import('./money/payouts-command.ts')).payoutsCommand,
  },
  {
    name: 'sweep',
    summary: 'sweep deposit addresses to the hot wallets now, or show what that would cost',
    load: async () => (await import('./money/sweep-command.ts')).sweepCommand,
  },
  {
    name: 'quarantine',
    summary: 'payments whose sender did not pass screening: list, release, seize',
    load: async () => (await import('./money/quarantine-command.ts')).quarantineCommand,
  },
  {
    name: 'deposits',
    summary: 'deposits: networks whose deposits are paused, and misdirected deposits',
    load: async () => (await import('./money/deposits-command.ts')).depositsCommand,
  },
  {
    name: 'backup',
    summary: 'write the whole database to a folder, also while Coffer is running',
    load: async () => (await import('./books/backup-command.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'load a backup into an empty database; Coffer must be stopped',
    load: async () => (await import('./books/restore-command.ts')).restoreCommand,
  },
  {
    name: 'recover',
    summary:
      'after a restore, before the first start: watch the addresses given out since the backup; or book missed payments',
    load: async () => (await import('./books/recover-command.ts')).recoverCommand,
  },
  {
    name: 'migrate',
    summary: 'migrate the database to this version',
    load: async () => (await import('./books/migrate-command.ts')).migrateCommand,
  },
  {
    name: 'books-key',
    summary: 'the keys of the books: list, or forget an unused one',
    load: async () => (await import('./books/books-key-command.ts')).booksKeyCommand,
  },
  {
    name: keysUsage.name,
    summary: keysUsage.summary,
    load: async () => (await import('./books/keys-command.ts')).keysCommand,
  },
  {
    name: 'schema',
    summary: 'print the database schema',
    load: async () => (await import('./books/schema-command.ts')).schemaCommand,
  },
  {
    name: 'openapi',
    summary: 'print the contract of the API (OpenAPI 3.1)',
    load: async () => (await import('./openapi-command.ts')).openapiCommand,
  },
]
