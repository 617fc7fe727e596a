import { isId } from '../../../core/ids.ts'
import { endQuarantine } from '../../../payments/deposits/quarantine/end-quarantine.ts'
import { quarantineView } from '../../../payments/deposits/quarantine/routes.ts'
import { listHeld } from '../../../payments/deposits/quarantine/store.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Desk, withMethods } from '../operator-desk.ts'
import { readWords } from '../read-words.ts'

const options = { reason: { type: 'string' }, merchant: { type: 'string' } } as const

/** More than anybody reads; the API pages through the rest. */
const listedRows = 1000

export const quarantineCommand: Command = {
  usage: 'list [--merchant ID] | release <id> [--reason R] | seize <id> [--reason R]',
  help: [
    'coffer quarantine list           payments that are held: id, since when, why, amount, merchant, sender',
    'coffer quarantine release <id>   gives one to its merchant, less the fee agreed when it came in',
    'coffer quarantine seize <id>     takes one for good; it lies on the account "forfeited"',
    '',
    'A payment is held where a sanctions list or oracle names its sender (listed), or where nobody could tell (unknown).',
    'The unknown are screened again by a running Coffer, and released by it once they pass; the listed wait for you.',
    'Each decision is recorded with its reason. Nothing is ever sent back by itself.',
  ],
  run: async (words, terminal) => {
    const { values, positionals } = readWords(words, { options, positionals: 2 })
    const [verb, id] = positionals
    if (values.merchant !== undefined && !isId(values.merchant)) {
      throw new UsageError(`"${values.merchant}" is no id of a merchant`)
    }
    const merchantId = values.merchant?.toLowerCase()
    if (verb === 'list' && id === undefined) {
      return withMethods(terminal, (desk) => list(desk, merchantId, terminal))
    }
    const outcome = verb === 'release' ? 'released' : verb === 'seize' ? 'seized' : undefined
    if (outcome === undefined || id === undefined || !isId(id)) {
      throw new UsageError('say list, or release or seize with the id of a transaction')
    }
    return withMethods(terminal, async ({ db, methods }) => {
      const decision = { transactionId: id.toLowerCase(), outcome, reason: values.reason } as const
      const { amount, currency } = quarantineView(methods, await endQuarantine({ db, methods }, decision))
      terminal.print(`${outcome}: ${amount} ${currency}, transaction ${decision.transactionId}`)
      return 0
    })
  },
}

async function list(
  { db, methods }: Desk,
  merchantId: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const { held, total } = await listHeld(db, merchantId, { page: 1, limit: listedRows })
  if (total === 0) terminal.note('Nothing is in quarantine.')
  for (const transaction of held) {
    const view = quarantineView(methods, transaction)
    const what = `${view.amount} ${view.currency}`.padEnd(20)
    terminal.print(
      `${view.transactionID}  ${view.heldSince}  ${view.reason.padEnd(7)}  ${what}  ${view.merchantID}  ${view.sender ?? '-'}`,
    )
  }
  if (total > held.length) terminal.note(`${total - held.length} more are not shown.`)
  return 0
}
