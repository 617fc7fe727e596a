import { createKeccak } from 'hash-wasm'

/**
 * Keccak-256, compiled to WebAssembly. Reading a block of 200 transfers to new addresses takes hundreds of
 * hashes. Without WebAssembly, hashing would take most of the time.
 */
const keccak = await createKeccak(256)

export function keccak256(bytes: Uint8Array): Buffer {
  return Buffer.from(keccak.init().update(bytes).digest('binary'))
}

/** Hashes bytes in hex without 0x. @returns the hash in hex with 0x */
export function keccakOfHex(hex: string): `0x${string}` {
  return `0x${keccak.init().update(Buffer.from(hex, 'hex')).digest('hex')}`
}
