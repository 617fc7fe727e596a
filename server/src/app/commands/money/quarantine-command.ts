import { isId } from '../../../core/ids.ts'
import { endQuarantine } from '../../../payments/deposits/quarantine/end-quarantine.ts'
import { quarantineView } from '../../../payments/deposits/quarantine/routes.ts'
import { listHeld } from '../../../payments/deposits/quarantine/store.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type CommandContext, withMethods } from '../operator-context.ts'
import { readWords } from '../read-words.ts'

const options = { reason: { type: 'string' }, merchant: { type: 'string' } } as const

/**
 * Maximum number of lines that the command prints, because nobody reads more. The API returns all entries in
 * pages.
 */
const listedRows = 1000

export const quarantineCommand: Command = {
  usage: 'list [--merchant ID] | release <id> [--reason R] | seize <id> [--reason R]',
  help: [
    'coffer quarantine list           payments that are held: id, time, reason, amount, merchant, sender',
    'coffer quarantine release <id>   credits one to its merchant, less the fee that applied when it was received',
    'coffer quarantine seize <id>     seizes one for good; it is booked to the account "forfeited"',
    '',
    'A payment is held if a sanctions list or oracle names its sender (listed), or if its sender could not be screened',
    '(unknown). A running Coffer screens the unknown again and releases them once they pass; the listed wait for you.',
    'Each decision is recorded with its reason. Nothing is ever sent back automatically.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 2 })
    const [verb, id] = positionals
    if (values.merchant !== undefined && !isId(values.merchant)) {
      throw new UsageError(`"${values.merchant}" is not the id of a merchant`)
    }
    const merchantId = values.merchant?.toLowerCase()
    if (verb === 'list' && id === undefined) {
      return withMethods(terminal, (context) => list(context, merchantId, terminal))
    }
    const outcome = verb === 'release' ? 'released' : verb === 'seize' ? 'seized' : undefined
    if (outcome === undefined || id === undefined || !isId(id)) {
      throw new UsageError('expected list, or release or seize with the id of a transaction')
    }
    return withMethods(terminal, async ({ db, methods }) => {
      const decision = { depositId: id.toLowerCase(), outcome, reason: values.reason } as const
      const { amount, currency } = quarantineView(methods, await endQuarantine({ db, methods }, decision))
      terminal.print(`${outcome}: ${amount} ${currency}, transaction ${decision.depositId}`)
      return 0
    })
  },
}

async function list(
  { db, methods }: CommandContext,
  merchantId: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const { held, total } = await listHeld(db, merchantId, { page: 1, limit: listedRows })
  if (total === 0) terminal.note('Nothing is in quarantine.')
  for (const deposit of held) {
    const view = quarantineView(methods, deposit)
    const what = `${view.amount} ${view.currency}`.padEnd(20)
    terminal.print(
      `${view.transactionID}  ${view.heldSince}  ${view.reason.padEnd(7)}  ${what}  ${view.merchantID}  ${view.sender ?? '-'}`,
    )
  }
  if (total > held.length) terminal.note(`${total - held.length} more are not shown.`)
  return 0
}
