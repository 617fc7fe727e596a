import { isId } from '../../../core/ids.ts'
import { listRestorable } from '../../../merchants/store.ts'
import { restoreMerchant } from '../../../offboarding/restore-merchant.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Desk, withMethods } from '../operator-desk.ts'
import { printable } from '../operator-words.ts'
import { readWords } from '../read-words.ts'

export const merchantsCommand: Command = {
  usage: 'deleted | restore <id>',
  help: [
    'coffer merchants deleted        lists merchants deleted in the last 30 days: id, when, name',
    'coffer merchants restore <id>   takes a deletion back: members, invoices and balances are as before',
    '',
    'A restored merchant needs a new API key and a new webhook; payments that came in while it was deleted are its own',
    'again. Works beside a running Coffer and on one that is stopped.',
  ],
  run: async (words, terminal) => {
    const [verb, id, ...rest] = readWords(words, { positionals: 2 }).positionals
    const act = actOf(verb, id, rest.length)
    return withMethods(terminal, async (desk) => {
      await act(desk, terminal)
      return 0
    })
  },
}

type Act = (desk: Desk, terminal: Terminal) => Promise<void>

function actOf(verb: string | undefined, id: string | undefined, more: number): Act {
  if (verb === 'deleted' && id === undefined) return list
  if (verb === 'restore' && id !== undefined && isId(id) && more === 0) {
    return async (desk, { print }) => {
      const { name } = await restoreMerchant(desk, { merchantId: id.toLowerCase() })
      print(`Restored ${id.toLowerCase()} (${printable(name)}). It needs a new API key and a new webhook.`)
    }
  }
  throw new UsageError('say "deleted", or "restore" with the id of a merchant')
}

async function list({ db }: Desk, { print, note }: Terminal): Promise<void> {
  const deleted = await listRestorable(db)
  if (deleted.length === 0) note('No merchant was deleted in the last 30 days.')
  for (const { id, name, deletedAt } of deleted)
    print(`${id}  ${deletedAt?.toISOString() ?? ''}  ${printable(name)}`)
}
