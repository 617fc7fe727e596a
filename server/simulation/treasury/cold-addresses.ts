/** The cold addresses of the operator, whose keys the installation does not hold. */
import { Address } from '@scure/btc-signer'
import { utxoNetworkOf } from '../../src/chains/networks.ts'
import { addressEncodingOf } from '../../src/chains/utxo/address-encoding.ts'
import { required } from '../../src/core/assert.ts'

const hash = new Uint8Array(20).fill(0xc0)

function onUtxo(name: 'bitcoin' | 'litecoin'): string {
  const { chain } = required(utxoNetworkOf(name, 'regtest'), `the network ${name}`)
  return Address(addressEncodingOf(chain)).encode({ type: 'wpkh', hash })
}

/** The cold address of each network in canonical form, which the signer and the engines know. */
export const coldAddresses: ReadonlyMap<string, string> = new Map([
  ['ethereum', `0x${Buffer.from(hash).toString('hex')}`],
  ['base', `0x${Buffer.from(hash).toString('hex')}`],
  ['bitcoin', onUtxo('bitcoin')],
  ['litecoin', onUtxo('litecoin')],
])
