/**
 * The command `coffer payouts`: lists what stops outgoing transactions, and records an operator's decisions
 * about them.
 */
import { networkOf } from '../../../chains/networks.ts'
import { required } from '../../../core/assert.ts'
import { isId } from '../../../core/ids.ts'
import { silentLog } from '../../../core/log.ts'
import { formatDecimal } from '../../../core/money.ts'
import { readShownHalts } from '../../../outgoing/engine/controls/active-halts.ts'
import { readAssetHalts } from '../../../outgoing/engine/controls/asset-halt-store.ts'
import { resumeAsset } from '../../../outgoing/engine/controls/asset-halts.ts'
import { readOutgoingFigures } from '../../../outgoing/engine/controls/figures.ts'
import { dropRefused, resumeOutgoing } from '../../../outgoing/engine/controls/halts.ts'
import type { OutgoingListener } from '../../../outgoing/engine/outgoing-source.ts'
import { askRecovery } from '../../../outgoing/engine/recovery/ask-recovery.ts'
import {
  type OutflowPayment,
  readUnbooked,
  readUnknownOutflows,
} from '../../../outgoing/engine/recovery/outflow-store.ts'
import { readStatementKey } from '../../../outgoing/engine/signer-client/attest-store.ts'
import type { UnmovedOutcome } from '../../../outgoing/engine/unmoved/outcome-mac.ts'
import { settleUnmoved } from '../../../outgoing/engine/unmoved/settle-unmoved.ts'
import { listUndecided } from '../../../outgoing/engine/unmoved/unmoved-store.ts'
import { sweepFollower } from '../../../outgoing/sweeps/sweep-deposits.ts'
import { bookOutflow, methodOf, unbookOutflow } from '../../../outgoing/treasury/book-outflow.ts'
import { treasuryOutgoingSource } from '../../../outgoing/treasury/treasury-outgoing-source.ts'
import { sumSetAside } from '../../../outgoing/utxo/recovery/exposed-utxo-store.ts'
import { withdrawalFollower } from '../../../outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import { isLiftLine, isSigned, readLiftLine } from '../../../signing/statement.ts'
import { liftInSandbox } from '../../keys/sandbox-lift.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { type Act, type CommandContext, deciding } from '../operator-context.ts'

export const payoutsCommand: Command = {
  usage:
    'list | resume <lift, cause or asset> --reason TEXT | drop <id> --reason TEXT | settle-paid|settle-unpaid <id> --reason TEXT | book <id> <merchant id or capital> --reason TEXT | unbook <id> --reason TEXT | recover --reason TEXT',
  help: [
    'Payouts halt automatically when something is wrong: "tampering" (the signer was asked to sign what nobody approved),',
    '"books" (an invariant of the books is violated), "log-unknown" (transactions that neither the database nor the signer’s',
    'log knows), "xpub-foreign" (the signer has other keys), "cold-address" (a treasury withdrawal would go to an address of',
    'our own), "chain-ahead" (the chain has transactions of your wallets that neither the database nor the signer’s log',
    'knows, for example after both were restored from a snapshot), "signer-answer" (the signer’s answer does not match the',
    'request), "history" (the sealed history is not the one that the signer countersigned, or the database went back in time,',
    'as after a failover; "coffer doctor" says which). Nothing new is sent until you have found the cause and lifted the halt',
    'on the host of the signer: "coffer signer lift" prints a line for it. A single asset halts if the chain contradicts a',
    'deposit, holds less than the books say, or shows that an outgoing transaction moved nothing; other assets continue.',
    '',
    '  coffer payouts list                                      halts, waits, refusals, and the number of open transactions',
    '  coffer payouts resume coffer-lift.W... --reason "wrong key" resumes, and retries what was refused',
    '  coffer payouts resume tampering --reason "wrong key file" the same in a sandbox, which has the keystore; elsewhere it prints',
    '                                                            the command to run on the host of the signer',
    '  coffer payouts drop <id> --reason "was altered"           drops what the signer refused: a withdrawal fails, and',
    '                                                            its money is available again; drop it before you resume',
    '  coffer payouts resume ethereum/USDT --reason "swapped"   resumes payouts of one asset',
    '  coffer payouts settle-paid <id> --reason "seen there"    declares a transaction without its transfer paid: its order is',
    '                                                            completed',
    '  coffer payouts settle-unpaid <id> --reason "not there"   declares it unpaid: a withdrawal fails, and its money is',
    '                                                            available again; both take effect with the next block',
    '  coffer payouts book <id> <merchant> --reason "lost order" books a payment whose order the database lost: the merchant',
    '                                                            that had ordered it is charged; "capital" instead of a',
    '                                                            merchant charges the operator, if money was stolen or went',
    '                                                            to the cold address',
    '  coffer payouts unbook <id> --reason "wrong merchant"      undoes such a booking',
    '  coffer payouts recover --reason "snapshot of Sunday"      after database and signer were both restored: sends nothing',
    '                                                            else until lost transactions are invalid',
    '',
    'Lifting "chain-ahead" starts a recovery of that network: transactions on its chain are adopted, and nothing else is sent',
    'until no lost transaction can be mined any more (wait "recovery"). If it waits for transactions that moved nothing,',
    'the wait "recovery-undecided" lists them: settle-paid or settle-unpaid lets it continue. A payment that matches no order',
    'is listed as "unbooked" with its transaction (an "outflow"): find out who had ordered it, and book it. The wait',
    '"recovery-unbooked" lasts until then, because that merchant could otherwise order the same money again.',
    'Each decision is recorded. Works while Coffer is running and while it is stopped.',
  ],
  run: deciding(actOf, 3),
}

function actOf([verb, subject, owner]: readonly string[], reason: string | undefined): Act {
  if (owner !== undefined && verb !== 'book') throw new UsageError(`unexpected ${owner}`)
  if (verb === 'list' && subject === undefined) return list
  if (verb === 'recover' && subject === undefined) return recovering(reason)
  if (verb === undefined || !verbs.includes(verb)) {
    throw new UsageError('expected list, resume, drop, settle-paid, settle-unpaid, book, unbook or recover')
  }
  if (subject === undefined) {
    throw new UsageError(
      verb === 'resume'
        ? 'the cause of the halt, or the line that lifts it, is required'
        : `the id of ${meantBy(verb)} is required`,
    )
  }
  if (reason === undefined || reason === '') throw new UsageError('a reason is required: --reason "..."')
  if (verb === 'resume') return (context, terminal) => resume(context, terminal, subject, reason)
  if (!isId(subject)) throw new UsageError(`the id of ${meantBy(verb)} is required`)
  const id = subject.toLowerCase()
  if (verb === 'drop') return (context, terminal) => drop(context, terminal, id, reason)
  if (verb === 'book') return booking(id, owner, reason)
  if (verb === 'unbook') return unbooking(id, reason)
  const outcome = verb === 'settle-paid' ? 'paid' : 'unpaid'
  return (context, terminal) => settle(context, terminal, id, { outcome, reason })
}

const verbs: readonly string[] = ['resume', 'drop', 'settle-paid', 'settle-unpaid', 'book', 'unbook']

function meantBy(verb: string): string {
  if (verb === 'book' || verb === 'unbook') return 'a payment of an outflow'
  return verb === 'drop' ? 'a refused transaction' : 'a transaction without its transfer'
}

function booking(paymentId: string, owner: string | undefined, reason: string): Act {
  if (owner === undefined || (owner !== 'capital' && !isId(owner)))
    throw new UsageError('the id of the merchant that had ordered the payment, or "capital", is required')
  const merchantId = owner === 'capital' ? undefined : owner.toLowerCase()
  return async ({ db, methods }, { note }) => {
    const booked = await bookOutflow({ db, methods }, { paymentId, merchantId, reason })
    const { payment, merchantName, isPosted } = booked
    const owed = merchantName === undefined ? 'your capital' : `merchant ${merchantName}`
    const what = paymentText(methods, payment)
    note(
      isPosted
        ? `${what}: charged to ${owed}. If that is wrong: coffer payouts unbook ${paymentId} --reason "..."`
        : `${what}: nothing is charged, because the books never had this asset.`,
    )
    return 0
  }
}

function unbooking(paymentId: string, reason: string): Act {
  return async ({ db, methods }, { note }) => {
    const payment = await unbookOutflow({ db }, { paymentId, reason })
    note(`${paymentText(methods, payment)}: the booking is undone. Book it again: coffer payouts book.`)
    return 0
  }
}

function recovering(reason: string | undefined): Act {
  if (reason === undefined || reason === '') throw new UsageError('a reason is required: --reason "..."')
  return async ({ db }, { note }) => {
    await inTransaction(db, (tx) => askRecovery(tx, { reason }))
    note('Recovery is started: nothing else is sent on any network until it is complete.')
    return 0
  }
}

async function list({ db, methods }: CommandContext, { print, note }: Terminal): Promise<number> {
  const { open, halts, waits, refused } = await readOutgoingFigures(db)
  const [assetHalts, unmoved] = await Promise.all([readAssetHalts(db), listUndecided(db)])
  const [outflows, unbooked, aside] = await Promise.all([
    readUnknownOutflows(db),
    readUnbooked(db),
    sumSetAside(db),
  ])
  for (const { id, cause, since, detail } of halts)
    print(`halt     ${cause}  ${id}  since ${since.toISOString()}  ${detail}`)
  for (const { asset, cause, since, detail } of assetHalts)
    print(`halt     ${asset}  ${cause}  since ${since.toISOString()}  ${detail}`)
  for (const { outgoingTransactionId, network, txHash, detail } of unmoved)
    print(`unmoved  ${outgoingTransactionId}  ${network}  ${txHash}  ${detail}`)
  for (const { network, cause, since, detail } of waits) {
    print(`wait     ${network}  ${cause}  since ${since.toISOString()}  ${detail}`)
  }
  for (const { outgoingTransactionId, kind, code, detail } of refused)
    print(`refused  ${outgoingTransactionId}  ${kind}  ${code}  ${detail}`)
  for (const { network, state, count, oldestS } of open) {
    print(`open     ${network}  ${state}  ${count}, the oldest for ${Math.round(oldestS)} s`)
  }
  for (const { network, txHash, detail, foundAt } of outflows)
    print(`outflow  ${network}  ${txHash}  found ${foundAt.toISOString()}  ${detail}`)
  for (const payment of unbooked) print(`unbooked ${payment.id}  ${paymentText(methods, payment)}`)
  for (const { network, reason, count, minor } of aside)
    print(`aside    ${network}  ${reason}  ${count} UTXOs of ${minor} that lost transactions may spend`)
  const sections = [open, halts, waits, refused, assetHalts, unmoved, outflows, unbooked, aside]
  if (sections.every((rows) => rows.length === 0)) note('No outgoing transactions, halts or waits.')
  return 0
}

function paymentText(methods: PaymentMethods, payment: OutflowPayment): string {
  const { network, txHash, contract, recipient = 'a script without address', amountMinor } = payment
  const method = methodOf(methods, payment)
  const amount =
    method === undefined
      ? `${amountMinor} units of ${contract ?? 'the coin'}`
      : `${formatDecimal(amountMinor, method.decimals)} ${method.symbol}`
  return `${amount} to ${recipient} by ${txHash} on ${network}`
}

async function resume(
  context: CommandContext,
  terminal: Terminal,
  subject: string,
  reason: string,
): Promise<number> {
  if (subject.includes('/')) return resumeOne(context, terminal, subject, reason)
  return isLiftLine(subject)
    ? resumeBy(context, terminal, subject, reason)
    : resumeCause(context, terminal, subject, reason)
}

/**
 * Lifts the halt of one asset. An operator can lift such a halt without a signature of the signer. Returns the
 * exit code.
 */
async function resumeOne(
  { db }: CommandContext,
  { note }: Terminal,
  asset: string,
  reason: string,
): Promise<number> {
  const wasThere = await inTransaction(db, (tx) => resumeAsset(tx, asset, { reason }))
  note(wasThere ? 'Payouts are resumed.' : `There is no halt "${asset}".`)
  return wasThere ? 0 : 1
}

/**
 * Lifts a halt with a statement that the signer's operator signed with `coffer signer lift`. Returns the exit
 * code.
 */
async function resumeBy(
  { db }: CommandContext,
  { note }: Terminal,
  line: string,
  reason: string,
): Promise<number> {
  const signed = readLiftLine(line)
  const key = await readStatementKey(db)
  if (signed === undefined || (key !== undefined && !isSigned(key, signed.statement, signed.signature))) {
    note('This line was not signed by the signer: copy the whole line that "coffer signer lift" printed.')
    return 1
  }
  const isNew = await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason }))
  note(
    isNew
      ? 'Payouts are resumed.'
      : `There is no halt ${signed.lift.haltId}, or this line has lifted it already.`,
  )
  return isNew ? 0 : 1
}

async function resumeCause(
  { db, config }: CommandContext,
  { note }: Terminal,
  cause: string,
  reason: string,
): Promise<number> {
  const active = (await readShownHalts(db)).filter((halt) => halt.cause === cause)
  if (active.length === 0) {
    note(`There is no halt "${cause}".`)
    return 1
  }
  for (const halt of active) {
    const line = await liftInSandbox(config, halt, reason)
    if (line === undefined) {
      note('Lift the halt on the host of the signer, and pass the printed line to "coffer payouts resume":')
      note(`  coffer signer lift --halt ${halt.id} --reason "..." --keystore F --passphrase-file F`)
      if (cause === 'history')
        note('Add --new-database-id if the database went back in time or was restored.')
      return 1
    }
    await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason }))
  }
  note('Payouts are resumed.')
  return 0
}

async function drop(
  { db, methods }: CommandContext,
  { note }: Terminal,
  outgoingTransactionId: string,
  reason: string,
): Promise<number> {
  const wasThere = await inTransaction(db, (tx) =>
    dropRefused(tx, followersOf(methods), outgoingTransactionId, { reason }),
  )
  note(
    wasThere
      ? 'The transaction is dropped; the money it would have moved is available again.'
      : 'The signer has refused no transaction with that id.',
  )
  return wasThere ? 0 : 1
}

async function settle(
  { db }: CommandContext,
  { note }: Terminal,
  outgoingTransactionId: string,
  decision: { readonly outcome: UnmovedOutcome; readonly reason: string },
): Promise<number> {
  const wasThere = await inTransaction(db, (tx) => settleUnmoved(tx, outgoingTransactionId, decision))
  note(
    wasThere
      ? `The transaction is settled as ${decision.outcome}; this takes effect with the next block.`
      : 'No transaction with that id waits for such a decision.',
  )
  return wasThere ? 0 : 1
}

/**
 * Returns the listeners of the outgoing sources. They must be notified when an operator drops an outgoing
 * transaction.
 */
function followersOf(methods: PaymentMethods): readonly OutgoingListener[] {
  return [
    withdrawalFollower({ methods, log: silentLog, orders: undefined }),
    sweepFollower({
      methods,
      familyOf: (network) => required(networkOf(network), `the network ${network}`).family,
    }),
    treasuryOutgoingSource(methods),
  ]
}
