/**
 * Signs a payment with a test wallet, for tests that insert outgoing transactions into the database directly.
 */
import * as Address from 'ox/Address'
import * as Secp256k1 from 'ox/Secp256k1'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'

const privateKey = `0x${'11'.repeat(32)}` as const

/** The address of the wallet that signs. */
export const signingWallet: string = Address.fromPublicKey(
  Secp256k1.getPublicKey({ privateKey }),
).toLowerCase()

export interface SignedPayment {
  readonly txHash: string
  readonly raw: string
}

/** Signs a payment of the coin on the development chain. */
export function signPayment(nonce: number, recipient: string, amountMinor: bigint): Promise<SignedPayment> {
  const spend = { type: 'pay', asset: { type: 'coin' }, recipient, amountMinor } as const
  const transaction = {
    chainId: 31_337,
    nonce,
    gasLimit: 9n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    spend,
  }
  return spendCodecs.evm.sign(transaction, signingWallet, async (_, digest) => {
    const { r, s, yParity } = Secp256k1.sign({ payload: digest as `0x${string}`, privateKey })
    return { r: `0x${r.toString(16)}`, s: `0x${s.toString(16)}`, yParity }
  })
}
