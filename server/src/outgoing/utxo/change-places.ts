import type { HotPlace } from '../../signing/intent.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import { type CoinParts, hotAddress } from './coin-parts.ts'
import { readNextChange } from './coin-store.ts'
import { noChange } from './shape.ts'

export interface ChangePlaces {
  /** Each is an address of its own, which nobody was ever shown. */
  next(): { readonly place: HotPlace; readonly address: string }
  /** What an output to one of them weighs. */
  readonly weight: number
}

/** Where what is left of coins goes; nothing is stored. */
export async function openChangePlaces(parts: CoinParts, memory: MachineMemory): Promise<ChangePlaces> {
  let index = await readNextChange(parts.db, parts.network.name)
  const at = (place: HotPlace) => ({ place, address: hotAddress(parts, memory, place) })
  return {
    next: () => {
      index += 1
      return at({ type: 'hot', branch: 1, index: index - 1 })
    },
    weight: parts.drafts.outputWeight(at(noChange).address),
  }
}
