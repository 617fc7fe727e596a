import { type NetworkName, networks } from '../../chains/networks.ts'
import { collectionFollower } from '../../collections/collect-deposits.ts'
import { isId } from '../../core/ids.ts'
import { silentLog } from '../../core/log.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { PaymentMethods } from '../../payment-methods/payment-method.ts'
import { readPayoutFigures } from '../../payouts/figures.ts'
import { dropRefused, resumePayouts } from '../../payouts/halts.ts'
import type { PayoutFollower } from '../../payouts/purpose.ts'
import { takeOutPurpose } from '../../treasury/take-out-purpose.ts'
import { withdrawalFollower } from '../../withdrawals/withdrawal-purpose.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { type Act, type Desk, deciding } from './operator-desk.ts'

export const payoutsCommand: Command = {
  name: 'payouts',
  summary: 'money on its way out: list what stands in its way, resume after a halt, drop what was refused',
  usage: 'list | resume <cause> --reason TEXT | drop <id> --reason TEXT',
  help: [
    'Payouts halt by themselves where something must not be: "tampering" (the signer was asked for what nobody approved),',
    '"books" (an invariant of the books is broken), "log-unknown" (transactions that neither the database nor the log of',
    'the signer knows), "xpub-foreign" (the signer has other keys), "cold-address" (money would be taken out to an address of',
    'our own). Nothing new is sent until you have found out why.',
    '',
    '  coffer payouts list                                      halts, waits, refusals, and how many are on their way',
    '  coffer payouts resume tampering --reason "wrong key file" goes on, and tries again what was refused',
    '  coffer payouts drop <id> --reason "was altered"           gives up what the signer refused: a withdrawal fails, and',
    '                                                            its money is available again; drop it before you resume',
    '',
    'Each decision is recorded. Works beside a running Coffer and on one that is stopped.',
  ],
  run: deciding(actOf),
}

function actOf([verb, subject]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && subject === undefined) return list
  if (verb !== 'resume' && verb !== 'drop') throw new UsageError('say list, resume or drop')
  if (subject === undefined) {
    throw new UsageError(verb === 'drop' ? 'say the id of a refused payout' : 'say which halt is over')
  }
  if (reason === undefined || reason === '') throw new UsageError('say why: --reason "..."')
  if (verb === 'resume') return (desk, terminal) => resume(desk, terminal, subject, reason)
  if (!isId(subject)) throw new UsageError('say the id of a refused payout')
  return (desk, terminal) => drop(desk, terminal, subject.toLowerCase(), reason)
}

async function list({ db }: Desk, { print, note }: Terminal): Promise<number> {
  const { open, halts, waits, refused } = await readPayoutFigures(db)
  for (const { cause, since, detail } of halts)
    print(`halt     ${cause}  since ${since.toISOString()}  ${detail}`)
  for (const { network, cause, since, detail } of waits) {
    print(`wait     ${network}  ${cause}  since ${since.toISOString()}  ${detail}`)
  }
  for (const { payoutId, kind, code, detail } of refused)
    print(`refused  ${payoutId}  ${kind}  ${code}  ${detail}`)
  for (const { network, state, count, oldestS } of open) {
    print(`open     ${network}  ${state}  ${count}, the oldest for ${Math.round(oldestS)} s`)
  }
  if (open.length + halts.length + waits.length + refused.length === 0) note('Nothing is on its way out.')
  return 0
}

async function resume({ db }: Desk, { note }: Terminal, cause: string, reason: string): Promise<number> {
  const wasThere = await inTransaction(db, (tx) => resumePayouts(tx, cause, { reason }))
  note(wasThere ? 'Payouts go on.' : `There is no halt "${cause}".`)
  return wasThere ? 0 : 1
}

async function drop(
  { db, methods }: Desk,
  { note }: Terminal,
  payoutId: string,
  reason: string,
): Promise<number> {
  const wasThere = await inTransaction(db, (tx) =>
    dropRefused(tx, followersOf(methods), payoutId, { reason }),
  )
  note(
    wasThere
      ? 'It is given up; what it was to move is free again.'
      : 'The signer refused no payout of that id.',
  )
  return wasThere ? 0 : 1
}

/** Whoever must know that what it wanted is given up. */
function followersOf(methods: PaymentMethods): readonly PayoutFollower[] {
  return [
    withdrawalFollower({ methods, log: silentLog }),
    collectionFollower({ methods, familyOf: (network) => networks[network as NetworkName].family }),
    takeOutPurpose(methods),
  ]
}
