import { resumeDeposits } from '../../../payments/deposits/pause-deposits.ts'
import { readPauses } from '../../../payments/deposits/pause-store.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Act, type CommandContext, deciding } from '../operator-context.ts'
import { misdirectedDeposits } from './misdirected-deposits.ts'

export const depositsCommand: Command = {
  usage: 'list | resume <network> --reason TEXT | misdirected <transaction>',
  help: [
    'A reorganisation of three blocks or more pauses the deposits of a UTXO chain: payments are detected and shown, and',
    'nothing is credited until the chain has grown far beyond the replaced blocks, or until you resume its deposits here.',
    '',
    '  coffer deposits list                                     networks that are paused, why, and until which height',
    '  coffer deposits resume litecoin --reason "checked"       confirmed deposits are credited with the next block',
    '  coffer deposits misdirected <transaction>                payments of a transaction to another kind of address of our keys',
    '                                                           (such as P2PKH instead of bech32), and whose keys they are',
    '',
    'Each decision is recorded. Works while Coffer is running and while it is stopped.',
  ],
  run: deciding(actOf),
}

function actOf([verb, network]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && network === undefined) return list
  if (verb === 'misdirected') return misdirectedActOf(network)
  if (verb !== 'resume') throw new UsageError('expected list, resume or misdirected')
  if (network === undefined) throw new UsageError('the network to resume is required')
  if (reason === undefined || reason === '') throw new UsageError('a reason is required: --reason "..."')
  return (context, terminal) => resume(context, terminal, network, reason)
}

function misdirectedActOf(text = ''): Act {
  const [, txHash] = /^(?:0x)?([0-9a-f]{64})$/.exec(text.toLowerCase()) ?? []
  if (txHash === undefined) throw new UsageError('the id of a transaction is required, 64 hex digits')
  return (context, terminal) => misdirectedDeposits(context, terminal, txHash)
}

async function list({ db }: CommandContext, { print, note }: Terminal): Promise<number> {
  const pauses = await readPauses(db)
  for (const { network, depth, pausedAt, untilHeight } of pauses) {
    print(
      `${network}  since ${pausedAt.toISOString()}  ${depth} blocks were replaced  until block ${untilHeight}`,
    )
  }
  if (pauses.length === 0) note('No network is paused.')
  return 0
}

async function resume(
  { db }: CommandContext,
  { note }: Terminal,
  network: string,
  reason: string,
): Promise<number> {
  const wasPaused = await inTransaction(db, (tx) => resumeDeposits(tx, network, { reason }))
  note(wasPaused ? `Deposits on ${network} are resumed.` : `Deposits on ${network} are not paused.`)
  return wasPaused ? 0 : 1
}
