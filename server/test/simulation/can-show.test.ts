/** Tests that each entry of the features that mutants need is used, and that seeds have these features. */
import { expect, it } from 'vitest'
import { drawFeatures } from '../../simulation/features.ts'
import { neededFeatures } from '../../simulation/mutants/can-show.ts'
import { mutants } from '../../simulation/mutants/mutants.ts'

const seeds = Array.from({ length: 200 }, (_, index) => index + 1)

it.each(neededFeatures)(
  '%s fits a mutant, and some but not all of the first seeds',
  (begins, hasFeatures) => {
    const firstFits = ({ name }: { readonly name: string }) =>
      neededFeatures.find(([other]) => name.startsWith(other))?.[0] === begins
    expect(mutants.some(firstFits)).toBe(true)
    const fitting = seeds.filter((seed) => hasFeatures(drawFeatures(seed)))
    expect(fitting.length).toBeGreaterThan(0)
    expect(fitting.length).toBeLessThan(seeds.length)
  },
)
