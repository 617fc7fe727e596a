/** The moves of the operator, who withdraws its own money to the cold address. */
import { fateOf, type Play } from '../play.ts'
import { callOrderTreasury } from './call-treasury.ts'

export const treasuryPlays = {
  'withdraw from the treasury': async (world, dice) => {
    const asset = dice.pick(world.assets)
    const source = dice.weighted({ fees: 4, capital: 1 })
    // Gas is paid from the capital, so only small parts of it are withdrawn.
    const percent =
      source === 'fees' ? dice.weighted({ '40': 1, '100': 4, '150': 1 }) : dice.pick(['5', '10'])
    const times = dice.chance(0.6) ? 2 : 1
    let fate = ''
    for (let time = 0; time < times; time += 1)
      fate = fateOf(await callOrderTreasury(world, { asset, source, percent: BigInt(percent) }))
    const often = times === 1 ? '' : ' twice at the same moment'
    return `the operator withdraws ${percent} % of its ${source} in ${asset.name}${often}${fate}`
  },
} satisfies Readonly<Record<string, Play>>

/** Relative frequencies of these moves in a run in which the operator withdraws money. */
export const treasuryWeights: Readonly<Record<keyof typeof treasuryPlays, number>> = {
  'withdraw from the treasury': 10,
}
