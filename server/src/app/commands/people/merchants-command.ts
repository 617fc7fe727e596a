import { isId } from '../../../core/ids.ts'
import { listRestorable } from '../../../merchants/store.ts'
import { restoreMerchant } from '../../../offboarding/restore-merchant.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type CommandContext, withMethods } from '../operator-context.ts'
import { printable } from '../operator-words.ts'
import { readWords } from '../read-words.ts'

export const merchantsCommand: Command = {
  usage: 'deleted | restore <id>',
  help: [
    'coffer merchants deleted        lists merchants deleted in the last 30 days: id, time, name',
    'coffer merchants restore <id>   undoes a deletion: members, invoices and balances are as before',
    '',
    'A restored merchant needs a new API key and a new webhook; payments received while it was deleted belong to it',
    'again. Works while Coffer is running and while it is stopped.',
  ],
  run: async (words, terminal) => {
    const [verb, id, ...rest] = readWords(words, { positionals: 2 }).positionals
    const act = actOf(verb, id, rest.length)
    return withMethods(terminal, async (context) => {
      await act(context, terminal)
      return 0
    })
  },
}

type Act = (context: CommandContext, terminal: Terminal) => Promise<void>

function actOf(verb: string | undefined, id: string | undefined, more: number): Act {
  if (verb === 'deleted' && id === undefined) return list
  if (verb === 'restore' && id !== undefined && isId(id) && more === 0) {
    return async (context, { print }) => {
      const { name } = await restoreMerchant(context, { merchantId: id.toLowerCase() })
      print(`Restored ${id.toLowerCase()} (${printable(name)}). It needs a new API key and a new webhook.`)
    }
  }
  throw new UsageError('expected "deleted", or "restore" with the id of a merchant')
}

async function list({ db }: CommandContext, { print, note }: Terminal): Promise<void> {
  const deleted = await listRestorable(db)
  if (deleted.length === 0) note('No merchant was deleted in the last 30 days.')
  for (const { id, name, deletedAt } of deleted)
    print(`${id}  ${deletedAt?.toISOString() ?? ''}  ${printable(name)}`)
}
