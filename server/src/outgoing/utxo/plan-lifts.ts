import { required } from '../../core/assert.ts'
import { max, min, sum } from '../../core/money.ts'
import { readHashes } from '../engine/attempt-store.ts'
import { bumpsMax, maxCostMinor, raised } from '../engine/payout.ts'
import type { Wait } from '../engine/placing.ts'
import type { Proposal } from '../engine/purpose.ts'
import { type NewPayout, readPayouts, type StoredPayout } from '../engine/store.ts'
import type { ChangePlaces } from './change-places.ts'
import type { CoinGround } from './choose-coins.ts'
import type { CoinParts } from './coin-parts.ts'
import { isSpokenFor, readInputs } from './coin-store.ts'
import { changeOutpoint, feesOf, type PayoutInput, shapeOf } from './shape.ts'

export interface PlannedLifts {
  readonly planned: readonly NewPayout[]
  readonly waits: readonly Wait[]
  /** The most that they cost together. */
  readonly costMinor: bigint
}

/**
 * Plans what spends the change of payouts that are stuck, and pays for both (child pays for parent): what nodes do not
 * replace is lifted.
 */
export async function planLifts(
  parts: CoinParts,
  proposals: readonly Proposal[],
  { ground, places }: { readonly ground: CoinGround; readonly places: ChangePlaces },
): Promise<PlannedLifts> {
  const planned: NewPayout[] = []
  const waits: Wait[] = []
  for (const proposal of proposals) {
    const line = await readLine(parts, proposal)
    const lift = line.length > bumpsMax ? undefined : await liftOf(parts, line, ground)
    if (lift === undefined || costOf([...planned, lift]) > ground.capitalMinor) {
      waits.push({
        cause: 'stuck',
        detail: `payout ${line[0]?.id} is not mined, and no more may be offered for it`,
      })
      continue
    }
    const change = places.next()
    const { id, network, intent } = proposal
    const { outpoint } = lift.input
    planned.push({
      id,
      network,
      intent,
      from: change.place,
      wallet: outpoint,
      nonce: 0,
      fees: lift.fees,
      spends: undefined,
      carries: [id],
      coins: { inputs: [lift.input], change },
    })
  }
  return { planned, waits, costMinor: costOf(planned) }
}

function costOf(planned: readonly Pick<NewPayout, 'fees'>[]): bigint {
  return sum(planned.map(({ fees }) => maxCostMinor(fees)))
}

/** What is to be lifted, then what that lifts itself, down to what pays somebody. */
async function readLine({ db }: CoinParts, { intent }: Proposal): Promise<readonly StoredPayout[]> {
  const line: StoredPayout[] = []
  let at: Proposal['intent'] | undefined = intent
  while (at?.kind === 'lift' && line.length <= bumpsMax) {
    const [payout]: readonly StoredPayout[] = await readPayouts(db, [at.payoutId])
    if (payout === undefined) break
    line.push(payout)
    at = payout.intent
  }
  return line
}

/**
 * At what is asked for now, and at an eighth above what the line offered; for those of the line that are in no block. Undefined
 * where there is nothing to lift it by: it is mined or displaced, too little came back of it, or another has spent that.
 */
async function liftOf(
  parts: CoinParts,
  line: readonly StoredPayout[],
  { feeRate, changeWeight }: CoinGround,
): Promise<{ readonly input: PayoutInput; readonly fees: NewPayout['fees'] } | undefined> {
  const { drafts, network, db } = parts
  const [stuck] = line
  if (stuck?.state !== 'broadcast' && stuck?.state !== 'in_doubt') return undefined
  const [txHash] = (await readHashes(db, [stuck.id])).get(stuck.id) ?? []
  const shape = shapeOf(stuck, required((await readInputs(db, [stuck.id])).get(stuck.id), 'its coins'))
  if (txHash === undefined || shape.change === undefined) return undefined
  const outpoint = changeOutpoint(txHash, shape)
  // After a reorganisation it may be unmined again, when what came back of it is spent.
  if (await isSpokenFor(db, network.name, outpoint)) return undefined
  const waiting = line.filter(({ inclusion }) => inclusion === undefined)
  const gas = sum(waiting.map(({ fees }) => fees.gas))
  const paidMinor = sum(waiting.map(({ fees }) => fees.tipMinor))
  const offered = waiting.reduce((most, { fees }) => max(most, raised(fees.maxFeeMinor)), 0n)
  const most = network.chain.feeRateMax / 1_000n
  const rate = min(max(feeRate / 1_000n, offered), most)
  const weight = drafts.emptyWeight + drafts.inputWeight + changeWeight
  const own = feesOf(weight, 0n).gas
  const feeMinor = min(max(rate * (gas + own) - paidMinor, rate * own), most * own)
  if (shape.change.amountMinor - feeMinor < network.chain.dustMinor) return undefined
  const { place, amountMinor } = shape.change
  return { input: { outpoint, amountMinor, place }, fees: feesOf(weight, feeMinor) }
}
