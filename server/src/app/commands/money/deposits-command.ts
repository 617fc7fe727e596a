import { resumeDeposits } from '../../../payments/deposits/pause-deposits.ts'
import { readPauses } from '../../../payments/deposits/pause-store.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Act, type Desk, deciding } from '../operator-desk.ts'
import { strayDeposits } from './stray-deposits.ts'

export const depositsCommand: Command = {
  usage: 'list | resume <network> --reason TEXT | stray <transaction>',
  help: [
    'A chain of the Bitcoin family that takes three blocks or more back pauses its deposits: payments are seen and shown,',
    'and nothing is credited until the chain has grown far beyond what it took back, or until you say so here.',
    '',
    '  coffer deposits list                                     what is paused, why, and until which height',
    '  coffer deposits resume litecoin --reason "checked"       what has its confirmations is credited with the next block',
    '  coffer deposits stray <transaction>                      what it paid to keys of ours at another kind of address than we',
    '                                                           show (such as P2PKH for a bech32 address), and whose they are',
    '',
    'Each decision is recorded. Works beside a running Coffer and on one that is stopped.',
  ],
  run: deciding(actOf),
}

function actOf([verb, network]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && network === undefined) return list
  if (verb === 'stray') return strayActOf(network)
  if (verb !== 'resume') throw new UsageError('say list, resume or stray')
  if (network === undefined) throw new UsageError('say which network may credit again')
  if (reason === undefined || reason === '') throw new UsageError('say why: --reason "..."')
  return (desk, terminal) => resume(desk, terminal, network, reason)
}

function strayActOf(text = ''): Act {
  const [, txHash] = /^(?:0x)?([0-9a-f]{64})$/.exec(text.toLowerCase()) ?? []
  if (txHash === undefined) throw new UsageError('say which transaction, by its 64 hex digits')
  return (desk, terminal) => strayDeposits(desk, terminal, txHash)
}

async function list({ db }: Desk, { print, note }: Terminal): Promise<number> {
  const pauses = await readPauses(db)
  for (const { network, depth, pausedAt, untilHeight } of pauses) {
    print(
      `${network}  since ${pausedAt.toISOString()}  ${depth} blocks were taken back  until block ${untilHeight}`,
    )
  }
  if (pauses.length === 0) note('Every network credits.')
  return 0
}

async function resume({ db }: Desk, { note }: Terminal, network: string, reason: string): Promise<number> {
  const wasPaused = await inTransaction(db, (tx) => resumeDeposits(tx, network, { reason }))
  note(wasPaused ? `${network} credits again.` : `${network} is not paused.`)
  return wasPaused ? 0 : 1
}
