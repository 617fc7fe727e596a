/** The move of an attacker who can write in the database, and its place among the other moves. */
import type { Dice } from '../dice.ts'
import type { Play } from '../play.ts'
import type { Installation } from '../world/installation.ts'
import { type Attack, type AttackName, attacks } from './attacks.ts'
import { changeRow } from './change-row.ts'

/** How often the attacker looks for a row, and the number of steps of the processes between two looks. */
const looksMax = 4
const stepsPerLook = 12

export const attackPlays = {
  'change a row': async (world, dice) => {
    const { attack } = world.features
    if (attack === undefined) return 'there is no attacker'
    for (let look = 0; look < looksMax; look += 1) {
      if (await changeRow(world, attack, dice)) return `an attacker ${attack}`
      for (let step = 0; step < stepsPerLook; step += 1) await world.scheduler.advance()
    }
    return 'the attacker finds no row to change'
  },
} satisfies Readonly<Record<string, Play>>

/** Relative frequencies of other moves in a run with an attacker. Many attacks need orders. */
export const attackedWeights = { 'order a withdrawal': 16 }

/**
 * Lets the attacker look for a row once more at rest, if it has not changed any row. Some attacks need an order that
 * has ended, and most orders end only at rest.
 * @returns whether a row was changed
 */
export async function attackAtRest(world: Installation, dice: Dice): Promise<boolean> {
  const { features, model } = world
  if (features.attack === undefined || model.tamperings.length > 0) return false
  return changeRow(world, features.attack, dice)
}

/**
 * The probability that an attack replaces a move: the move that follows those in `after`, or any move if the attack has
 * no `after`.
 */
const attackedShare = { afterMove: 0.8, anyTime: 0.2 }

interface Planned {
  readonly kind: string
  readonly seed: number
  readonly steps: number
}

/**
 * Replaces some moves by attacks. If the attack has `after`, it replaces only a move that directly follows one of these
 * moves, because they create the rows that it changes.
 */
export function placeAttacks<M extends Planned>(
  moves: readonly M[],
  name: AttackName,
  dice: Dice,
): readonly (M | (Omit<M, 'kind'> & { readonly kind: 'change a row' }))[] {
  const { after }: Attack = attacks[name]
  return moves.map((move, index) => {
    const isNext = after?.includes(moves[index - 1]?.kind ?? '') === true && !after.includes(move.kind)
    const share = after === undefined ? attackedShare.anyTime : isNext ? attackedShare.afterMove : 0
    return dice.chance(share) ? { ...move, kind: 'change a row' } : move
  })
}
