import { SettingsError } from '../core/settings.ts'
import { signerUsage, type Usage } from '../signer/command/usage.ts'
import { backupCommand } from './commands/backup-command.ts'
import { booksKeyCommand } from './commands/books-key-command.ts'
import { collectCommand } from './commands/collect-command.ts'
import { type Command, type Terminal, UsageError } from './commands/command.ts'
import { demoCommand } from './commands/demo-command.ts'
import { depositsCommand } from './commands/deposits-command.ts'
import { doctorCommand } from './commands/doctor-command.ts'
import { feesCommand } from './commands/fees-command.ts'
import { keysCommand } from './commands/keys-command.ts'
import { limitsCommand } from './commands/limits-command.ts'
import { merchantsCommand } from './commands/merchants-command.ts'
import { migrateCommand } from './commands/migrate-command.ts'
import { openapiCommand } from './commands/openapi-command.ts'
import { payoutsCommand } from './commands/payouts-command.ts'
import { quarantineCommand } from './commands/quarantine-command.ts'
import { recoverCommand } from './commands/recover-command.ts'
import { restoreCommand } from './commands/restore-command.ts'
import { sanctionsCommand } from './commands/sanctions-command.ts'
import { schemaCommand } from './commands/schema-command.ts'
import { secondFactorCommand } from './commands/second-factor-command.ts'
import { sandboxCommand, startCommand } from './commands/start-command.ts'
import { tokenCommand } from './commands/token-command.ts'
import { treasuryCommand } from './commands/treasury-command.ts'
import { verifyCommand } from './commands/verify-command.ts'
import { withdrawalsCommand } from './commands/withdrawals-command.ts'
import { settings } from './settings/config.ts'

const commands: readonly Command[] = [
  startCommand,
  sandboxCommand,
  demoCommand,
  verifyCommand,
  doctorCommand,
  tokenCommand,
  secondFactorCommand,
  merchantsCommand,
  feesCommand,
  limitsCommand,
  treasuryCommand,
  sanctionsCommand,
  withdrawalsCommand,
  payoutsCommand,
  collectCommand,
  quarantineCommand,
  depositsCommand,
  backupCommand,
  restoreCommand,
  recoverCommand,
  migrateCommand,
  booksKeyCommand,
  keysCommand,
  schemaCommand,
  openapiCommand,
]

/** Commands of a program of their own, which the executable starts instead of this one. */
const apart: readonly Usage[] = [signerUsage]

/** Runs `coffer <words>`; returns the exit code: 0 done, 1 failed, 2 misused. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name = 'help', ...rest] = words
  if (['help', '--help', '-h'].includes(name)) return help(rest[0], terminal)
  const command = commands.find((one) => one.name === name)
  if (command === undefined) {
    terminal.note(`coffer: there is no command "${name}". "coffer help" lists them.`)
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) return help(name, terminal)
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    return complain(command, error, terminal)
  }
}

function complain(command: Command, error: unknown, terminal: Terminal): number {
  if (error instanceof UsageError) {
    terminal.note(`coffer ${command.name}: ${error.message}`)
    terminal.note(`Usage: coffer ${command.name} ${command.usage}`)
    return 2
  }
  if (error instanceof SettingsError) {
    terminal.note(`${error.message}\n"coffer help settings" lists all settings.`)
    return 2
  }
  terminal.note(`coffer ${command.name}: ${error instanceof Error ? error.message : String(error)}`)
  return 1
}

function help(topic: string | undefined, terminal: Terminal): number {
  if (topic === 'settings') return helpSettings(terminal)
  const command = [...commands, ...apart].find(({ name }) => name === topic)
  if (command !== undefined) {
    for (const line of [`coffer ${command.name} ${command.usage}`, '', ...command.help]) terminal.print(line)
    return 0
  }
  if (topic !== undefined) terminal.note(`coffer: there is no help on "${topic}".`)
  terminal.print('Coffer accepts and pays out cryptocurrency on your own server.\n')
  terminal.print('Usage: coffer <command>\n')
  for (const { name, summary } of [...commands, ...apart]) terminal.print(`  ${name.padEnd(11)} ${summary}`)
  terminal.print(
    '  help        this text; "coffer help <command>" says more, "coffer help settings" lists settings',
  )
  return topic === undefined ? 0 : 2
}

function helpSettings(terminal: Terminal): number {
  terminal.print('Settings come from the environment and are read once, at start.\n')
  for (const { name, meaning } of Object.values(settings)) terminal.print(`  ${name.padEnd(24)} ${meaning}`)
  return 0
}
