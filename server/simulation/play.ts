/** Types and texts that all moves share. */
import type { Dice } from './dice.ts'
import type { Called } from './world/call-api.ts'
import type { Installation } from './world/installation.ts'

/** Makes a move and returns one sentence that describes what happened. */
export type Play = (world: Installation, dice: Dice) => Promise<string>

export function merchantOf(world: Installation, merchantId: string): string {
  return `merchant ${world.model.merchants.indexOf(merchantId) + 1}`
}

export function fateOf(called: Called): string {
  return called === 'sent' ? '' : `, but ${called}`
}
