import { type NetworkName, networks } from '../../../chains/networks.ts'
import { isId } from '../../../core/ids.ts'
import { silentLog } from '../../../core/log.ts'
import { readAssetHalts } from '../../../outgoing/engine/controls/asset-halt-store.ts'
import { resumeAsset } from '../../../outgoing/engine/controls/asset-halts.ts'
import { readPayoutFigures } from '../../../outgoing/engine/controls/figures.ts'
import { dropRefused, resumePayouts } from '../../../outgoing/engine/controls/halts.ts'
import { readShownHalts } from '../../../outgoing/engine/controls/standing-halts.ts'
import type { PayoutFollower } from '../../../outgoing/engine/purpose.ts'
import { askRecovery } from '../../../outgoing/engine/recovery/ask-recovery.ts'
import { readUnknownOutflows } from '../../../outgoing/engine/recovery/outflow-store.ts'
import { readStatementKey } from '../../../outgoing/engine/signer-client/attest-store.ts'
import type { UnmovedOutcome } from '../../../outgoing/engine/unmoved/outcome-mac.ts'
import { settleUnmoved } from '../../../outgoing/engine/unmoved/settle-unmoved.ts'
import { listUndecided } from '../../../outgoing/engine/unmoved/unmoved-store.ts'
import { collectionFollower } from '../../../outgoing/sweeps/collect-deposits.ts'
import { takeOutPurpose } from '../../../outgoing/treasury/take-out-purpose.ts'
import { sumSetAside } from '../../../outgoing/utxo/recovery/exposed-coin-store.ts'
import { withdrawalFollower } from '../../../outgoing/withdrawals/withdrawal-purpose.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { isLiftLine, isSigned, readLiftLine } from '../../../signing/statement.ts'
import { liftInSandbox } from '../../keys/sandbox-lift.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Act, type Desk, deciding } from '../operator-desk.ts'

export const payoutsCommand: Command = {
  usage:
    'list | resume <lift, cause or asset> --reason TEXT | drop <id> --reason TEXT | settle-paid|settle-unpaid <id> --reason TEXT | recover --reason TEXT',
  help: [
    'Payouts halt by themselves where something must not be: "tampering" (the signer was asked for what nobody approved),',
    '"books" (an invariant of the books is broken), "log-unknown" (transactions that neither the database nor the log of',
    'the signer knows), "xpub-foreign" (the signer has other keys), "cold-address" (money would be taken out to an address of',
    'our own), "chain-ahead" (the chain has transactions of your wallets that neither the database nor the log of the signer',
    'knows, as after both were restored from a snapshot), "signer-answer" (the signer answered with something else than it was',
    'asked), "history" (the sealed history is not the one that the signer countersigned, or the database went back in time, as',
    'after a failover; "coffer doctor" says which). Nothing new is sent until you have',
    'found out why, and have lifted the halt on the host of the signer: "coffer signer lift" prints a line for it. A single',
    'asset halts where the chain contradicts a deposit, holds less than the books say, or shows that a payout moved nothing;',
    'other assets go on.',
    '',
    '  coffer payouts list                                      halts, waits, refusals, and how many are on their way',
    '  coffer payouts resume coffer-lift.W... --reason "wrong key" goes on, and tries again what was refused',
    '  coffer payouts resume tampering --reason "wrong key file" the same in a sandbox, whose keystore is at hand; elsewhere it says',
    '                                                            what to run on the host of the signer',
    '  coffer payouts drop <id> --reason "was altered"           gives up what the signer refused: a withdrawal fails, and',
    '                                                            its money is available again; drop it before you resume',
    '  coffer payouts resume ethereum/USDT --reason "swapped"   lets the money of one asset leave again',
    '  coffer payouts settle-paid <id> --reason "seen there"    says that a payout without its transfer was paid: what was',
    '                                                            ordered is completed',
    '  coffer payouts settle-unpaid <id> --reason "not there"   says that it was not: a withdrawal fails, and its money is',
    '                                                            available again; both are carried out with the next block',
    '  coffer payouts recover --reason "snapshot of Sunday"      after database and signer went back together: sends nothing',
    '                                                            else until forgotten transactions are invalid',
    '',
    'Lifting "chain-ahead" begins a recovery of that network: what its chain shows is taken over, and nothing else is sent until',
    'no forgotten transaction can be mined any more (wait "recovery"). Where it waits for payouts that moved nothing, the wait',
    '"recovery-undecided" names them: settle-paid or settle-unpaid lets it go on. A payment that fits no order is listed as an outflow.',
    'Each decision is recorded. Works beside a running Coffer and on one that is stopped.',
  ],
  run: deciding(actOf),
}

function actOf([verb, subject]: readonly string[], reason: string | undefined): Act {
  if (verb === 'list' && subject === undefined) return list
  if (verb === 'recover' && subject === undefined) return recovering(reason)
  if (verb === undefined || !verbs.includes(verb)) {
    throw new UsageError('say list, resume, drop, settle-paid, settle-unpaid or recover')
  }
  if (subject === undefined) {
    throw new UsageError(
      verb === 'resume'
        ? 'say which halt is over, or give the line of its lift'
        : `say the id of ${meantBy(verb)}`,
    )
  }
  if (reason === undefined || reason === '') throw new UsageError('say why: --reason "..."')
  if (verb === 'resume') return (desk, terminal) => resume(desk, terminal, subject, reason)
  if (!isId(subject)) throw new UsageError(`say the id of ${meantBy(verb)}`)
  const id = subject.toLowerCase()
  if (verb === 'drop') return (desk, terminal) => drop(desk, terminal, id, reason)
  const outcome = verb === 'settle-paid' ? 'paid' : 'unpaid'
  return (desk, terminal) => settle(desk, terminal, id, { outcome, reason })
}

const verbs: readonly string[] = ['resume', 'drop', 'settle-paid', 'settle-unpaid']

function meantBy(verb: string): string {
  return verb === 'drop' ? 'a refused payout' : 'a payout without its transfer'
}

function recovering(reason: string | undefined): Act {
  if (reason === undefined || reason === '') throw new UsageError('say why: --reason "..."')
  return async ({ db }, { note }) => {
    await inTransaction(db, (tx) => askRecovery(tx, { reason }))
    note('Every network recovers before anything else is sent.')
    return 0
  }
}

async function list({ db }: Desk, { print, note }: Terminal): Promise<number> {
  const { open, halts, waits, refused } = await readPayoutFigures(db)
  const [assetHalts, unmoved] = await Promise.all([readAssetHalts(db), listUndecided(db)])
  const [outflows, aside] = await Promise.all([readUnknownOutflows(db), sumSetAside(db)])
  for (const { id, cause, since, detail } of halts)
    print(`halt     ${cause}  ${id}  since ${since.toISOString()}  ${detail}`)
  for (const { asset, cause, since, detail } of assetHalts)
    print(`halt     ${asset}  ${cause}  since ${since.toISOString()}  ${detail}`)
  for (const { payoutId, network, txHash, detail } of unmoved)
    print(`unmoved  ${payoutId}  ${network}  ${txHash}  ${detail}`)
  for (const { network, cause, since, detail } of waits) {
    print(`wait     ${network}  ${cause}  since ${since.toISOString()}  ${detail}`)
  }
  for (const { payoutId, kind, code, detail } of refused)
    print(`refused  ${payoutId}  ${kind}  ${code}  ${detail}`)
  for (const { network, state, count, oldestS } of open) {
    print(`open     ${network}  ${state}  ${count}, the oldest for ${Math.round(oldestS)} s`)
  }
  for (const { network, txHash, detail, foundAt } of outflows)
    print(`outflow  ${network}  ${txHash}  found ${foundAt.toISOString()}  ${detail}`)
  for (const { network, reason, count, minor } of aside)
    print(`aside    ${network}  ${reason}  ${count} coins of ${minor} that forgotten transactions may spend`)
  const told = [open, halts, waits, refused, assetHalts, unmoved, outflows, aside]
  if (told.every((rows) => rows.length === 0)) note('Nothing is on its way out.')
  return 0
}

async function resume(desk: Desk, terminal: Terminal, subject: string, reason: string): Promise<number> {
  if (subject.includes('/')) return resumeOne(desk, terminal, subject, reason)
  return isLiftLine(subject)
    ? resumeBy(desk, terminal, subject, reason)
    : resumeCause(desk, terminal, subject, reason)
}

/** The halt of one asset is no matter of the signer. */
async function resumeOne({ db }: Desk, { note }: Terminal, asset: string, reason: string): Promise<number> {
  const wasThere = await inTransaction(db, (tx) => resumeAsset(tx, asset, { reason }))
  note(wasThere ? 'Payouts go on.' : `There is no halt "${asset}".`)
  return wasThere ? 0 : 1
}

/** With a line that was signed on the signer's host. */
async function resumeBy({ db }: Desk, { note }: Terminal, line: string, reason: string): Promise<number> {
  const signed = readLiftLine(line)
  const key = await readStatementKey(db)
  if (signed === undefined || (key !== undefined && !isSigned(key, signed.statement, signed.signature))) {
    note('This is no lift of the signer: copy the whole line that "coffer signer lift" printed.')
    return 1
  }
  const isNew = await inTransaction(db, (tx) => resumePayouts(tx, line, { reason }))
  note(
    isNew
      ? 'Payouts go on.'
      : `There is no halt ${signed.lift.haltId}, or it was lifted by this line before.`,
  )
  return isNew ? 0 : 1
}

async function resumeCause(
  { db, config }: Desk,
  { note }: Terminal,
  cause: string,
  reason: string,
): Promise<number> {
  const standing = (await readShownHalts(db)).filter((halt) => halt.cause === cause)
  if (standing.length === 0) {
    note(`There is no halt "${cause}".`)
    return 1
  }
  for (const halt of standing) {
    const line = await liftInSandbox(config, halt, reason)
    if (line === undefined) {
      note('Lift it on the host of the signer, and give the line that it prints to "coffer payouts resume":')
      note(`  coffer signer lift --halt ${halt.id} --reason "..." --keystore F --passphrase-file F`)
      if (cause === 'history') note('Add --new-incarnation where the database went back, or was restored.')
      return 1
    }
    await inTransaction(db, (tx) => resumePayouts(tx, line, { reason }))
  }
  note('Payouts go on.')
  return 0
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

async function settle(
  { db }: Desk,
  { note }: Terminal,
  payoutId: string,
  decision: { readonly outcome: UnmovedOutcome; readonly reason: string },
): Promise<number> {
  const wasThere = await inTransaction(db, (tx) => settleUnmoved(tx, payoutId, decision))
  note(
    wasThere
      ? `It is ${decision.outcome}, which is carried out with the next block.`
      : 'No payout of that id waits for such a decision.',
  )
  return wasThere ? 0 : 1
}

/** Whoever must know that what it wanted is given up. */
function followersOf(methods: PaymentMethods): readonly PayoutFollower[] {
  return [
    withdrawalFollower({ methods, log: silentLog, orders: undefined }),
    collectionFollower({ methods, familyOf: (network) => networks[network as NetworkName].family }),
    takeOutPurpose(methods),
  ]
}
