import { createKeccak } from 'hash-wasm'

/** WebAssembly: a block of 200 transfers to new addresses takes hundreds of hashes, which would be most of reading it. */
const keccak = await createKeccak(256)

export function keccak256(bytes: Uint8Array): Buffer {
  return Buffer.from(keccak.init().update(bytes).digest('binary'))
}
