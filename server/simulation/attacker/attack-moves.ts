/** The move of an attacker who can write in the database, and when it comes. */
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

/** Relative frequencies of other moves in a run with an attacker, so that there is something to attack. */
export const attackedWeights = { 'order a withdrawal': 16 }

/**
 * Lets the attacker come once more when nothing changes any more, if it found no row before. Most orders end only then.
 * @returns whether a row was changed
 */
export async function attackAtRest(world: Installation, dice: Dice): Promise<boolean> {
  const { features, model } = world
  if (features.attack === undefined || model.tamperings.length > 0) return false
  return changeRow(world, features.attack, dice)
}

/** The share of the possible moments at which the attacker comes. */
const attackedShare = { afterMove: 0.8, anyTime: 0.2 }

interface Planned {
  readonly kind: string
  readonly seed: number
  readonly steps: number
}

/** Replaces some moves by attacks. An attack comes soon after the moves that bring the rows that it changes. */
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
