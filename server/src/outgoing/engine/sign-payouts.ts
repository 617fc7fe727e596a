import { assert } from '../../core/assert.ts'
import { limits } from '../../core/limits.ts'
import { assertLease } from '../../platform/db/lease.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { RefusalCode } from '../../signing/signer-port.ts'
import { insertAttempts, readDearest } from './attempt-store.ts'
import { checkAnswers, type Refused, type Signed } from './check-answers.ts'
import { outsideHalts, readKeptAssets } from './controls/asset-halts.ts'
import { haltPayouts } from './controls/halts.ts'
import { readStanding } from './controls/standing-halts.ts'
import { advanceLogMark } from './log-mark-store.ts'
import { haltUnderLease, type PayoutParts, raiseAlert } from './machine.ts'
import type { MachineMemory } from './machine-memory.ts'
import { bumpsMax } from './payout.ts'
import { tellPurposes } from './purpose.ts'
import { deleteRefusals, insertRefusals, proposalOf } from './retries/refusal-store.ts'
import { isAbove, noteOverLimit, overLimitRetryS } from './retries/retry-cheaper.ts'
import { feeMaxMinor } from './signer-client/attested-limits.ts'
import { stopTampered } from './stop-tampered.ts'
import {
  deletePlanned,
  readUnsigned,
  type StoredPayout,
  saveFees,
  saveOfferedNow,
  saveSentHeight,
  saveState,
} from './store.ts'

/**
 * Has the signer sign what is stored and was not signed yet, and stores the bytes before anybody is given them. What came
 * back is not believed: where it is anything else than what was asked, payouts are halted and nothing of it is kept.
 * @param isClear whether the chain's past is what the books say; else nothing is signed for the first time
 * @returns how many answers there were
 * @throws SignerAwayError: what became of the requests is in the signer's log then
 */
export async function signPayouts(
  parts: PayoutParts,
  memory: MachineMemory,
  isClear: boolean,
): Promise<number> {
  const { db, log, network, signer, way } = parts
  const isHalted = (await readStanding(db, memory)).length > 0
  const unsigned = await readUnsigned(db, network.name, limits.payoutsSignedAtOnce)
  const held = isHalted ? [] : await takeHaltedBack(parts, memory, unsigned)
  // Where the past is not known, a higher offer is signed all the same: it conflicts with what was signed before.
  const own = isClear ? new Set() : await way.recovery.findOwn(unsigned.map(({ id }) => id))
  const isTimely = ({ id, state }: StoredPayout) => isClear || state !== 'planned' || own.has(id)
  const mayBeSigned = (payout: StoredPayout) =>
    way.isFiller(payout) || (!isHalted && !held.includes(payout) && isTimely(payout))
  const due = await stopTampered(parts, memory, unsigned.filter(mayBeSigned))
  if (due.length === 0) return 0
  const requests = await way.requestsFor(memory, due)
  const answers = await signer.sign(requests)
  assert(answers.length === due.length, 'the signer answers each request')
  const { signed, refused, faults } = await checkAnswers(way, memory, due, requests, answers)
  await noteOverLimit(way, memory, refused)
  await inTransaction(db, async (tx) => {
    await assertLease(tx, memory.lease)
    await keepSigned(parts, tx, signed)
    for (const pair of refused) await takeBack(parts, memory, tx, pair)
    if (faults.length > 0) await haltPayouts({ db: tx, log }, 'signer-answer', signerAnswerDetail(faults))
  })
  for (const pair of refused) await tell(parts, memory, pair)
  return signed.length + refused.length
}

/** The first of what is wrong, and how much there is. */
function signerAnswerDetail(faults: readonly string[]): string {
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return `the signer answered with what it was not asked for: ${faults[0]}${more}`
}

/**
 * Takes back what was planned of assets that are halted since, so that nothing of other assets waits behind it in a wallet's
 * order. It is planned anew once the halt is lifted.
 * @returns what was taken back
 */
async function takeHaltedBack(
  parts: PayoutParts,
  memory: MachineMemory,
  unsigned: readonly StoredPayout[],
): Promise<readonly StoredPayout[]> {
  const planned = unsigned.filter(({ state }) => state === 'planned')
  const free = outsideHalts(planned, await readKeptAssets(parts.db, memory))
  const held = planned.filter((payout) => !free.includes(payout))
  if (held.length === 0) return held
  await inTransaction(parts.db, async (tx) => {
    await assertLease(tx, memory.lease)
    for (const payout of held) {
      const detail = `payouts of ${payout.spends?.asset} are halted`
      await takeBack(parts, memory, tx, [payout, { type: 'refused', code: 'over-limit', detail }])
    }
  })
  return held
}

async function keepSigned(
  { network, purposes, way }: PayoutParts,
  tx: Tx,
  signed: readonly Signed[],
): Promise<void> {
  if (signed.length === 0) return
  const fillers = signed.flatMap(([payout]) => (way.isFiller(payout) ? [payout.id] : []))
  if (fillers.length > 0) await deleteRefusals(tx, fillers)
  await insertAttempts(
    tx,
    signed.map(([{ id, fees }, { txHash, raw }]) => ({
      network: network.name,
      payoutId: id,
      txHash,
      raw,
      fees,
    })),
  )
  await saveSentHeight(
    tx,
    signed.map(([{ id }]) => id),
    undefined,
  )
  const first = signed.flatMap(([payout]) => (payout.state === 'planned' ? [payout] : []))
  await saveState(
    tx,
    first.map(({ id }) => id),
    'signed',
  )
  await moveMark(
    tx,
    signed.map(([, { sequence }]) => sequence),
  )
  await tellPurposes(
    purposes,
    tx,
    first.map((payout) => ({ payout: { ...payout, state: 'signed' }, to: 'signed' })),
  )
}

/** Over what was signed just now; the log is read where something else lies between. */
async function moveMark(tx: Tx, sequences: readonly number[]): Promise<void> {
  const sorted = sequences.toSorted((a, b) => a - b)
  const [first = 0] = sorted
  const end = sorted.findIndex((sequence, index) => sequence !== first + index)
  const last = end === -1 ? sorted.length : end
  await advanceLogMark(tx, first - 1, first + last - 1)
}

const tamperedCodes: readonly string[] = ['not-approved', 'not-as-intended']
/** Those that stand for a while: limits over 24 hours, and a halt. */
const passingCodes: readonly RefusalCode[] = ['over-limit', 'halted']

/**
 * What was refused before anything was signed gives its place in the order back, but for what fills it; a raise has none
 * to give.
 */
async function takeBack(
  parts: PayoutParts,
  memory: MachineMemory,
  tx: Tx,
  [payout, { code, detail }]: Refused,
): Promise<void> {
  if (payout.state === 'planned' && parts.way.isFiller(payout)) {
    const proposal = proposalOf(payout)
    return insertRefusals(tx, [{ proposal, code, detail, retryInS: overLimitRetryS }])
  }
  const [planned] = await deletePlanned(tx, [payout.id])
  if (planned?.intent.kind === 'sweep' && code === 'over-limit') {
    // It is proposed anew at the price of then, in parts where that is needed.
    await tellPurposes(parts.purposes, tx, [{ payout: planned, to: 'displaced' }])
    return parts.way.gaveBack(memory, tx, planned)
  }
  if (planned !== undefined) {
    const again = parts.way.partsOf(proposalOf(planned))
    // Moves between lanes are our own idea: whatever is wrong with one, another is made later.
    const isPassing = passingCodes.includes(code) || planned.intent.kind === 'rebalance'
    const alone = isPassing ? restOf(parts, memory, planned, code) : undefined
    // Which of several it does not like is found at once; the others wait for nobody.
    const retryInS = again.length > 1 ? 0 : alone
    await insertRefusals(
      tx,
      again.map((proposal) => ({ proposal, code, detail, retryInS })),
    )
    await parts.way.gaveBack(memory, tx, planned)
    return
  }
  await takeRaiseBack(tx, payout, code)
}

/** What is too dear by itself rests no longer than the price: it is planned once that is within the limit. */
function restOf(
  { network }: PayoutParts,
  { limits: allowed }: MachineMemory,
  { fees }: StoredPayout,
  code: RefusalCode,
): number {
  const isTooDear = code === 'over-limit' && isAbove(fees, feeMaxMinor(allowed, network.name))
  return isTooDear ? 0 : overLimitRetryS
}

/** A limit has room again later, so that such a raise is only put off; any other refusal stands. */
async function takeRaiseBack(tx: Tx, payout: StoredPayout, code: RefusalCode): Promise<void> {
  const dearest = await readDearest(tx, payout.id)
  if (dearest === undefined) return
  const isPutOff = passingCodes.includes(code)
  await saveFees(tx, payout.id, dearest, isPutOff ? Math.max(0, payout.bumps - 1) : bumpsMax)
  if (isPutOff) await saveOfferedNow(tx, payout.id)
}

async function tell(parts: PayoutParts, memory: MachineMemory, [payout, { code, detail }]: Refused) {
  const fields = { subject: payout.id, kind: payout.intent.kind, code, detail }
  raiseAlert(parts, memory, 'signer-refused', fields, 'the signer refused a payout')
  if (tamperedCodes.includes(code)) {
    await haltUnderLease(
      parts,
      memory,
      'tampering',
      `the signer refused payout ${payout.id} (${code}): ${detail}`,
    )
  }
}
