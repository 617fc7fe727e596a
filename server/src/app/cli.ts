import { SettingsError } from '../core/settings.ts'
import { signerUsage, type Usage } from '../signer/command/usage.ts'
import { type Command, type Terminal, UsageError } from './commands/command.ts'
import { commands } from './commands/commands.ts'

/**
 * Commands that run in a program of their own. The executable `coffer` starts them directly, so they appear
 * here only in the list of commands.
 */
const apart: readonly Usage[] = [signerUsage]

const helpWords = ['help', '--help', '-h']

/**
 * Runs `coffer` with the arguments `words`.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage
 */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name = 'help', ...rest] = words
  if (helpWords.includes(name))
    return help(
      rest.find((word) => !helpWords.includes(word)),
      terminal,
    )
  const listed = commands.find((one) => one.name === name)
  if (listed === undefined) {
    terminal.note(`coffer: unknown command "${name}". "coffer help" lists the commands.`)
    return 2
  }
  if (rest.includes('--help') || rest.includes('-h')) return help(name, terminal)
  const command = await listed.load()
  try {
    return await command.run(rest, terminal)
  } catch (error) {
    return complain({ name, usage: command.usage }, error, terminal)
  }
}

function complain(
  { name, usage }: Pick<Usage, 'name' | 'usage'>,
  error: unknown,
  terminal: Terminal,
): number {
  if (error instanceof UsageError) {
    terminal.note(`coffer ${name}: ${error.message}`)
    terminal.note(`Usage: coffer ${name} ${usage}`)
    return 2
  }
  if (error instanceof SettingsError) {
    terminal.note(`${error.message}\n"coffer help settings" lists all settings.`)
    return 2
  }
  terminal.note(`coffer ${name}: ${error instanceof Error ? error.message : String(error)}`)
  return 1
}

async function help(topic: string | undefined, terminal: Terminal): Promise<number> {
  if (topic === 'settings') return helpSettings(terminal)
  const command = await findHelp(topic)
  if (command !== undefined) {
    for (const line of [`coffer ${topic} ${command.usage}`, '', ...command.help]) terminal.print(line)
    return 0
  }
  if (topic !== undefined) terminal.note(`coffer: no help for "${topic}".`)
  terminal.print('Coffer accepts and pays out cryptocurrency on your own server.\n')
  terminal.print('Usage: coffer <command>\n')
  for (const { name, summary } of [...commands, ...apart]) terminal.print(`  ${name.padEnd(11)} ${summary}`)
  terminal.print(
    '  help        this text; "coffer help <command>" describes a command, "coffer help settings" lists the settings',
  )
  return topic === undefined ? 0 : 2
}

function findHelp(topic: string | undefined): Promise<Pick<Command, 'usage' | 'help'> | undefined> {
  const listed = commands.find(({ name }) => name === topic)
  return listed === undefined ? Promise.resolve(apart.find(({ name }) => name === topic)) : listed.load()
}

async function helpSettings(terminal: Terminal): Promise<number> {
  const { settings } = await import('./settings/config.ts')
  terminal.print('Settings come from the environment and are read once, at start.\n')
  for (const { name, meaning } of Object.values(settings)) terminal.print(`  ${name.padEnd(24)} ${meaning}`)
  return 0
}
