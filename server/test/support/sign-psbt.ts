/** Signs a PSBT with the keys that it names, as it is or as a thief would change it. */
import { Address, OutScript, Transaction } from '@scure/btc-signer'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { utxoCodecOf } from '../../src/chains/spend-codecs.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { required } from '../../src/core/assert.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { ownKeyAt } from '../../src/signer/keys/own-key.ts'

export interface SignedPsbt {
  readonly txHash: string
  readonly raw: string
  /** The bytes before any signature, in hex. */
  readonly unsigned: string
}

/**
 * Signs a PSBT.
 * @param redirect the address that receives the payment of the first output in place of the right one
 */
export function sign(
  keys: KeyTree,
  network: UtxoNetwork,
  psbt: string,
  { redirect }: { readonly redirect?: string },
): SignedPsbt {
  const transaction = Transaction.fromPSBT(Buffer.from(psbt, 'base64'))
  if (redirect !== undefined) {
    const script = OutScript.encode(Address(addressEncodingOf(network.chain)).decode(redirect))
    transaction.updateOutput(0, { script }, true)
  }
  const codec = utxoCodecOf(network)
  const asked = Buffer.from(transaction.toPSBT(0)).toString('base64')
  const claimed = codec.parse(asked).inputs
  const keyOf = (publicKey: string) => {
    const input = required(
      claimed.find((one) => one.publicKey === publicKey),
      'an input',
    )
    return required(ownKeyAt(keys, network.chain, input), 'a key of ours').privateKey
  }
  return { ...codec.sign(asked, keyOf), unsigned: Buffer.from(transaction.unsignedTx).toString('hex') }
}
