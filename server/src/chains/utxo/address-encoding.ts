import { Address, OutScript } from '@scure/btc-signer'
import type { UtxoChain } from './utxo-chains.ts'

/** A chain's address format, in the shape that @scure/btc-signer expects. */
export interface AddressEncoding {
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
  /** The version byte of encoded private keys. Coffer never encodes a private key. */
  readonly wif: number
}

export function addressEncodingOf({ bech32 = '', pubKeyHash, scriptHash }: UtxoChain): AddressEncoding {
  return { bech32, pubKeyHash, scriptHash, wif: 0 }
}

/** The types of output that have an address: P2PKH, P2SH, P2WPKH, P2WSH, P2TR. */
const addressed = new Set(['pkh', 'sh', 'wpkh', 'wsh', 'tr'])

/**
 * Returns a function that returns the address to which a script pays. The result is undefined if the script
 * has no address or an unknown type. For speed, the function first checks a few bytes of the script, because
 * blocks contain very many scripts.
 */
export function scriptReader(chain: UtxoChain): (script: Uint8Array) => string | undefined {
  const address = Address(addressEncodingOf(chain))
  const hasWitness = chain.bech32 !== undefined
  return (script) => {
    if (!isPlain(script, hasWitness)) return undefined
    try {
      const output = OutScript.decode(script)
      return addressed.has(output.type)
        ? address.encode(output as Parameters<typeof address.encode>[0])
        : undefined
    } catch {
      // The script has a taproot key that is not a point of the curve, so nobody can ever spend the output.
      return undefined
    }
  }
}

/** Decides whether a script has the form of one of the types in `addressed`. */
function isPlain(script: Uint8Array, hasWitness: boolean): boolean {
  switch (script.length) {
    case 25:
      return script[0] === 0x76 && script[1] === 0xa9 && script[2] === 0x14 && script[23] === 0x88
    case 23:
      return script[0] === 0xa9 && script[1] === 0x14 && script[22] === 0x87
    case 22:
      return hasWitness && script[0] === 0x00 && script[1] === 0x14
    case 34:
      return hasWitness && (script[0] === 0x00 || script[0] === 0x51) && script[1] === 0x20
    default:
      return false
  }
}
