import { Address, OutScript } from '@scure/btc-signer'
import type { UtxoChain } from './utxo-chains.ts'

/** A chain's own spelling of addresses, as @scure/btc-signer wants it told. */
export interface Spelling {
  readonly bech32: string
  readonly pubKeyHash: number
  readonly scriptHash: number
  /** Of private keys, which nothing here ever writes. */
  readonly wif: number
}

export function spellingOf({ bech32 = '', pubKeyHash, scriptHash }: UtxoChain): Spelling {
  return { bech32, pubKeyHash, scriptHash, wif: 0 }
}

/** The kinds of output that have an address: P2PKH, P2SH, P2WPKH, P2WSH, P2TR. */
const addressed = new Set(['pkh', 'sh', 'wpkh', 'wsh', 'tr'])

/**
 * Says which address a script pays; undefined for one that has none, or is of a kind that is not known. Kinds are told
 * apart by their bytes before anything is decoded, since blocks are full of scripts.
 */
export function scriptReader(chain: UtxoChain): (script: Uint8Array) => string | undefined {
  const address = Address(spellingOf(chain))
  const hasWitness = chain.bech32 !== undefined
  return (script) => {
    if (!isPlain(script, hasWitness)) return undefined
    try {
      const output = OutScript.decode(script)
      return addressed.has(output.type)
        ? address.encode(output as Parameters<typeof address.encode>[0])
        : undefined
    } catch {
      // A taproot output whose key is no point: nobody can ever spend it.
      return undefined
    }
  }
}

/** Whether the bytes have the form of one of those kinds. */
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
