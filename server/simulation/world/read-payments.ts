/**
 * Reads the transactions with which the hot wallets paid orders or tried to pay them. The data comes from the
 * chain and from the bytes that were sent.
 */
import type { FakeTransaction } from '../../src/chains/fake/fake-chain.ts'
import { readSigned } from '../../src/chains/fake/run-spend.ts'
import { required } from '../../src/core/assert.ts'
import type { OurPayment } from '../model/checked-world.ts'
import type { EvmSide } from './evm-side.ts'

export async function readPayments({
  name: network,
  chain,
  sender,
}: EvmSide): Promise<readonly OurPayment[]> {
  const payments: OurPayment[] = []
  for (const transaction of chain.transactionsUpTo(chain.head.height)) {
    const { signed, failed, hash, moves } = transaction
    if (signed === undefined) continue
    const paid = paidBy(transaction) ?? (await paidByBytes(required(sender.rawOf(hash), 'the sent bytes')))
    const hasFailed = failed || moves.length === 0
    if (paid !== undefined) payments.push({ ...paid, network, hasFailed, feeMinor: signed.feeMinor })
  }
  return payments
}

type Paid = Pick<OurPayment, 'recipient' | 'contract'>

/** Returns the recipient of a transaction's first transfer; undefined if nothing was transferred. */
function paidBy({ moves: [move] }: FakeTransaction): Paid | undefined {
  if (move === undefined) return undefined
  const { asset, recipient } = move
  return { recipient, contract: asset.type === 'coin' ? null : asset.contract }
}

/** Returns the intended recipient of a signed transaction; undefined if it is no payment, such as a sweep. */
async function paidByBytes(raw: string): Promise<Paid | undefined> {
  const { spend } = await readSigned(raw)
  if (spend.type !== 'pay') return undefined
  return { recipient: spend.recipient, contract: spend.asset.type === 'coin' ? null : spend.asset.contract }
}
