/** The commands of this program. One is loaded when it is called: most of the time that a short one takes is loading others. */
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
    summary: 'play a payment in and a withdrawal out on the dev chain and tell what happens',
    load: async () => (await import('./demo-command.ts')).demoCommand,
  },
  {
    name: 'verify',
    summary: 'prove the books: every money invariant, exit 1 when one is broken',
    load: async () => (await import('./books/verify-command.ts')).verifyCommand,
  },
  {
    name: 'doctor',
    summary: 'say how everything stands and what to do next, exit 1 where something is wrong',
    load: async () => (await import('./books/doctor-command.ts')).doctorCommand,
  },
  {
    name: 'token',
    summary: 'print a Bearer token, for whoever has the shell of this server',
    load: async () => (await import('./people/token-command.ts')).tokenCommand,
  },
  {
    name: 'second-factor',
    summary: 'take away the second factor of who lost app and recovery codes',
    load: async () => (await import('./people/second-factor-command.ts')).secondFactorCommand,
  },
  {
    name: 'merchants',
    summary: 'list merchants that were deleted, or restore one',
    load: async () => (await import('./people/merchants-command.ts')).merchantsCommand,
  },
  {
    name: 'fees',
    summary: 'what merchants pay: list, set and unset fees',
    load: async () => (await import('./money/fees-command.ts')).feesCommand,
  },
  {
    name: 'limits',
    summary: 'the least that is collected or withdrawn: list, set and unset',
    load: async () => (await import('./money/limits-command.ts')).limitsCommand,
  },
  {
    name: 'treasury',
    summary: 'what is held where and whose it is; assign, fund, take out; who owes, and writing it off',
    load: async () => (await import('./money/treasury-command.ts')).treasuryCommand,
  },
  {
    name: 'sanctions',
    summary: 'the sanctions list: load, refresh, look at it, check an address',
    load: async () => (await import('./money/sanctions-command.ts')).sanctionsCommand,
  },
  {
    name: 'withdrawals',
    summary: 'withdrawals that wait for an operator: list, approve, reject',
    load: async () => (await import('./money/withdrawals-command.ts')).withdrawalsCommand,
  },
  {
    name: 'payouts',
    summary: 'money on its way out: list what stands in its way, resume after a halt, drop what was refused',
    load: async () => (await import('./money/payouts-command.ts')).payoutsCommand,
  },
  {
    name: 'collect',
    summary: 'bring money from deposit addresses to the hot lanes now; what that would cost',
    load: async () => (await import('./money/collect-command.ts')).collectCommand,
  },
  {
    name: 'quarantine',
    summary: 'payments whose sender did not pass screening: list, release, seize',
    load: async () => (await import('./money/quarantine-command.ts')).quarantineCommand,
  },
  {
    name: 'deposits',
    summary: 'money coming in: networks that credit nothing for a while, and what came to no address of ours',
    load: async () => (await import('./money/deposits-command.ts')).depositsCommand,
  },
  {
    name: 'backup',
    summary: 'write the whole database to a folder, beside a running Coffer',
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
      'after a restore, before the first start: watch the addresses that were given out since the backup; or book missed payments',
    load: async () => (await import('./books/recover-command.ts')).recoverCommand,
  },
  {
    name: 'migrate',
    summary: 'bring the database to this version',
    load: async () => (await import('./books/migrate-command.ts')).migrateCommand,
  },
  {
    name: 'books-key',
    summary: 'the keys of the books: list, forget one that nothing carries MACs of, adopt books of before',
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
