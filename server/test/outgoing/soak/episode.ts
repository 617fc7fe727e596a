/** One snapshot that is put back, in part or whole, while the chain went on; then the operator's way out, as the docs have it. */
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { required } from '../../../src/core/assert.ts'
import { newId } from '../../../src/core/ids.ts'
import { limits } from '../../../src/core/limits.ts'
import type { HaltCause } from '../../../src/outgoing/engine/controls/halt-store.ts'
import { resumePayouts } from '../../../src/outgoing/engine/controls/halts.ts'
import { readShownHalts } from '../../../src/outgoing/engine/controls/standing-halts.ts'
import { askRecovery } from '../../../src/outgoing/engine/recovery/ask-recovery.ts'
import { inTransaction } from '../../../src/platform/db/transaction.ts'
import { signedLift } from '../../support/lifts.ts'
import { type MachinePart, restoreParts, takeSnapshot } from '../../support/machine-snapshot.ts'
import { live } from './live.ts'
import { orderSome } from './merchants.ts'
import { countersign, countOne, mineBlock, pick, stopMachine, takeRound, type World } from './world.ts'

/** What becomes of bytes that were signed since the snapshot, until it is put back. */
const fates = ['mined', 'in the pool', 'mixed', 'in no pool'] as const
type Fate = (typeof fates)[number]

/** What a restore may halt payouts for; each is lifted by its operator. Any other halt is a fault. */
const signsOfGoingBack: readonly HaltCause[] = ['log-unknown', 'chain-ahead', 'history']

export async function restoreOnce(world: World, parts: readonly MachinePart[]): Promise<void> {
  const { flow, dice, counts } = world
  for (let turns = dice.between(3, 10); turns > 0; turns -= 1) await live(world)
  // Its wallets have room for what is ordered now, and no round was taken since.
  await mineBlock(world)
  await orderSome(world)
  const snapshot = await takeSnapshot(flow.database, world.signer)
  expect(await readShownHalts(flow.database.db), 'payouts halt though nothing was put back').toEqual([])
  const { length: entriesBefore } = await readSigned(world, 0)
  const fate = fateOf(world, parts)
  await goOn(world, fate, entriesBefore)
  const bytes = new Map(await readSigned(world, entriesBefore))
  await stopMachine(world)

  const restored = await restoreParts(flow.database, world.signer, snapshot, parts)
  world.signer = restored.signer
  expect(
    restored.isLossAccepted,
    'the signer refuses a log that is older than its checkpoint, and no other',
  ).toBe(restored.isLossKnown)
  if (restored.isLossAccepted) counts.lossesAccepted += 1
  await flow.follow()
  // Nothing shows that all three went back where bytes lie in no pool: whoever restored them says so, before payouts start.
  const hidden = parts.length === 3 ? await readHidden(world, bytes) : new Map<string, string>()
  if (parts.length === 3 && (hidden.size > 0 || dice.chance(0.5))) await recover(world)
  await findTheWayOut(world, hidden.size > 0 ? new Map() : bytes)
  expect(await resend(world, hidden), 'bytes that nobody showed can still be mined after the recovery').toBe(
    0,
  )
  counts.hiddenBytes += hidden.size
  counts.bytesTakenAgain += await resend(world, bytes)
  await mineBlock(world)
  countOne(counts.restores, nameOf(parts))
  countOne(counts.fates, fate)
}

/** In turns, so that each subset meets each; where all three go back, first the one that nothing shows. */
function fateOf({ counts }: World, parts: readonly MachinePart[]): Fate {
  const turn = (counts.restores.get(nameOf(parts)) ?? 0) + parts.length
  return required(fates[turn % fates.length], 'a fate')
}

export function nameOf(parts: readonly MachinePart[]): string {
  return parts.join(' + ')
}

/** What the signer's log holds after so many entries: bytes by hash. All that was ever in it is kept for the end. */
async function readSigned(
  { signer, signed }: World,
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
 * Rounds after the snapshot, at least until bytes were signed that it does not hold: a machine that was killed may have signed none,
 * and a reservation of another order ends with blocks alone.
 */
async function goOn(world: World, fate: Fate, entriesBefore: number): Promise<void> {
  const { dice } = world
  const isMined = () => fate === 'mined' || (fate === 'mixed' && dice.chance(0.5))
  const isAnySigned = async () => (await readSigned(world, entriesBefore)).length > 0
  for (let turns = dice.between(1, 3); turns > 0 || !(await isAnySigned()); turns -= 1) {
    if (turns < -turnsMax) throw new Error(`nothing is signed: ${await describeStandstill(world)}`)
    await live(world, { isMined: turns <= 0 || isMined() })
    if (fate === 'mixed') await drop(world, entriesBefore, 0.5)
  }
  if (fate === 'mined') await mineBlock(world)
  if (fate === 'in no pool') await drop(world, entriesBefore, 1)
}

/** Takes bytes out of the node's pool. */
async function drop(world: World, entriesBefore: number, share: number): Promise<void> {
  for (const [hash] of await readSigned(world, entriesBefore))
    if (world.dice.chance(share))
      await world.flow.anvil.rpc('anvil_dropTransaction', [hash]).catch(() => undefined)
}

/** Those of them that neither a block nor the pool shows. */
async function readHidden(
  { flow }: World,
  bytes: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const hidden = new Map<string, string>()
  for (const [hash, raw] of bytes)
    if ((await flow.anvil.rpc('eth_getTransactionByHash', [hash])) === null) hidden.set(hash, raw)
  return hidden
}

/** Somebody who kept bytes sends them once more. @returns how many the node took */
export async function resend({ flow }: World, bytes: ReadonlyMap<string, string>): Promise<number> {
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

/** `coffer payouts recover`. */
async function recover({ flow, counts }: World): Promise<void> {
  counts.recoveries += 1
  await inTransaction(flow.database.db, (tx) => askRecovery(tx, { reason: 'the machine was restored' }))
}

const turnsMax = 80

/**
 * Blocks and rounds, lifting each halt that a restore explains, until none stands and no recovery is under way.
 * @param bytes some of them come up again meanwhile
 */
async function findTheWayOut(world: World, bytes: ReadonlyMap<string, string>): Promise<void> {
  const { flow, dice } = world
  const kept = [...bytes]
  let quiet = 0
  for (let turns = 0; quiet < 2; turns += 1) {
    if (turns > turnsMax) throw new Error(`payouts do not go on: ${await describeStandstill(world)}`)
    if (kept.length > 0 && dice.chance(0.2)) await resend(world, new Map([pick(dice, kept)]))
    await mineBlock(world)
    await countersign(world)
    const isFinished = await takeRound(world)
    const lifted = await liftHalts(world)
    const recovering = await flow.database.db.query(sql`select from payout_recovery`)
    quiet = isFinished && lifted === 0 && recovering.length === 0 ? quiet + 1 : 0
  }
}

async function describeStandstill({ flow }: World): Promise<string> {
  const db = flow.database.db
  const found = [
    await readShownHalts(db),
    await db.query(sql`select * from payout_wait`),
    await db.query(sql`select * from payout_recovery`),
    await db.query(
      sql`select id, kind, wallet, nonce, state from payout where state not in ('final', 'displaced')`,
    ),
  ]
  return JSON.stringify(found, null, 1)
}

/** As `coffer payouts resume` does with lines of `coffer signer lift`; where history went back, with another incarnation. */
async function liftHalts({ flow, counts }: World): Promise<number> {
  const { db } = flow.database
  const standing = await readShownHalts(db)
  for (const { id, cause, detail } of standing) {
    expect(signsOfGoingBack, detail).toContain(cause)
    countOne(counts.halts, cause)
    const incarnation = cause === 'history' ? newId() : null
    const line = signedLift(flow.signer.keys, { haltId: id, incarnation })
    await inTransaction(db, (tx) => resumePayouts(tx, line, { reason: 'a snapshot was put back' }))
  }
  return standing.length
}
