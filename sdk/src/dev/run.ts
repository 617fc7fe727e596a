/** The entry point of the command `coffer-dev`. */
import { CofferError } from '../coffer-error.ts'
import { helpText } from './help.ts'
import { listen, type Surroundings } from './listen.ts'
import { type Environment, type Order, readOrder, type ServerOptions } from './read-order.ts'
import { remedyFor } from './remedy.ts'
import { send } from './send.ts'
import { coloured, type Terminal } from './terminal.ts'
import { trigger } from './trigger.ts'
import { UsageError } from './usage-error.ts'

export interface Invocation extends Surroundings {
  readonly words: readonly string[]
  readonly env: Environment
}

/** Runs the command. Returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line. */
export async function run({ words, env, ...surroundings }: Invocation): Promise<number> {
  try {
    return await obey(readOrder(words, env), surroundings)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    surroundings.terminal.note(coloured(surroundings.terminal, 'red', error.message))
    surroundings.terminal.note('For help, run coffer-dev --help.')
    return 2
  }
}

async function obey(order: Order, surroundings: Surroundings): Promise<number> {
  const { terminal } = surroundings
  switch (order.command) {
    case 'help':
      terminal.print(helpText(order.about))
      return 0
    case 'listen':
      return orRemedy(order, terminal, () => listen(order, surroundings))
    case 'trigger':
      return orRemedy(order, terminal, () => trigger(order, terminal))
    case 'send':
      return (await send(order, terminal)) ? 0 : 1
  }
}

async function orRemedy(
  server: ServerOptions,
  terminal: Terminal,
  work: () => Promise<void>,
): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    if (!(error instanceof CofferError)) throw error
    terminal.note(coloured(terminal, 'red', remedyFor(error, server)))
    return 1
  }
}
