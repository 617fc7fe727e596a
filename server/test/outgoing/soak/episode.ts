/**
 * One restore of a snapshot, in part or whole, while the chain continued, and the steps that the docs
 * prescribe to the operator afterwards.
 */
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { required } from '../../../src/core/assert.ts'
import { newId } from '../../../src/core/ids.ts'
import { limits } from '../../../src/core/limits.ts'
import { readShownHalts } from '../../../src/outgoing/engine/controls/active-halts.ts'
import type { HaltCause } from '../../../src/outgoing/engine/controls/halt-store.ts'
import { resumeOutgoing } from '../../../src/outgoing/engine/controls/halts.ts'
import { askRecovery } from '../../../src/outgoing/engine/recovery/ask-recovery.ts'
import { inTransaction } from '../../../src/platform/db/transaction.ts'
import { type HostPart, restoreParts, takeSnapshot } from '../../support/host-snapshot.ts'
import { signedLift } from '../../support/lifts.ts'
import { bookOutflows } from '../../support/outflows.ts'
import { live } from './live.ts'
import { orderSome } from './merchants.ts'
import { countersign, countOne, mineBlock, pick, type Soak, stopEngine, takeRound } from './soak.ts'

/** What happens, before the restore, to the transactions that were signed after the snapshot. */
const fates = ['mined', 'in the pool', 'mixed', 'in no pool'] as const
type Fate = (typeof fates)[number]

/** The halts that a restore may cause. The operator lifts each of them. Any other halt is a fault. */
const signsOfGoingBack: readonly HaltCause[] = ['log-unknown', 'chain-ahead', 'history']

export async function restoreOnce(soak: Soak, parts: readonly HostPart[]): Promise<void> {
  const { flow, dice, counts } = soak
  for (let rounds = dice.between(3, 10); rounds > 0; rounds -= 1) await live(soak)
  // After a block the wallets have room for the new orders, and no round has run since.
  await mineBlock(soak)
  await orderSome(soak)
  const snapshot = await takeSnapshot(flow.database, soak.signer)
  expect(await readShownHalts(flow.database.db), 'payouts halt though nothing was put back').toEqual([])
  const { length: entriesBefore } = await readSigned(soak, 0)
  const fate = fateOf(soak, parts)
  await goOn(soak, fate, entriesBefore)
  const bytes = new Map(await readSigned(soak, entriesBefore))
  await stopEngine(soak)

  const restored = await restoreParts(flow.database, soak.signer, snapshot, parts)
  soak.signer = restored.signer
  expect(
    restored.isLossAccepted,
    'the signer refuses a log that is older than its checkpoint, and no other',
  ).toBe(restored.isLossKnown)
  if (restored.isLossAccepted) counts.lossesAccepted += 1
  await flow.follow()
  // If all three parts were restored and some signed transactions are in no mempool, Coffer cannot detect the
  // loss. The operator then requests the recovery before payouts start.
  const hidden = parts.length === 3 ? await readHidden(soak, bytes) : new Map<string, string>()
  if (parts.length === 3 && (hidden.size > 0 || dice.chance(0.5))) await recover(soak)
  await resolveRecovery(soak, hidden.size > 0 ? new Map() : bytes)
  expect(await resend(soak, hidden), 'bytes that nobody showed can still be mined after the recovery').toBe(0)
  counts.hiddenBytes += hidden.size
  counts.bytesTakenAgain += await resend(soak, bytes)
  await mineBlock(soak)
  countOne(counts.restores, nameOf(parts))
  countOne(counts.fates, fate)
}

/**
 * Chooses the fates in turn, so that each subset of parts is tested with each of them. If all three parts are
 * restored, the first fate is the one that Coffer cannot detect.
 */
function fateOf({ counts }: Soak, parts: readonly HostPart[]): Fate {
  const index = (counts.restores.get(nameOf(parts)) ?? 0) + parts.length
  return required(fates[index % fates.length], 'a fate')
}

export function nameOf(parts: readonly HostPart[]): string {
  return parts.join(' + ')
}

/**
 * Returns the signed transactions in the signer's log after this many entries, with their hashes. Also keeps
 * all of them for the end of the soak.
 */
async function readSigned(
  { signer, signed }: Soak,
  after: number,
): Promise<readonly (readonly [string, string])[]> {
  const bytes: (readonly [string, string])[] = []
  for (let entries = await signer.signer.readLog(after, limits.signerLogEntries); entries.length > 0; ) {
    for (const { txHash, raw } of entries) bytes.push([txHash, raw])
    entries = await signer.signer.readLog(after + bytes.length, limits.signerLogEntries)
  }
  for (const [hash, raw] of bytes) signed.set(hash, raw)
  return bytes
}

/**
 * Runs rounds until a transaction was signed that the snapshot does not contain. Several rounds may be
 * necessary: a killed engine may have signed nothing, and a reservation of another order ends only with new
 * blocks.
 */
async function goOn(soak: Soak, fate: Fate, entriesBefore: number): Promise<void> {
  const { dice } = soak
  const isMined = () => fate === 'mined' || (fate === 'mixed' && dice.chance(0.5))
  const isAnySigned = async () => (await readSigned(soak, entriesBefore)).length > 0
  for (let rounds = dice.between(1, 3); rounds > 0 || !(await isAnySigned()); rounds -= 1) {
    if (rounds < -roundsMax) throw new Error(`nothing is signed: ${await describeStandstill(soak)}`)
    await live(soak, { isMined: rounds <= 0 || isMined() })
    if (fate === 'mixed') await drop(soak, entriesBefore, 0.5)
  }
  if (fate === 'mined') await mineBlock(soak)
  if (fate === 'in no pool') await drop(soak, entriesBefore, 1)
}

/** Drops each newly signed transaction from the node's mempool with the probability `share`. */
async function drop(soak: Soak, entriesBefore: number, share: number): Promise<void> {
  for (const [hash] of await readSigned(soak, entriesBefore))
    if (soak.dice.chance(share))
      await soak.flow.anvil.rpc('anvil_dropTransaction', [hash]).catch(() => undefined)
}

/** Returns the signed transactions that are neither in a block nor in the mempool. */
async function readHidden(
  { flow }: Soak,
  bytes: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const hidden = new Map<string, string>()
  for (const [hash, raw] of bytes)
    if ((await flow.anvil.rpc('eth_getTransactionByHash', [hash])) === null) hidden.set(hash, raw)
  return hidden
}

/**
 * Sends signed transactions again, as anybody who has kept them can.
 * @returns how many the node accepted
 */
export async function resend({ flow }: Soak, bytes: ReadonlyMap<string, string>): Promise<number> {
  let taken = 0
  for (const raw of bytes.values()) {
    const sent = flow.anvil.rpc('eth_sendRawTransaction', [`0x${raw}`])
    taken += await sent.then(
      () => 1,
      () => 0,
    )
  }
  return taken
}

/** Does what `coffer payouts recover` does. */
async function recover({ flow, counts }: Soak): Promise<void> {
  counts.recoveries += 1
  await inTransaction(flow.database.db, (tx) => askRecovery(tx, { reason: 'the machine was restored' }))
}

const roundsMax = 80

/**
 * Mines blocks and runs rounds, lifting each halt that a restore explains, until no halt is active and no
 * recovery is under way.
 * @param bytes bytes of which some are sent again meanwhile
 */
async function resolveRecovery(soak: Soak, bytes: ReadonlyMap<string, string>): Promise<void> {
  const { flow, dice } = soak
  const kept = [...bytes]
  let quiet = 0
  for (let rounds = 0; quiet < 2; rounds += 1) {
    if (rounds > roundsMax) throw new Error(`payouts do not go on: ${await describeStandstill(soak)}`)
    if (kept.length > 0 && dice.chance(0.2)) await resend(soak, new Map([pick(dice, kept)]))
    await mineBlock(soak)
    await countersign(soak)
    const isFinished = await takeRound(soak)
    const lifted = await liftHalts(soak)
    await bookOutflows(flow.shop, ({ contract, recipient }) => {
      const isCoin = contract === undefined
      return soak.orders.find((one) => one.isCoin === isCoin && one.address === recipient)?.merchant.id
    })
    const recovering = await flow.database.db.query(sql`select from outgoing_recovery`)
    quiet = isFinished && lifted === 0 && recovering.length === 0 ? quiet + 1 : 0
  }
}

async function describeStandstill({ flow }: Soak): Promise<string> {
  const db = flow.database.db
  const found = [
    await readShownHalts(db),
    await db.query(sql`select * from outgoing_wait`),
    await db.query(sql`select * from outgoing_recovery`),
    await db.query(
      sql`select id, kind, wallet, nonce, pinned_outpoint, state from outgoing_transaction
          left join outgoing_evm evm on evm.outgoing_transaction_id = id
          left join outgoing_utxo utxo on utxo.outgoing_transaction_id = id
          where state not in ('final', 'conflicted')`,
    ),
  ]
  return JSON.stringify(found, null, 1)
}

/**
 * Lifts halts as `coffer payouts resume` does with lines of `coffer signer lift`. If the halt was caused by
 * history that went back, the lift begins a new incarnation.
 */
async function liftHalts({ flow, counts }: Soak): Promise<number> {
  const { db } = flow.database
  const active = await readShownHalts(db)
  for (const { id, cause, detail } of active) {
    expect(signsOfGoingBack, detail).toContain(cause)
    countOne(counts.halts, cause)
    const databaseId = cause === 'history' ? newId() : null
    const line = signedLift(flow.signer.keys, { haltId: id, databaseId })
    await inTransaction(db, (tx) => resumeOutgoing(tx, line, { reason: 'a snapshot was put back' }))
  }
  return active.length
}
