/**
 * Transactions of coins: each input must be of a key that is derived here from its path, each output must be a payment that
 * was approved or lie at a key that is derived here, and the fee must be one that the operator allows.
 */
import type { KeyObject } from 'node:crypto'
import type { UtxoNetwork } from '../../chains/networks.ts'
import { coinCodecOf } from '../../chains/spend-codecs.ts'
import { type CoinCodec, type CoinSpend, PsbtError, type SpendOutput } from '../../chains/utxo/coin-port.ts'
import { required } from '../../core/assert.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import type { CoinRequest } from '../../signing/signer-port.ts'
import type { KeyTree } from '../keys/key-tree.ts'
import { ownKeyAt } from '../keys/own-key.ts'
import { intendedOutputs } from './intended-outputs.ts'
import type { JudgedRequest } from './judge.ts'
import { type Fee, feeOf, KnownCoins } from './known-coins.ts'
import { feeCharge, feeFault, outflowCharges, type Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

export interface CoinJudgeParts {
  readonly keys: KeyTree
  readonly policy: Policy
  readonly intentKey: KeyObject
  /** Checks the signatures of orders. */
  readonly orders: OrderVerifier
  /** The operator's own addresses by network, in canonical spelling. */
  readonly coldAddresses: ReadonlyMap<string, string>
  /** Undefined for one that the signer has no keys for. */
  readonly coinNetwork: (name: string) => UtxoNetwork | undefined
}

/** More are dust, or a way to hide what is ours from ourselves. */
const ownOutputsMax = 4

export class CoinJudge {
  readonly #parts: CoinJudgeParts
  readonly #known = new KnownCoins()

  constructor(parts: CoinJudgeParts) {
    this.#parts = parts
  }

  /** @throws Refusal where it is no transaction of coins on a network of ours */
  judge(request: CoinRequest): JudgedRequest {
    const { network, payoutId, anchor } = request
    const row = this.#parts.coinNetwork(network)
    if (row === undefined)
      throw new Refusal('not-allowed', `The signer has no coins on a network called ${network}`)
    const codec = coinCodecOf(row)
    const spend = readOrRefuse(() => codec.parse(request.psbt))
    // By the public ones, once each was found to be ours: deriving them takes longer than all else.
    const keys = new Map<string, Uint8Array>()
    return {
      takes: takesOf(anchor, spend),
      require: () => {
        for (const [publicKey, key] of this.#keysOf(row, codec, spend)) keys.set(publicKey, key)
        this.#require(request, row, codec, spend)
      },
      charges: (isRepeated) => this.#charges(request, spend, isRepeated),
      sign: async () =>
        readOrRefuse(() => codec.sign(request.psbt, (publicKey) => required(keys.get(publicKey), 'key'))),
      remember: (txHash) => this.#known.add(network, payoutId, txHash, spend),
    }
  }

  /** @throws Refusal unless each coin lies at the key that is derived at the path that is named for it */
  #keysOf({ chain }: UtxoNetwork, codec: CoinCodec, { inputs }: CoinSpend) {
    return inputs.map(({ outpoint, script, ...claimed }) => {
      const own = ownKeyAt(this.#parts.keys, chain, claimed)
      if (own === undefined || codec.scriptOfKey(own.publicKey) !== script)
        throw new Refusal(
          'not-as-intended',
          `The coin ${outpoint} does not lie at the key that is named for it`,
        )
      return [own.publicKey, own.privateKey] as const
    })
  }

  #require(request: CoinRequest, row: UtxoNetwork, codec: CoinCodec, spend: CoinSpend): void {
    const { policy } = this.#parts
    this.#known.requireAmounts(request.network, spend.inputs)
    const intended = intendedOutputs(this.#parts, row, codec, request.intent)
    requireOutputs(intended, spend.outputs)
    this.#requireOwnOutputs(row, codec, spend.outputs)
    const fee = feeOf(spend)
    if (fee.feeMinor < 0n) throw new Refusal('not-as-intended', 'It pays out more than it spends')
    const fault = feeFault(policy, row, this.#withLifted(request, fee))
    if (fault !== undefined) throw new Refusal('over-limit', fault)
  }

  /** What lifts another pays for both. @throws Refusal where it spends none of what that one gave back to ourselves */
  #withLifted({ network, intent, anchor }: CoinRequest, fee: Fee): Fee {
    if (intent.kind !== 'lift') return fee
    const lifted = this.#known.makerOf(network, anchor, intent.payoutId)
    if (lifted === undefined)
      throw new Refusal('not-as-intended', `The coin ${anchor} is no change of payout ${intent.payoutId}`)
    return {
      feeMinor: fee.feeMinor + lifted.feeMinor,
      vbytes: fee.vbytes + lifted.vbytes,
      inputsMinor: fee.inputsMinor + lifted.inputsMinor,
    }
  }

  /** Change lies in the hot wallet's branch for it, at a key that is derived here, and is no dust. */
  #requireOwnOutputs(row: UtxoNetwork, codec: CoinCodec, outputs: readonly SpendOutput[]): void {
    const own = outputs.filter(({ key }) => key !== undefined)
    if (own.length > ownOutputsMax)
      throw new Refusal('not-as-intended', `It gives back to ourselves in more than ${ownOutputsMax} outputs`)
    for (const { key, script, amountMinor } of own) {
      const found = key === undefined ? undefined : ownKeyAt(this.#parts.keys, row.chain, key)
      const isChange = found?.place.type === 'hot' && found.place.branch === 1
      if (!isChange || codec.scriptOfKey(found.publicKey) !== script)
        throw new Refusal(
          'not-as-intended',
          'What it gives back does not lie at the key that is named for it',
        )
      if (amountMinor < row.chain.dustMinor)
        throw new Refusal('not-as-intended', 'It gives back less than nodes pass on')
    }
  }

  #charges(
    request: CoinRequest,
    spend: CoinSpend,
    isRepeated: boolean,
  ): ReturnType<JudgedRequest['charges']> {
    const { policy } = this.#parts
    const fee = feeCharge(policy, request, feeOf(spend).feeMinor)
    return isRepeated ? [fee] : [fee, ...outflowCharges(policy, request)]
  }
}

/** @throws Refusal for whatever the library finds in a PSBT: what it says of foreign bytes is nobody's business */
function readOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) throw error
    const detail = error instanceof PsbtError ? error.message : 'The PSBT cannot be signed'
    throw new Refusal('not-as-intended', detail)
  }
}

/** The anchor first. */
function takesOf(anchor: string, { inputs }: CoinSpend): JudgedRequest['takes'] {
  const outpoints = inputs.map(({ outpoint }) => outpoint)
  if (!outpoints.includes(anchor))
    throw new Refusal('not-as-intended', `The transaction does not spend its anchor ${anchor}`)
  if (new Set(outpoints).size < outpoints.length)
    throw new Refusal('not-as-intended', 'The transaction spends a coin twice')
  const others = outpoints.filter((outpoint) => outpoint !== anchor)
  return [`coin ${anchor}`, ...others.map((outpoint) => `coin ${outpoint}`)]
}

/** What goes to others is what was intended, each exactly once. */
function requireOutputs(
  intended: readonly Pick<SpendOutput, 'script' | 'amountMinor'>[],
  outputs: readonly SpendOutput[],
): void {
  const keyOf = ({ script, amountMinor }: Pick<SpendOutput, 'script' | 'amountMinor'>) =>
    `${script} ${amountMinor}`
  const given = outputs.filter(({ key }) => key === undefined).map(keyOf)
  const wanted = intended.map(keyOf)
  if (given.toSorted().join() === wanted.toSorted().join()) return
  throw new Refusal('not-as-intended', 'What it pays is not what the intent says')
}
